/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assigns programs and PIDs to clocks. */
#include "worker/splice/machine.h"

#include <string.h>

enum { MAIN_CLOCK = 0 };

static bool is_gone(const struct splice *s, const struct splice_clock *c)
{
	return c->program == 0 || !psi_program_find(s->psi, c->program);
}

/* True if the PID of this clock is the PCR PID of a current program; or if the
 * clock has no program yet, but PCRs of its PID were sent. */
static bool has_pcr_pid(const struct splice *s, const struct splice_clock *c)
{
	return c->program == 0 ? c->used : !is_gone(s, c);
}

/* Returns the clock that a new program takes over: one without a program that
 * has its PCR PID.  After a cut the main program may also take over the clock
 * of a program that no longer exists.  NULL: none. */
static struct splice_clock *inherit(struct splice *s,
				    const struct psi_program *p)
{
	bool any = s->kind != SPLICE_NO_CUT && p == psi_main_program(s->psi);

	for (size_t i = 0; i < SPLICE_CLOCKS; i++) {
		struct splice_clock *c = &s->sent->clocks[i];

		if (c->used && c->program == 0 && c->pid == p->pcr_pid)
			return c;
	}
	for (size_t i = 0; any && i < SPLICE_CLOCKS; i++) {
		struct splice_clock *c = &s->sent->clocks[i];

		if (c->used && is_gone(s, c))
			return c;
	}
	return NULL;
}

static struct splice_clock *find_free(struct splice *s)
{
	for (size_t i = 0; i < SPLICE_CLOCKS; i++) {
		struct splice_clock *c = &s->sent->clocks[i];

		if (!c->used && c->program == 0)
			return c;
	}
	/* a clock that was kept in case its program returns */
	for (size_t i = 0; i < SPLICE_CLOCKS; i++) {
		struct splice_clock *c = &s->sent->clocks[i];

		if (is_gone(s, c)) {
			*c = (struct splice_clock){ 0 };
			return c;
		}
	}
	return NULL;
}

static struct splice_clock *choose_clock(struct splice *s,
					 const struct psi_program *p)
{
	struct splice_clock *clocks = s->sent->clocks, *c;

	for (size_t i = 0; i < SPLICE_CLOCKS; i++)
		if (clocks[i].program == p->number)
			return &clocks[i];
	/* the clock of another program with the same PCR PID */
	for (size_t i = 0; i < SPLICE_CLOCKS; i++)
		if (clocks[i].pid == p->pcr_pid && !is_gone(s, &clocks[i]))
			return &clocks[i];
	c = inherit(s, p);
	return c != NULL ? c : find_free(s);
}

static void name_pid(struct splice_pid *ps, uint8_t clock)
{
	ps->clock = clock & (SPLICE_CLOCKS - 1U);
	ps->unlisted = 0;
}

static void take_program(struct splice *s, const struct psi_program *p)
{
	struct splice_clock *c;
	struct pmt pmt;

	if (p->pmt.data == NULL ||
	    pmt_decode(p->pmt.data, p->pmt.len, &pmt) < 0)
		return;
	c = choose_clock(s, p);
	if (c == NULL)
		return;
	if (c->program == p->number || c->program == 0 || is_gone(s, c)) {
		c->program = p->number;
		c->pid = p->pcr_pid;
	}

	uint8_t index = (uint8_t)(c - s->sent->clocks);

	name_pid(&s->pids[pmt.pcr_pid], index);
	for (size_t i = 0; i < pmt.n_streams; i++)
		name_pid(&s->pids[pmt.streams[i].pid], index);
}

void splice_programs_renew(struct splice *s)
{
	const struct psi_program *programs;
	const struct psi_program *main = psi_main_program(s->psi);
	size_t n = psi_programs(s->psi, &programs);

	/* the main one first: it may take over the clock of another one */
	if (main != NULL)
		take_program(s, main);
	for (size_t i = 0; i < n; i++)
		if (&programs[i] != main)
			take_program(s, &programs[i]);
	for (size_t i = 0; i < SPLICE_TRACKS; i++) {
		struct splice_track *t = &s->sent->tracks[i];
		uint8_t clock = s->pids[t->pid].clock;

		/* the lead was measured against another clock */
		if (t->clock != clock)
			s->units[i].lead = SPLICE_LEAD_UNKNOWN;
		t->clock = clock;
	}
	s->renewed_ns = s->now_ns;

	/* Notes the PIDs that had packets since the cut and that no table
	 * names.  Tables may change with each packet, so the clocks are
	 * searched only once for all PIDs. */
	for (unsigned pid = 0; pid < TS_PIDS; pid++)
		s->pids[pid].former = s->pids[pid].cut == s->cut &&
				      psi_class(s->psi, (uint16_t)pid) ==
					      PID_UNKNOWN;
	for (size_t i = 0; i < SPLICE_CLOCKS; i++)
		if (has_pcr_pid(s, &s->sent->clocks[i]))
			s->pids[s->sent->clocks[i].pid].former = 0;
}

bool splice_is_named(const struct splice *s, uint16_t pid)
{
	if (psi_class(s->psi, pid) != PID_UNKNOWN)
		return true;
	for (size_t i = 0; i < SPLICE_CLOCKS; i++) {
		const struct splice_clock *c = &s->sent->clocks[i];

		if (c->pid == pid && has_pcr_pid(s, c))
			return true;
	}
	return false;
}

int splice_clock_of_pcr(struct splice *s, uint16_t pid)
{
	for (int i = 0; i < SPLICE_CLOCKS; i++) {
		const struct splice_clock *c = &s->sent->clocks[i];

		if (c->pid == pid && (c->used || c->program != 0))
			return i;
	}
	if (psi_has_pmt(s->psi))
		return -1;
	/* without tables the first PID with PCRs is the clock */
	for (size_t i = 0; i < SPLICE_CLOCKS; i++)
		if (s->sent->clocks[i].used ||
		    s->sent->clocks[i].program != 0)
			return -1;
	s->sent->clocks[MAIN_CLOCK].pid = pid;
	return MAIN_CLOCK;
}
