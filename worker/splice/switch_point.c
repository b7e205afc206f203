/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/splice/switch_point.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/splice/clock.h"
#include "worker/ts/fifo.h"
#include "worker/ts/pcr.h"
#include "worker/ts/rap.h"

#include <stdlib.h>

/* A packet that begins a random access point or a picture that may be one.  It
 * is held, or will be at the end of the feed. */
struct mark {
	bool set;
	size_t at;   /* its index, counted from the first held packet */
	uint64_t ns; /* time of its arrival */
};

struct switch_point {
	const struct psi *psi;
	struct psi *own_psi; /* psi that this struct owns and feeds; NULL:
			      * another stage feeds psi */
	uint32_t changes;   /* psi_changes() at the last look at psi */
	uint16_t pcr_pid;   /* PID whose PCRs are measured in phase */
	uint8_t n_phase;    /* number of measurements in phase */
	uint64_t phase;     /* 27 MHz: lead of the PCRs over the time */
	bool has_pcr;       /* pcr is the last PCR of this feed */
	uint64_t pcr;
	bool fed;           /* packets were fed since the last reset */
	bool wanted;        /* the search is on: switch_point_want() */
	bool waits;         /* since_ns is valid */
	/* The switch point that was found is no random access point.  late: the
	 * source has shown some before; blind: it has shown none. */
	bool late, blind;
	bool shows;         /* the source has shown a random access point */
	uint64_t since_ns;  /* start of the wait */
	uint64_t wait_ns;   /* allowed length of the wait */
	uint64_t past_ns;   /* random access points since then are accepted */
	uint64_t main_ns;   /* time of the last payload of the main PID; 0:
			     * none */
	struct rap rap;
	/* packets of earlier feeds, from the earlier one of the marks on */
	struct fifo held;
	struct mark past;   /* the last random access point */
	struct mark open;   /* a picture of which only later packets can show
			     * whether it is a random access point */
	bool takes_held;    /* the switch point that was found is in held */
};

struct switch_point *switch_point_new(const struct psi *psi)
{
	struct switch_point *e = xcalloc(1, sizeof *e);

	if (psi == NULL)
		psi = e->own_psi = psi_new();
	e->psi = psi;
	e->pcr_pid = TS_PID_NULL;
	e->held.max = SWITCH_POINT_HELD_MAX;
	return e;
}

void switch_point_free(struct switch_point **e)
{
	if (*e != NULL) {
		psi_free(&(*e)->own_psi);
		fifo_done(&(*e)->held);
	}
	free(*e);
	*e = NULL;
}

void switch_point_reset(struct switch_point *e)
{
	if (e->own_psi != NULL)
		psi_reset(e->own_psi);
	fifo_drop(&e->held, fifo_len(&e->held));
	fifo_trim(&e->held);
	*e = (struct switch_point){ .psi = e->psi, .own_psi = e->own_psi,
				    .held = e->held, .pcr_pid = TS_PID_NULL };
}

void switch_point_interrupt(struct switch_point *e, bool shows)
{
	shows |= e->shows;
	switch_point_reset(e);
	e->shows = shows;
}

void switch_point_want(struct switch_point *e, unsigned wait_ms,
			uint64_t now_ns)
{
	e->wanted = true;
	e->waits = e->fed;
	e->since_ns = now_ns;
	e->wait_ns = wait_ms * MS;
	e->past_ns = now_ns;
}

void switch_point_set_past(struct switch_point *e, uint64_t past_ns)
{
	e->past_ns = past_ns;
}

void switch_point_set_wait(struct switch_point *e, unsigned wait_ms)
{
	e->wait_ns = wait_ms * MS;
}

void switch_point_cancel(struct switch_point *e)
{
	e->wanted = false;
}

/* After a change of the tables: measures the PCRs of the new main program. */
static void follow_tables(struct switch_point *e)
{
	const struct psi_program *main;

	if (psi_changes(e->psi) == e->changes)
		return;
	e->changes = psi_changes(e->psi);
	/* the marks may be on PIDs that the new tables do not name */
	e->past.set = e->open.set = false;
	main = psi_main_program(e->psi);
	if (main == NULL || main->pcr_pid == e->pcr_pid)
		return;
	e->pcr_pid = main->pcr_pid;
	e->n_phase = 0;
	e->has_pcr = false;
}

static enum rap_sign look(struct switch_point *e, const uint8_t *p)
{
	uint16_t pid = ts_pid(p);

	if (pid != psi_main_pid(e->psi))
		return RAP_NONE;
	rap_follow(&e->rap, pid, psi_coding(e->psi, pid),
		   psi_class(e->psi, pid));
	return rap_feed(&e->rap, p);
}

static bool shows_rap(enum rap_sign sign)
{
	return sign == RAP_HERE || sign == RAP_YES;
}

/* Are tables and clock of the source known? */
static bool is_known(const struct switch_point *e)
{
	return psi_main_program(e->psi) != NULL &&
	       (e->n_phase > 0 || e->has_pcr);
}

/* Is the wait over, so that this packet is accepted as the switch point? */
static bool is_late_point(const struct switch_point *e, const uint8_t *p,
			  uint64_t now_ns)
{
	uint64_t waited = now_ns - e->since_ns;
	uint64_t silent = now_ns - MAX(e->since_ns, e->main_ns);
	uint64_t usual_ns = MAX(e->wait_ns, SWITCH_POINT_WAIT_MS * MS);
	uint64_t wait_ns = rap_is_shown(&e->rap)
				   ? e->wait_ns
				   : MIN(e->wait_ns,
					 SWITCH_POINT_BLIND_MS * MS);
	enum pid_class class = psi_class(e->psi, ts_pid(p));

	/* the PMT lists a video that is not sent */
	if (silent >= SWITCH_POINT_WAIT_MS * MS)
		wait_ns = MIN(wait_ns, SWITCH_POINT_WAIT_MS * MS);
	/* If the source has shown no random access point, its pictures would be
	 * sent at once, before it can show one. */
	if (!e->shows)
		wait_ns = MAX(wait_ns, SWITCH_POINT_WAIT_MS * MS);
	if (ts_pid(p) == TS_PID_NULL || waited < wait_ns)
		return false;
	return waited >= 2 * usual_ns ||
	       (is_known(e) && ts_pusi(p) &&
		(class == PID_VIDEO || class == PID_AUDIO));
}

/* Notes in past a random access point, and in open a picture that may be one.
 * True: `past' is new, and tables and a PCR of the source are known. */
static bool note(struct switch_point *e, enum rap_sign sign, struct mark here)
{
	bool named = psi_main_program(e->psi) != NULL;

	e->shows |= shows_rap(sign);
	/* is the rest of the picture too far away to wait for it? */
	if (sign == RAP_NONE && e->open.set &&
	    here.at - e->open.at >= SWITCH_POINT_HELD_MAX - 1)
		sign = rap_is_marked(&e->rap) ? RAP_YES : RAP_NO;
	if (sign == RAP_HERE && named) {
		e->past = here;
		e->open.set = false;
		return is_known(e);
	}
	if (sign == RAP_YES && e->open.set) {
		e->past = e->open;
		e->open.set = false;
		return is_known(e);
	}
	if (sign == RAP_NONE)
		return false;
	e->open = here;
	e->open.set = sign == RAP_OPEN && named;
	return false;
}

/* True if this packet is the switch point, or shows that an earlier one is.
 * Writes the index of the switch point. */
static bool judge(struct switch_point *e, const uint8_t *p, struct mark here,
		  size_t *ret_at)
{
	enum rap_sign sign = look(e, p);
	bool is_main = ts_has_payload(p) &&
		       ts_pid(p) == psi_main_pid(e->psi);
	bool found = note(e, sign, here) && e->past.ns >= e->past_ns;

	if (is_main)
		e->main_ns = here.ns;
	if (!e->wanted)
		return false;
	e->late = e->blind = false;
	*ret_at = e->past.at;
	if (found)
		return true;
	if (!is_late_point(e, p, here.ns))
		return false;
	e->late = e->shows && e->rap.class == PID_VIDEO;
	e->blind = !e->shows && e->rap.class == PID_VIDEO;
	*ret_at = here.at;
	return true;
}

/* Writes to ret the held packets and the runs, from the packet with the index
 * `at' on.  Returns the number of runs written. */
static size_t take_from(struct switch_point *e, const struct ts_run *runs,
			size_t n_runs, size_t at, struct ts_run *ret)
{
	struct ts_run held = fifo_run(&e->held);
	size_t n = 0;

	e->takes_held = at < held.n;
	if (e->takes_held) {
		held.data += at * TS_PACKET;
		held.n -= at;
		ret[n++] = held;
		at = 0;
	} else {
		at -= held.n;
	}
	for (size_t i = 0; i < n_runs; i++) {
		struct ts_run run = runs[i];
		size_t skip = at < run.n ? at : run.n;

		at -= skip;
		run.data += skip * TS_PACKET;
		run.n -= skip;
		if (run.n > 0)
			ret[n++] = run;
	}
	return n;
}

static size_t first_mark(const struct switch_point *e)
{
	size_t past = e->past.set ? e->past.at : SIZE_MAX;
	size_t open = e->open.set ? e->open.at : SIZE_MAX;

	return MIN(past, open);
}

/* Keeps the packets from the first mark on.  end: the index behind the last
 * packet of the runs. */
static void hold(struct switch_point *e, const struct ts_run *runs,
		 size_t n_runs, size_t end)
{
	size_t first = first_mark(e), skip, dropped;

	if (first != SIZE_MAX && end - first > SWITCH_POINT_HELD_MAX)
		e->past.set = false;
	first = first_mark(e);
	if (first != SIZE_MAX && end - first > SWITCH_POINT_HELD_MAX)
		e->open.set = false;
	first = MIN(first_mark(e), end);
	dropped = MIN(first, fifo_len(&e->held));
	fifo_drop(&e->held, dropped);
	e->past.at -= first;
	e->open.at -= first;
	skip = first - dropped;
	for (size_t i = 0; i < n_runs; i++) {
		struct ts_run run = runs[i];
		size_t n = MIN(skip, run.n);

		skip -= n;
		run.data += n * TS_PACKET;
		run.n -= n;
		if (run.n > 0)
			(void)fifo_push(&e->held, run);
	}
}

/* Reads the tables and the PCR in a packet. */
static void follow_packet(struct switch_point *e, const uint8_t *p)
{
	if (psi_class(e->psi, ts_pid(p)) == PID_PSI) {
		if (e->own_psi != NULL && psi_feed(e->own_psi, p))
			follow_tables(e);
	} else if (ts_pid(p) == e->pcr_pid) {
		e->has_pcr |= ts_pcr(p, &e->pcr);
	}
}

bool switch_point_feed(struct switch_point *e, const struct ts_run *runs,
		       size_t n_runs, uint64_t now_ns, struct ts_run *ret,
		       size_t *ret_n)
{
	struct mark here = { .set = true, .ns = now_ns };
	size_t at = 0;
	bool found;

	follow_tables(e);
	e->past.set = e->past.set &&
		      now_ns - e->past.ns <= SWITCH_POINT_PAST_MS * MS;
	e->fed |= n_runs > 0;
	if (e->wanted && !e->waits && n_runs > 0) {
		e->waits = true;
		e->since_ns = now_ns;
	}
	here.at = fifo_len(&e->held);
	found = e->wanted && e->past.set && e->past.ns >= e->past_ns &&
		is_known(e);
	if (found) {
		at = e->past.at;
		e->late = e->blind = false;
	}
	for (size_t i = 0; i < n_runs; i++) {
		for (size_t k = 0; k < runs[i].n; k++, here.at++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (!ts_sync_ok(p) || ts_tei(p))
				continue;
			follow_packet(e, p);
			if (found)
				(void)look(e, p);
			else
				found = judge(e, p, here, &at);
		}
	}
	if (found) {
		*ret_n = take_from(e, runs, n_runs, at, ret);
		/* the held packets stay until the next feed */
		e->wanted = e->past.set = e->open.set = false;
	} else {
		hold(e, runs, n_runs, here.at);
	}
	/* Only the last PCR of a feed is measured, because earlier PCRs may
	 * have been delayed, for seconds if their source hung. */
	if (e->has_pcr)
		splice_smooth(&e->phase, &e->n_phase,
			      pcr_diff(e->pcr % PCR_WRAP,
				       splice_ticks_of_ns(now_ns)));
	e->has_pcr = false;
	return found;
}

bool switch_point_watch(struct switch_point *e, const struct ts_run *runs,
			size_t n_runs)
{
	for (size_t i = 0; !e->shows && i < n_runs; i++) {
		for (size_t k = 0; !e->shows && k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (ts_sync_ok(p) && !ts_tei(p))
				e->shows = shows_rap(look(e, p));
		}
	}
	return e->shows;
}

bool switch_point_is_held(const struct switch_point *e)
{
	return e->takes_held;
}

void switch_point_shift(struct switch_point *e, uint64_t from_ns,
			uint64_t to_ns)
{
	e->phase = (e->phase + pcr_diff(splice_ticks_of_ns(from_ns),
					splice_ticks_of_ns(to_ns))) %
		   PCR_WRAP;
}

bool switch_point_is_late(const struct switch_point *e)
{
	return e->late;
}

bool switch_point_is_blind(const struct switch_point *e)
{
	return e->blind;
}

const struct psi *switch_point_psi(const struct switch_point *e)
{
	return e->psi;
}

bool switch_point_phase(const struct switch_point *e, uint16_t *ret_program,
			uint64_t *ret_phase)
{
	const struct psi_program *main = psi_main_program(e->psi);

	if (main == NULL || e->n_phase == 0)
		return false;
	*ret_program = main->number;
	*ret_phase = e->phase;
	return true;
}
