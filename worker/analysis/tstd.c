/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/tstd.h"

#include "worker/analysis/monitor_state.h"
#include "worker/ts/t_std.h"

static unsigned leak_of(const struct monitor *m, const struct pid_stats *s)
{
	if (s->class == PID_PSI)
		return T_STD_TABLES_BPS;
	return s->class == PID_AUDIO
		       ? t_std_audio_bps(psi_stream_type(m->psi, s->pid))
		       : 0;
}

void tstd_second(struct monitor *m)
{
	uint64_t rate = 0; /* 0: not constant, or unknown */

	for (size_t i = 0; i < m->n_pcrs && rate == 0; i++)
		if (m->pcrs[i].report.constant)
			rate = pcr_check_bps(&m->pcrs[i].check);
	for (size_t i = 0; i < m->pids.n; i++) {
		struct pid_stats *s = &m->pids.list[i];
		unsigned leak = leak_of(m, s);
		bool judged = leak > 0 && leak < rate;

		if (judged && !(s->leak > 0)) {
			s->level = 0;
			s->level_at = m->packets;
		}
		s->leak = judged ? TS_PACKET * (float)leak / (float)rate : 0;
	}
}
