/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks at the end of a second: tables, PIDs and PCRs that are overdue. */
#include "common/base/units.h"
#include "common/base/util.h"
#include "proto/si/desc.h"
#include "worker/analysis/monitor_state.h"
#include "worker/analysis/tstd.h"

#include <string.h>

enum {
	PID_MAX_MS = 5000,     /* TR 101 290 1.6, where the user chooses it */
	PTS_MAX_MS = 700,      /* TR 101 290 2.5 */
	PID_FREE_MS = 500,     /* TR 101 290 3.4 */
	AV_MAX_MS = 2000,
	FROZEN_MS = 2000,
	FROZEN_PCRS = 3,       /* so many repetitions of a PCR in a second are a
				* fault */
};

static bool is_over(uint64_t now_ns, uint64_t since_ns, unsigned ms)
{
	return now_ns > since_ns && now_ns - since_ns > ms * MS;
}

static void refer(struct monitor *m, unsigned pid)
{
	m->referenced[(pid & 0x1fff) / 8] |= (uint8_t)(1u << (pid % 8));
}

static bool is_referenced(const struct monitor *m, unsigned pid)
{
	return m->referenced[pid / 8] >> (pid % 8) & 1;
}

static void refer_ca(struct monitor *m, struct desc_loop loop)
{
	struct desc d;
	uint16_t pid;

	while (desc_next(&loop, &d))
		if (desc_ca_pid(&d, &pid))
			refer(m, pid);
}

/* The time at which a packet of the PID last arrived, or the watch began, or
 * the tables last named the PID, whichever is the latest. */
static uint64_t packet_ns(const struct monitor *m, uint16_t pid)
{
	uint16_t place = m->pids.index[pid];
	uint64_t ns = place == 0 ? m->began_ns
				 : m->pids.list[place - 1].last_ns;

	return MAX(ns, m->named_ns[pid]);
}

/* The time at which a table last began on the PID; if never, that at which the
 * watch began or the tables last changed. */
static uint64_t table_ns(const struct monitor *m, uint16_t pid)
{
	uint16_t place = m->pids.index[pid];
	uint64_t ns = place == 0 ? 0 : m->pids.list[place - 1].table_ns;

	return ns != 0 ? ns : MAX(m->began_ns, m->tables_ns);
}

static void judge_program(struct monitor *m, const struct psi_program *program,
			  uint64_t now_ns)
{
	struct pmt pmt;

	bool judged = monitor_watches(m, program->number);

	refer(m, program->pmt_pid);
	if (judged &&
	    is_over(now_ns, table_ns(m, program->pmt_pid), MONITOR_TABLE_MS))
		m->faults[ALARM_PMT]++;
	if (program->pmt.data == NULL ||
	    pmt_decode(program->pmt.data, program->pmt.len, &pmt) < 0)
		return;
	refer(m, pmt.pcr_pid);
	refer_ca(m, pmt.descriptors);
	for (size_t i = 0; i < pmt.n_streams; i++) {
		const struct pmt_stream *s = &pmt.streams[i];

		refer_ca(m, s->descriptors);
		refer(m, s->pid);
		if (s->class == PID_VIDEO || s->class == PID_AUDIO)
			tstd_set_clock(m, s->pid, pmt.pcr_pid);
		if (judged &&
		    (s->class == PID_VIDEO || s->class == PID_AUDIO) &&
		    is_over(now_ns, packet_ns(m, s->pid), PID_MAX_MS))
			m->faults[ALARM_PID]++;
	}
}

static void judge_tables(struct monitor *m, uint64_t now_ns)
{
	const struct psi_program *programs;
	size_t n = psi_programs(m->psi, &programs);
	uint32_t errors = psi_crc_errors(m->psi);

	if (is_over(now_ns, table_ns(m, TS_PID_PAT), MONITOR_TABLE_MS))
		m->faults[ALARM_PAT]++;
	memset(m->referenced, 0, sizeof m->referenced);
	refer(m, psi_network_pid(m->psi));
	for (size_t i = 0; i < n; i++)
		judge_program(m, &programs[i], now_ns);
	m->faults[ALARM_CRC] += errors - m->psi_errors +
				si_watch_errors(&m->si);
	m->psi_errors = errors;

	for (size_t i = 0; i < SI_CAT_SECTIONS; i++)
		refer_ca(m, si_watch_cat(&m->si, i));
	if (m->scrambled && si_watch_lacks_cat(&m->si, now_ns))
		m->faults[ALARM_CAT]++;
}

static void judge_si(struct monitor *m, uint64_t now_ns)
{
	static const enum alarm_id alarms[SI_PIDS] = {
		[SI_SLOT_CAT] = ALARM_CAT, [SI_SLOT_NIT] = ALARM_NIT,
		[SI_SLOT_SDT] = ALARM_SDT, [SI_SLOT_EIT] = ALARM_EIT,
		[SI_SLOT_RST] = ALARM_RST, [SI_SLOT_TDT] = ALARM_TDT,
	};
	static const struct {
		enum si_table table;
		enum alarm_id alarm;
		unsigned max_ms; /* TR 101 290 3.1, 3.5, 3.6, 3.8 */
	} rules[] = {
		{ SI_NIT, ALARM_NIT, 10000 },
		{ SI_SDT, ALARM_SDT, 2000 },
		{ SI_EIT, ALARM_EIT, 2000 },
		{ SI_TDT, ALARM_TDT, 30000 },
	};

	/* sections that arrived: on a wrong PID, too close, too late */
	for (size_t i = 0; i < SI_PIDS; i++)
		m->faults[alarms[i]] += m->si.wrong[i];
	m->faults[ALARM_SI_REPETITION] += m->si.near + m->si.late;
	m->faults[ALARM_RST] += m->si.rst_near;
	memset(m->si.wrong, 0, sizeof m->si.wrong);
	m->si.near = m->si.late = m->si.rst_near = 0;

	/* tables that the stream had before and that are overdue */
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		uint64_t seen = m->si.seen_ns[rules[i].table];

		if (seen != 0 && is_over(now_ns, seen, rules[i].max_ms))
			m->faults[rules[i].alarm]++;
	}

	/* services whose EIT present/following is overdue */
	if (!psi_has_pat(m->psi))
		return;
	si_watch_follow(&m->si, m->psi);
	for (size_t i = 0; i < m->si.n_services; i++) {
		const struct si_service *s = &m->si.services[i];

		m->faults[ALARM_EIT] += monitor_watches(m, s->number) &&
					si_service_is_late(s, now_ns);
	}
}

static void judge_pids(struct monitor *m, uint64_t now_ns)
{
	for (size_t i = 0; i < m->pids.n; i++) {
		struct pid_stats *s = &m->pids.list[i];
		uint8_t class = m->classes[s->pid];
		bool has_pts = s->has_pts &&
			       (class == PID_VIDEO || class == PID_AUDIO);
		uint64_t since_ns = MAX(s->first_ns, m->tables_ns);

		if (has_pts && s->packets > s->scrambled &&
		    is_over(now_ns, s->pts_ns, PTS_MAX_MS))
			m->faults[ALARM_PTS]++;
		else if (has_pts &&
			 is_over(s->pts_ns, s->pts_moved_ns, FROZEN_MS))
			m->faults[ALARM_PTS_FROZEN]++;
		/* The PID has packets for some time, although no table of MPEG,
		 * DVB or ATSC names it.  Before the tables are known every PID
		 * is unreferenced. */
		since_ns = MAX(since_ns, m->psip.changed_ns);
		if (psi_has_pmt(m->psi) && s->packets > 0 &&
		    s->pid >= SI_PIDS_END && !is_referenced(m, s->pid) &&
		    !psip_watch_has(&m->psip, s->pid) &&
		    is_over(s->last_ns, since_ns, PID_FREE_MS))
			m->faults[ALARM_UNREFERENCED_PID]++;
	}
}

static void judge_pcrs(struct monitor *m, uint64_t now_ns)
{
	for (size_t i = 0; i < m->n_pcrs; i++) {
		struct pcr_report *r = &m->pcrs[i].report;

		pcr_check_second(&m->pcrs[i].check, now_ns, r);
		r->constant &= !m->unplaced;
		if (!is_referenced(m, m->pcrs[i].pid))
			continue;
		m->faults[ALARM_PCR_REPETITION] += r->repetition_errors;
		m->faults[ALARM_PCR_DISCONTINUITY] += r->discontinuity_errors;
		if (r->constant && r->accuracy_ns > PCR_ACCURACY_MAX_NS)
			m->faults[ALARM_PCR_ACCURACY]++;
		if (r->frozen >= FROZEN_PCRS)
			m->faults[ALARM_PCR_FROZEN]++;
	}
}

bool monitor_is_frozen(const struct monitor *m, uint16_t program)
{
	const struct psi_program *one =
		program == 0 ? NULL : psi_program_find(m->psi, program);
	bool stands = false;

	for (size_t i = 0; i < m->n_pcrs; i++) {
		const struct pcr_report *r = &m->pcrs[i].report;

		if (r->count == 0 || !is_referenced(m, m->pcrs[i].pid) ||
		    (program != 0 &&
		     (one == NULL || one->pcr_pid != m->pcrs[i].pid)))
			continue;
		if (!r->stands)
			return false;
		stands = true;
	}
	return stands;
}

void monitor_judge(struct monitor *m, uint64_t now_ns)
{
	const struct psi_program *main = monitor_main(m);

	judge_tables(m, now_ns);
	judge_si(m, now_ns);
	judge_pids(m, now_ns);
	judge_pcrs(m, now_ns);
	tstd_second(m);
	if (main == NULL)
		return;
	if (main->video_pid != TS_PID_NULL &&
	    is_over(now_ns, packet_ns(m, main->video_pid), AV_MAX_MS))
		m->faults[ALARM_NO_VIDEO]++;
	if (main->audio_pid != TS_PID_NULL &&
	    is_over(now_ns, packet_ns(m, main->audio_pid), AV_MAX_MS))
		m->faults[ALARM_NO_AUDIO]++;
}
