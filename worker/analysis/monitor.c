/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/analysis/monitor_state.h"
#include "worker/analysis/tstd.h"
#include "worker/ts/section.h"

#include <stdlib.h>
#include <string.h>

enum {
	WARM_PIDS = 6,
};

void monitor_free(struct monitor **m)
{
	if (*m == NULL)
		return;
	psi_free(&(*m)->own_psi);
	tstd_free(*m);
	free(*m);
	*m = NULL;
}

/* The number of malformed sections since monitor_new(). */
static uint32_t broken_sections(const struct monitor *m)
{
	return psi_crc_errors(m->psi) + psi_broken(m->psi);
}

struct monitor *monitor_new(const struct psi *psi, uint64_t now_ns)
{
	struct monitor *m = xcalloc(1, sizeof *m);

	if (psi == NULL)
		psi = m->own_psi = psi_new();
	m->psi = psi;
	m->classes = psi_classes(psi);
	m->psi_errors = psi_crc_errors(psi);
	m->broken_before = broken_sections(m);
	m->began_ns = m->second_ns = now_ns;
	si_watch_init(&m->si);
	psip_watch_init(&m->psip);
	return m;
}

void monitor_reset(struct monitor *m, uint64_t now_ns)
{
	if (m->own_psi != NULL)
		psi_reset(m->own_psi);
	m->psi_changes = 0;
	memset(m->named, 0, sizeof m->named);
	memset(m->clocks, 0, sizeof m->clocks);
	si_watch_init(&m->si);
	psip_watch_init(&m->psip);
	memset(&m->cc, 0, sizeof m->cc);
	m->reader.n = 0;
	tstd_free(m);
	for (size_t i = 0; i < m->pids.n; i++)
		m->pids.index[m->pids.list[i].pid] = 0;
	m->pids.n = 0;
	m->rate = 0;
	m->n_pcrs = 0;
	m->packets = m->all_null_packets = m->sync_errors = 0;
	m->skipped = 0;
	m->unplaced = false;
	m->second_packets = m->null_packets = m->scrambled = m->damaged = 0;
	memset(m->faults, 0, sizeof m->faults);
	m->rates = (struct monitor_rates){ 0 };
	m->broken_before = broken_sections(m);
	m->began_ns = m->second_ns = now_ns;
}

/* Clears the values of the last second, which had no packets. */
static void forget_second(struct monitor *m)
{
	m->rates = (struct monitor_rates){ 0 };
	for (size_t i = 0; i < m->n_pcrs; i++)
		m->pcrs[i].report = (struct pcr_report){ 0 };
	for (size_t i = 0; i < m->pids.n; i++)
		m->pids.list[i].last_packets = 0;
}

void monitor_watch_program(struct monitor *m, uint16_t number)
{
	m->program = number;
}

void monitor_rest(struct monitor *m, uint64_t wall_ms)
{
	forget_second(m);
	for (size_t i = 0; i < ALARM_COUNT; i++)
		alarm_rest(&m->alarms[i], wall_ms);
}

/* Takes a packet on the PID of the PAT or a PMT.  If a section begins in it,
 * checks the table_id and the time since the previous section. */
static void check_table(struct monitor *m, struct pid_stats *s,
			const uint8_t *p, uint64_t now_ns)
{
	uint16_t pid = s->pid;
	uint64_t came_ns;
	const uint8_t *section;
	uint8_t wanted = pid == TS_PID_PAT ? 0x00 : PMT_TABLE_ID;
	enum alarm_id alarm = pid == TS_PID_PAT ? ALARM_PAT : ALARM_PMT;

	if (section_first(p, &section) == 0)
		return;
	/* other tables may share the PID of a PMT */
	if (section_table_id(section) != wanted) {
		m->faults[alarm] += pid == TS_PID_PAT;
		return;
	}
	/* the earliest time of its arrival: it came after the last read */
	came_ns = MAX(m->before_ns, now_ns - MONITOR_READ_MS * MS);
	if (s->table_ns != 0 && came_ns > s->table_ns + MONITOR_TABLE_MS * MS)
		m->faults[alarm]++;
	s->table_ns = now_ns;
}

/* Restarts the time limits of a PID when the tables begin or cease to name it,
 * because its last packets belong to an earlier use.  The limits of its PCRs
 * also restart when a program begins or ceases to use them. */
static void follow_names(struct monitor *m, uint64_t now_ns)
{
	uint64_t named[TS_PIDS / 64], clocks[TS_PIDS / 64] = { 0 };
	const struct psi_program *programs;
	size_t n = psi_programs(m->psi, &programs);

	psi_used_pids(m->psi, named);
	for (size_t i = 0; i < n; i++) {
		uint16_t pid = programs[i].pcr_pid;

		clocks[pid / 64] |= UINT64_C(1) << pid % 64;
	}
	for (uint16_t i = 0; i < TS_PIDS / 64; i++) {
		uint64_t changed = named[i] ^ m->named[i];

		/* for each set bit, from the lowest one */
		for (; changed != 0; changed &= changed - 1) {
			uint16_t pid = (uint16_t)(i * 64 +
						  __builtin_ctzll(changed));
			struct pid_stats *s = pid_table_find(&m->pids, pid);

			m->named_ns[pid] = now_ns;
			if (s != NULL)
				s->has_pts = false;
		}
	}
	for (size_t i = 0; i < m->n_pcrs; i++) {
		uint16_t pid = m->pcrs[i].pid, at = pid / 64;
		uint64_t changed = (named[at] ^ m->named[at]) |
				   (clocks[at] ^ m->clocks[at]);

		if (changed >> pid % 64 & 1)
			pcr_check_restart(&m->pcrs[i].check);
	}
	memcpy(m->named, named, sizeof named);
	memcpy(m->clocks, clocks, sizeof clocks);
}

/* Takes the classes and names of PIDs from tables that have changed. */
static void classify(struct monitor *m, uint64_t now_ns)
{
	m->tables_ns = now_ns;
	m->psi_changes = psi_changes(m->psi);
	follow_names(m, now_ns);
	for (size_t i = 0; i < m->pids.n; i++) {
		struct pid_stats *s = &m->pids.list[i];
		uint8_t class = m->classes[s->pid];

		/* a PMT on the PID in an earlier use does not count */
		if (class == PID_PSI && s->class != PID_PSI)
			s->table_ns = now_ns;
		/* the buffers of another class do not apply */
		if (class != s->class)
			s->unit_bps = s->unit_bytes = 0;
		s->class = class;
	}
}

/* Takes a packet that begins a unit or fills a buffer.  Few packets do, so the
 * function is not a part of the loop over all packets. */
__attribute__((noinline)) static void take_unit(struct monitor *m,
						struct pid_stats *s,
						const uint8_t *p,
						uint64_t now_ns)
{
	uint8_t class = s->class;
	enum pes_sign sign = PES_NONE;
	struct pes_stamps times;

	if (class != PID_VIDEO && class != PID_AUDIO &&
	    class != PID_SUBTITLE && class != PID_TELETEXT)
		return;
	/* a header may extend over several packets */
	if (ts_pusi(p) || s->follows & PID_HEADER) {
		sign = pes_reader_take(&m->reader, p, &times);
		s->follows &= (uint8_t)~PID_HEADER;
		s->follows |= sign == PES_WAITS ? PID_HEADER : 0;
	}
	m->faults[ALARM_BUFFER] += tstd_take(s, m->packets);
	if (class == PID_VIDEO || class == PID_AUDIO)
		m->faults[ALARM_BUFFER] += tstd_take_media(m, s, p, sign,
							   &times);
	if (ts_pusi(p)) {
		size_t at = ts_payload_offset(p);

		/* the start code has three bytes: no verdict on fewer */
		s->pes_errors += at + 3 <= TS_PACKET &&
				 (p[at] != 0 || p[at + 1] != 0 ||
				  p[at + 2] != 1);
	}
	if (sign != PES_READ)
		return;

	if (!s->has_pts || times.pts != s->pts)
		s->pts_moved_ns = now_ns;
	if (s->has_pts)
		s->pts_gap_ns = MAX(s->pts_gap_ns, now_ns - s->pts_ns);
	s->pts_count++;
	s->has_pts = true;
	s->pts = times.pts;
	s->pts_ns = now_ns;
}

static void check_clear(struct monitor *m, struct pid_stats *s,
			const uint8_t *p, uint64_t now_ns)
{
	uint16_t pid = ts_pid(p);
	uint8_t class = s != NULL ? s->class : m->classes[pid];

	if (class == PID_PSI) {
		if (s != NULL && s->follows != 0)
			m->faults[ALARM_BUFFER] += tstd_take_table(m, s, p);
		if (s != NULL && ts_pusi(p))
			check_table(m, s, p, now_ns);
		if (m->own_psi != NULL && psi_feed(m->own_psi, p))
			classify(m, now_ns);
	} else if (pid < SI_PIDS_END) {
		if (s != NULL && s->follows != 0)
			m->faults[ALARM_BUFFER] += tstd_take_table(m, s, p);
		si_watch_feed(&m->si, p, m->packets, now_ns);
	} else if (pid == SI_PID_PSIP && class == PID_UNKNOWN) {
		psip_watch_feed(&m->psip, p, now_ns);
	} else if (s != NULL && (s->follows != 0 || ts_pusi(p))) {
		take_unit(m, s, p, now_ns);
	}
}

static void check_pcr(struct monitor *m, const uint8_t *p, uint64_t now_ns)
{
	uint16_t pid = ts_pid(p);
	size_t i = 0;

	while (i < m->n_pcrs && m->pcrs[i].pid != pid)
		i++;
	if (i == MONITOR_PCRS_MAX)
		return;
	if (i == m->n_pcrs)
		m->pcrs[m->n_pcrs++] = (struct monitor_pcr){ .pid = pid };
	pcr_check_feed(&m->pcrs[i].check, p, m->packets, now_ns);
}

static struct pid_stats *stats_of(struct monitor *m, const uint8_t *p)
{
	uint16_t pid = ts_pid(p);
	struct pid_stats *s = pid_table_find(&m->pids, pid);

	if (s != NULL)
		return s;
	s = pid_table_add(&m->pids, pid);
	if (s != NULL) {
		s->class = m->classes[pid];
		s->cc = m->cc.pid[pid];
	}
	return s;
}

/* Takes a packet with transport_error_indicator, whose fields may all be wrong.
 * It adds no PID and causes no other fault (TR 101 290 5.2.2). */
static void take_damaged(struct monitor *m, const uint8_t *p, uint64_t now_ns)
{
	uint16_t pid = ts_pid(p);
	struct pid_stats *s = pid_table_find(&m->pids, pid);

	m->faults[ALARM_TRANSPORT]++;
	m->null_packets += pid == TS_PID_NULL;
	m->damaged += pid != TS_PID_NULL;
	m->gap_ns = now_ns;
	cc_damaged(&m->cc, s != NULL ? &s->cc : &m->cc.pid[pid], p);
	if (s != NULL)
		s->transport_errors++;
	for (size_t i = 0; i < m->n_pcrs; i++)
		if (m->pcrs[i].pid == pid)
			pcr_check_damaged(&m->pcrs[i].check);
}

/* Takes a packet whose counter is not the next one; s: the record of its PID,
 * or NULL. */
static void take_odd(struct monitor *m, struct pid_stats *s,
		     enum cc_verdict verdict, uint64_t now_ns)
{
	uint64_t before_ns = s != NULL ? s->last_ns : now_ns;

	if (verdict == CC_ERROR) {
		m->faults[ALARM_CC]++;
		m->gap_ns = MAX(m->gap_ns, before_ns);
	}
	if (s == NULL)
		return;
	s->cc_errors += verdict == CC_ERROR;
	s->duplicates += verdict == CC_DUPLICATE;
}

static void feed_packet(struct monitor *m, const uint8_t *p, uint64_t now_ns)
{
	uint16_t pid = ts_pid(p), before, *cc;
	enum cc_verdict verdict;
	struct pid_stats *s;

	m->packets++;
	m->second_packets++;
	if (!ts_sync_ok(p)) {
		m->faults[ALARM_SYNC_BYTE]++;
		m->sync_errors++;
		return;
	}
	if (ts_tei(p)) {
		take_damaged(m, p, now_ns);
		return;
	}
	if (pid == TS_PID_NULL) {
		m->null_packets++;
		return;
	}
	s = stats_of(m, p);
	cc = s != NULL ? &s->cc : &m->cc.pid[pid];
	before = *cc;
	verdict = cc_step(cc, p);
	if (verdict == CC_ERROR && cc_is_excused(&m->cc, before, p))
		verdict = CC_OK;
	if (verdict != CC_OK)
		take_odd(m, s, verdict, now_ns);
	if (s != NULL) {
		if (s->first_ns == 0)
			s->first_ns = now_ns;
		s->last_ns = now_ns;
		s->packets++;
	}
	if (ts_adaptation_flags(p) & 0x10)
		check_pcr(m, p, now_ns);
	if (ts_scrambling(p) == 0) {
		check_clear(m, s, p, now_ns);
		return;
	}

	uint8_t class = m->classes[pid];

	m->scrambled++;
	if (s != NULL)
		s->scrambled++;
	if (class == PID_VIDEO || class == PID_AUDIO)
		m->faults[ALARM_SCRAMBLED]++;
	else if (class == PID_PSI)
		m->faults[pid == TS_PID_PAT ? ALARM_PAT : ALARM_PMT]++;
}

/* Feeds the packets of a run.  As the only caller of feed_packet() it has that
 * function in its loop. */
__attribute__((noinline)) static void
feed_run(struct monitor *m, struct ts_run run, uint64_t now_ns)
{
	const uint8_t *p = run.data;
	const uint8_t *end = p + run.n * TS_PACKET;

	for (; p < end; p += TS_PACKET)
		feed_packet(m, p, now_ns);
}

/* Ends a silence, which is a fault of its own: what it has delayed is no fault
 * (TR 101 290 5.2.1: after sync was lost, other indications are not valid). */
__attribute__((noinline)) static void resume(struct monitor *m, uint64_t now_ns)
{
	m->silent = false;
	m->tables_ns = now_ns;
	for (size_t i = 0; i < m->pids.n; i++) {
		struct pid_stats *s = &m->pids.list[i];

		s->last_ns = s->pts_ns = s->pts_moved_ns = now_ns;
		if (s->table_ns != 0)
			s->table_ns = now_ns;
	}
	si_watch_resume(&m->si, now_ns);
	for (size_t i = 0; i < m->n_pcrs; i++)
		pcr_check_resume(&m->pcrs[i].check, now_ns);
}

uint32_t monitor_feed(struct monitor *m, const struct ts_run *runs,
		      size_t n_runs, const struct ts_skips *skips,
		      uint64_t now_ns)
{
	uint32_t before = m->faults[ALARM_CC] + m->damaged;

	if (m->silent)
		resume(m, now_ns);
	if (m->fed_ns != now_ns)
		m->before_ns = m->fed_ns;
	m->fed_ns = now_ns;
	m->gap_ns = 0;
	if (psi_changes(m->psi) != m->psi_changes)
		classify(m, now_ns);
	for (size_t i = 0; i < n_runs; i++) {
		const uint32_t *skipped =
			skips != NULL ? ts_skips_of(skips, runs[i]) : NULL;

		if (skips != NULL && skipped == NULL && !m->unplaced) {
			m->unplaced = true;
			tstd_rest(m);
		}
		if (skipped == NULL) {
			feed_run(m, runs[i], now_ns);
			continue;
		}
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			m->packets += skipped[k];
			m->skipped += skipped[k];
			feed_run(m, (struct ts_run){ p, 1 }, now_ns);
		}
	}
	return m->faults[ALARM_CC] + m->damaged - before;
}

uint64_t monitor_gap_ns(const struct monitor *m)
{
	return m->gap_ns;
}

void monitor_warm(const struct monitor *m, struct prefetch *w)
{
	prefetch_add(w, m, offsetof(struct monitor, pids.index));
	for (size_t i = 0; i < m->pids.n && i < WARM_PIDS; i++) {
		const struct pid_stats *s = &m->pids.list[i];

		prefetch_add(w, &m->pids.index[s->pid], 1);
		prefetch_add(w, s, offsetof(struct pid_stats, pts));
	}
}

bool monitor_second(struct monitor *m, const struct monitor_counts *counts,
		    uint64_t now_ns, uint64_t wall_ms)
{
	bool silent = m->second_packets == 0, changed = false;

	cc_every_second(&m->cc);
	m->faults[ALARM_SYNC_LOSS] += counts->sync_losses;
	m->faults[ALARM_SYNC_BYTE] += counts->bad_sync;
	m->sync_errors += counts->bad_sync;
	m->faults[ALARM_NETWORK_LOSS] += counts->network_lost;
	m->faults[ALARM_SOCKET_LOSS] += counts->socket_dropped;
	m->faults[ALARM_TWO_SENDERS] += counts->senders > 1;
	m->faults[ALARM_UNPROTECTED] += counts->unprotected;
	m->faults[ALARM_UNPLAYABLE] += counts->unplayable;
	if (silent) {
		forget_second(m);
		m->faults[ALARM_SYNC_LOSS]++;
	} else {
		/* at fed_ns, because a silence may have begun since then */
		monitor_judge(m, m->fed_ns);
	}
	m->silent = silent;
	for (size_t i = 0; i < ALARM_COUNT; i++)
		if (!silent || m->faults[i] > 0)
			changed |= alarm_second(&m->alarms[i], m->faults[i],
						wall_ms);
	memset(m->faults, 0, sizeof m->faults);
	m->unplaced = false;

	for (size_t i = 0; i < m->pids.n; i++) {
		struct pid_stats *s = &m->pids.list[i];

		s->last_packets = s->packets;
		s->last_pts_gap_ns = s->pts_gap_ns;
		s->all_packets += s->packets;
		s->all_scrambled += s->scrambled;
		s->packets = s->scrambled = 0;
		s->pts_gap_ns = 0;
		s->pes_errors_before = s->pes_errors;
	}
	m->rates = (struct monitor_rates){
		.packets = m->second_packets,
		.null_packets = m->null_packets,
		.ns = now_ns - m->second_ns,
	};
	m->all_null_packets += m->null_packets;
	m->second_packets = m->null_packets = m->scrambled = m->damaged = 0;
	m->second_ns = now_ns;
	m->broken_before = broken_sections(m);
	return changed;
}

void monitor_counted(const struct monitor *m, struct analyze_counts *ret)
{
	*ret = (struct analyze_counts){
		.packets = m->second_packets,
		.null_packets = m->null_packets,
		.cc_errors = m->faults[ALARM_CC],
		.scrambled_packets = m->scrambled,
		/* true if PIDs may have no record: then it is unknown */
		.av = m->pids.n == PID_STATS_MAX,
		.av_scrambled = m->faults[ALARM_SCRAMBLED] > 0,
		.tei = m->faults[ALARM_TRANSPORT],
		.damaged = m->damaged,
		.psi_errors = broken_sections(m) - m->broken_before,
	};
	for (size_t i = 0; i < m->pids.n; i++) {
		const struct pid_stats *s = &m->pids.list[i];
		uint32_t n = s->pes_errors - s->pes_errors_before;

		if (s->class != PID_VIDEO && s->class != PID_AUDIO)
			continue;
		ret->av |= s->packets > 0;
		ret->pes_errors += n;
		ret->pes_bad |= n > ANALYZE_PES_ERRORS;
	}
}

const struct psi *monitor_psi(const struct monitor *m)
{
	return m->psi;
}

const struct alarm *monitor_alarms(const struct monitor *m)
{
	return m->alarms;
}
