/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/tstd.h"

#include "worker/analysis/monitor_state.h"

/* bit/s; 2.4.2.3.  AAC may have so many channels. */
enum {
	LEAK_TABLES = 1000000,
	LEAK_AUDIO = 2000000,
	LEAK_AAC = 5529600,
};

static unsigned leak_of(const struct monitor *m, const struct pid_stats *s)
{
	if (s->class == PID_PSI)
		return LEAK_TABLES;
	if (s->class != PID_AUDIO)
		return 0;
	switch (psi_stream_type(m->psi, s->pid)) {
	case 0x03: /* MPEG */
	case 0x04:
	case 0x81: /* AC-3 */
		return LEAK_AUDIO;
	case 0x0f: /* AAC */
	case 0x11:
		return LEAK_AAC;
	default:
		return 0;
	}
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
