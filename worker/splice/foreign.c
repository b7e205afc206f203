/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether packets of PIDs that no table names are of another source:
 * by their clocks and by the tables that come with them. */
#include "worker/splice/machine.h"

#include "common/base/util.h"
#include "worker/ts/pat.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pmt.h"
#include "worker/ts/section.h"

#include <string.h>

enum {
	TABLE_HEADER = 3, /* bytes from table_id to section_length */
	PAT_HEADER = 8,
	PAT_ENTRY = 4,
	CURRENT = 1, /* current_next_indicator */
	PMT_PCR = 8, /* offset of PCR_PID */
};

static unsigned read_u16(const uint8_t *p)
{
	return (unsigned)(p[0] << 8 | p[1]);
}

/* Is this PAT that of another source?  Not if transport_stream_id is the same
 * and a known program has its PMT PID still: a source that adds or removes
 * programs keeps the PMT PIDs of the other programs. */
static bool is_other_pat(const struct splice *s, const uint8_t *known,
			 const uint8_t *section, const uint8_t *end)
{
	size_t len = TABLE_HEADER + ((size_t)read_u16(section + 1) & 0xfff);

	if (read_u16(section + 3) != read_u16(known + 3))
		return true;
	for (const uint8_t *p = section + PAT_HEADER;
	     p + PAT_ENTRY <= end && p < section + len; p += PAT_ENTRY) {
		const struct psi_program *program =
			psi_program_find(s->psi, (uint16_t)read_u16(p));

		if (program != NULL &&
		    program->pmt_pid == (read_u16(p + 2) & 0x1fff))
			return false;
	}
	return true;
}

bool splice_is_other_table(const struct splice *s, const uint8_t *p)
{
	const struct psi_section *pat;
	const struct psi_program *program;
	const uint8_t *section, *known;
	size_t here, n;

	if (psi_class(s->psi, ts_pid(p)) != PID_PSI || ts_tei(p) ||
	    !splice_has_gap(s, p))
		return false;
	here = section_first(p, &section);
	if (here < PMT_PCR + 2)
		return false;
	/* a table that is not in force yet is announced by the same source */
	if (!(section[5] & CURRENT))
		return false;
	if (section_table_id(section) == PAT_TABLE_ID) {
		n = psi_pat(s->psi, &pat);
		if (section[6] >= n)
			return false;
		pat += section[6];
		return memcmp(section, pat->data, MIN(pat->len, here)) != 0 &&
		       is_other_pat(s, pat->data, section, p + TS_PACKET);
	}
	if (section_table_id(section) != PMT_TABLE_ID)
		return false;
	program = psi_program_find(s->psi, (uint16_t)read_u16(section + 3));
	known = program != NULL ? program->pmt.data : NULL;
	/* While the PCR PID is the same, the PCRs on it decide.  A program
	 * without PCRs has no clock that another source could disturb. */
	return known != NULL && (read_u16(section + PMT_PCR) & 0x1fff) !=
					(read_u16(known + PMT_PCR) & 0x1fff);
}

/* Had the PID packets when the tables changed a short time ago, although the
 * new tables do not list it?  A multiplexer sends new tables before its PIDs
 * change. */
static bool is_former(const struct splice *s, const struct splice_pid *ps)
{
	return ps->former && ps->cut == s->cut &&
	       s->now_ns - s->renewed_ns <
		       SPLICE_FORMER_MS * (uint64_t)SPLICE_MS;
}

/* Is it the first packet with a time stamp on a PID that no table names?  unit:
 * the packet, or a copy with the whole header of its PES. */
static bool is_foreign(const struct splice *s, const uint8_t *p,
		       const uint8_t *unit)
{
	const struct splice_pid *ps = &s->pids[ts_pid(p)];
	struct pes_times at;
	uint64_t pcr;

	return psi_class(s->psi, ts_pid(p)) == PID_UNKNOWN && !ps->unlisted &&
	       !is_former(s, ps) && s->sent->clocks[ps->clock].used &&
	       (ts_pcr(p, &pcr) || pes_times(unit, &at)) &&
	       psi_has_pmt(s->psi) && !splice_is_named(s, ts_pid(p));
}

/* Returns the clock, advanced to the last PCR that went out on a PID that no
 * table names. */
static struct splice_clock behind_unlisted(const struct splice *s, size_t clock)
{
	struct splice_clock c = s->sent->clocks[clock];
	const struct splice_unlisted *u = &s->unlisted[clock];

	if (u->set && c.used && wrap_diff(u->pcr, c.pcr, PCR_WRAP) > 0) {
		c.pcr = u->pcr;
		c.at_ns = u->at.ns;
		c.at_packets = u->at.packets;
	}
	return c;
}

static bool is_continued(const struct splice *s, size_t clock, uint64_t pcr)
{
	const struct splice_clock c = behind_unlisted(s, clock);

	return c.used && splice_is_settled(s, clock) &&
	       splice_clock_is_near(&c, pcr, s->now_ns) &&
	       splice_clock_judge(&c, &s->watches[clock],
				  (struct splice_reading){ .pcr = pcr },
				  s->now_ns) == SPLICE_PCR_GOOD;
}

/* The clock that a PCR on a PID that no table names continues, as if it were
 * the next one of that clock: the source has moved its PIDs.  -1: none. */
static int continued(const struct splice *s, const uint8_t *p, uint64_t pcr)
{
	size_t own = s->pids[ts_pid(p)].clock;

	if (is_continued(s, own, pcr))
		return (int)own;
	for (size_t i = 0; i < SPLICE_CLOCKS; i++)
		if (is_continued(s, i, pcr))
			return (int)i;
	return -1;
}

void splice_note_unlisted(struct splice *s, const uint8_t *p, uint64_t pcr)
{
	size_t i = s->pids[ts_pid(p)].clock;
	const struct splice_clock *c = &s->sent->clocks[i];

	if (is_continued(s, i, pcr))
		s->unlisted[i] = (struct splice_unlisted){
			.set = true,
			.pcr = (pcr + c->offset * PCR_PER_TICK) % PCR_WRAP,
			.at = splice_moment(s),
		};
}

void splice_follow_unlisted(struct splice *s)
{
	for (size_t i = 0; i < SPLICE_CLOCKS; i++) {
		if (!s->unlisted[i].set)
			continue;
		s->sent->clocks[i] = behind_unlisted(s, i);
		s->unlisted[i].set = false;
	}
}

bool splice_shows_source(const struct splice *s, const uint8_t *p)
{
	uint64_t pcr;

	if (!ts_sync_ok(p) || ts_tei(p))
		return false;
	return (ts_pcr(p, &pcr) && (splice_is_named(s, ts_pid(p)) ||
				    continued(s, p, pcr) >= 0)) ||
	       splice_is_other_table(s, p);
}

static void note_move(struct splice *s, const uint8_t *p, uint64_t pcr)
{
	const int clock = continued(s, p, pcr);
	struct splice_move *m = &s->move;

	/* PCRs on a second PID that a table names are no move */
	if (clock < 0 || splice_is_named(s, ts_pid(p)))
		return;
	m->at_ns = s->now_ns;
	m->clock = (size_t)clock;
	m->from = s->sent->clocks[clock].pid;
	m->pcr = s->sent->clocks[clock].pcr;
	for (size_t i = 0; i < TS_PIDS; i++)
		m->cc[i] = s->pids[i].cc;
}

/* Decides by the first packet, from the foreign packet at the cursor on, that
 * shows the source.  The result is stored for the foreign packets behind it, so
 * that many of them take little time. */
static enum splice_sign read_on(struct splice *s, struct splice_cursor c)
{
	if (s->no_sign)
		return SPLICE_UNDECIDED;
	do {
		const uint8_t *p = splice_cursor_get(&c);
		uint64_t pcr;
		int i;

		if (!splice_shows_source(s, p))
			continue;
		if (!ts_pcr(p, &pcr))
			return SPLICE_CUTS;
		i = splice_clock_of_pcr(s, ts_pid(p));
		if (i >= 0 && splice_jumps_ahead(s, (size_t)i, pcr))
			return SPLICE_CUTS;
		s->known_to = c.index;
		if (i < 0 && !s->pids[ts_pid(p)].unlisted)
			note_move(s, p, pcr);
		return SPLICE_CONTINUES;
	} while (splice_cursor_next(&c));
	s->no_sign = true;
	return SPLICE_UNDECIDED;
}

/*
 * Called when no held packet shows the source.  True if a PES or PCR on a PID
 * that no table names does not match its clock, while no known PID continues.
 * Only the first packet with payload of a known PID is examined: its PID
 * continues if its counter is the expected one.
 */
static bool is_alone(struct splice *s, const uint8_t *unit,
		     struct splice_cursor c)
{
	const bool strange = splice_unit_is_strange(s, unit);
	bool known = false, other = false;
	uint64_t pcr;

	if (c.index < s->joined_to || (!strange && s->no_other_clock))
		return false;
	do {
		const uint8_t *p = splice_cursor_get(&c);
		enum pid_class class = psi_class(s->psi, ts_pid(p));

		if (!ts_sync_ok(p) || ts_tei(p) || class == PID_PSI)
			continue;
		if (class == PID_UNKNOWN) {
			other = other || (ts_pcr(p, &pcr) &&
					  continued(s, p, pcr) < 0);
		} else if (!known && ts_has_payload(p)) {
			known = true;
			if (!splice_has_gap(s, p)) {
				s->joined_to = c.index;
				return false;
			}
		}
	} while (splice_cursor_next(&c));
	s->no_other_clock = !other;
	return strange || other;
}

/* Lets a PID pass that no table names.  The PID gets the clock that its first
 * packet continues; if there is none, it keeps its clock. */
static void admit(struct splice *s, const uint8_t *p, const uint8_t *unit)
{
	struct splice_pid *ps = &s->pids[ts_pid(p)];
	const uint8_t before = ps->clock;
	uint64_t pcr;
	int clock = ts_pcr(p, &pcr) ? continued(s, p, pcr) : -1;

	ps->unlisted = 1;
	if (clock >= 0)
		ps->clock = (unsigned)clock & (SPLICE_CLOCKS - 1U);
	if (clock >= 0 || !splice_unit_is_strange(s, unit))
		return;
	for (unsigned i = 0; i < SPLICE_CLOCKS; i++) {
		ps->clock = i & (SPLICE_CLOCKS - 1U);
		if (s->sent->clocks[i].used &&
		    !splice_unit_is_strange(s, unit))
			return;
	}
	ps->clock = before & (SPLICE_CLOCKS - 1U);
}

/* Had the PID a packet with payload since the move of the PCRs? */
static bool flows(const struct splice *s, uint16_t pid)
{
	return s->pids[pid].cc != s->move.cc[pid];
}

/* Had the old PCR PID a packet since the move of the PCRs? */
static bool stays(const struct splice *s)
{
	const struct splice_move *m = &s->move;
	const struct splice_clock *c = &s->sent->clocks[m->clock];

	return flows(s, m->from) || (c->pid == m->from && c->pcr != m->pcr);
}

bool splice_is_restarted(const struct splice *s, struct splice_cursor c)
{
	const uint64_t doubt_ns = SPLICE_DOUBT_MS * (uint64_t)SPLICE_MS;
	const uint16_t gap = ts_pid(splice_cursor_get(&c));
	/* per clock: its PCR PID has a packet at or behind the cursor */
	bool old[SPLICE_CLOCKS] = { false };
	int moved = -1;
	uint64_t pcr;

	if (s->move.at_ns != 0 && s->now_ns - s->move.at_ns < doubt_ns)
		return gap != s->move.from && !flows(s, gap) && !stays(s);
	for (unsigned i = 0; i < SPLICE_AHEAD; i++) {
		const uint8_t *p = splice_cursor_get(&c);
		const uint8_t clock = s->pids[ts_pid(p)].clock;

		if (ts_sync_ok(p) && !ts_tei(p)) {
			if (s->sent->clocks[clock].pid == ts_pid(p))
				old[clock] = true;
			if (moved < 0 && ts_pcr(p, &pcr) && is_foreign(s, p, p))
				moved = continued(s, p, pcr);
		}
		if (!splice_cursor_next(&c))
			break;
	}
	return moved >= 0 && !old[moved];
}

enum splice_sign splice_judge_foreign(struct splice *s, const uint8_t *unit,
				      const struct splice_cursor *c)
{
	const uint8_t *p = splice_cursor_get(c);
	enum splice_sign sign = SPLICE_CONTINUES;

	if (!is_foreign(s, p, unit))
		return sign;
	/* After a cut, packets are dropped until their clock is placed, and
	 * need no check. */
	if (s->n_pending == 0 && c->index >= s->known_to)
		sign = read_on(s, *c);
	if (sign == SPLICE_UNDECIDED && s->state == SPLICE_JUDGE)
		sign = is_alone(s, unit, *c) ? SPLICE_CUTS : SPLICE_CONTINUES;
	if (sign == SPLICE_CUTS)
		splice_cut_here(s, c, -1);
	else if (sign == SPLICE_CONTINUES)
		admit(s, p, unit);
	return sign;
}
