/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/tstd.h"

#include "worker/analysis/monitor_state.h"
#include "worker/ts/t_std.h"

static unsigned leak_of(const struct monitor *m, const struct pid_stats *s)
{
	if (s->class == PID_PSI || s->pid < SI_PIDS_END)
		return T_STD_TABLES_BPS;
	if (s->class == PID_VIDEO)
		return s->video_bps;
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
	si_watch_set_rate(&m->si, rate);
}

void tstd_learn(struct monitor *m, struct pid_stats *s, const uint8_t *packet)
{
	size_t at = ts_payload_offset(packet);
	unsigned bps;

	if (at >= TS_PACKET)
		return;
	bps = t_std_video_bps(psi_coding(m->psi, s->pid), packet + at,
			      TS_PACKET - at);
	if (bps > 0)
		s->video_bps = bps;
}
