/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/splice/switch_point.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/splice/clock.h"
#include "worker/ts/fifo.h"
#include "worker/ts/pcr.h"
#include "worker/ts/rap.h"

#include <stdlib.h>

struct switch_point {
	const struct psi *psi;
	struct psi *own_psi; /* NULL: another stage feeds psi */
	uint32_t changes;   /* psi_changes() at the last look at psi */
	uint16_t pcr_pid;   /* PID whose PCRs are measured in phase */
	uint8_t n_phase;    /* number of measurements in phase */
	uint64_t phase;
	bool has_pcr;       /* pcr is the last one of this feed */
	uint64_t pcr;
	bool fed;
	bool wanted;
	bool waits;         /* since_ns is valid */
	/* the last point found is no random access point; blind: and the source
	 * has shown none */
	bool late, blind;
	bool shows;         /* the source has shown one */
	uint64_t since_ns;
	uint64_t wait_ns;
	struct rap rap;
	/* a picture that is not decided, and all packets behind it */
	bool holds;
	struct fifo held;
};

/* The place of a packet in the runs of a feed. */
struct place {
	size_t run, packet;
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
	*e = (struct switch_point){ .psi = e->psi, .own_psi = e->own_psi,
				    .held = e->held, .pcr_pid = TS_PID_NULL };
}

void switch_point_want(struct switch_point *e, unsigned wait_ms,
			uint64_t now_ns)
{
	e->wanted = true;
	e->waits = e->fed;
	e->since_ns = now_ns;
	e->wait_ns = wait_ms * MS;
}

void switch_point_set_wait(struct switch_point *e, unsigned wait_ms)
{
	e->wait_ns = wait_ms * MS;
}

void switch_point_cancel(struct switch_point *e)
{
	e->wanted = e->holds = false;
}

/* The clock is that of the main program. */
static void follow_tables(struct switch_point *e)
{
	const struct psi_program *main;

	if (psi_changes(e->psi) == e->changes)
		return;
	e->changes = psi_changes(e->psi);
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
	rap_follow(&e->rap, pid, psi_stream_type(e->psi, pid),
		   psi_class(e->psi, pid));
	return rap_feed(&e->rap, p);
}

/* Are tables and clock of the source known? */
static bool is_known(const struct switch_point *e)
{
	return psi_main_program(e->psi) != NULL &&
	       (e->n_phase > 0 || e->has_pcr);
}

/* Is the wait over, and the packet accepted for that? */
static bool is_late_point(const struct switch_point *e, const uint8_t *p,
			  uint64_t now_ns)
{
	uint64_t waited = now_ns - e->since_ns;
	uint64_t wait_ns = rap_is_shown(&e->rap)
				   ? e->wait_ns
				   : MIN(e->wait_ns,
					 SWITCH_POINT_BLIND_MS * MS);
	enum pid_class class = psi_class(e->psi, ts_pid(p));

	if (ts_pid(p) == TS_PID_NULL || waited < wait_ns)
		return false;
	return waited >= 2 * wait_ns ||
	       (is_known(e) && ts_pusi(p) &&
		(class == PID_VIDEO || class == PID_AUDIO));
}

/* Is the packet the switch point, or does it decide the picture at *open? */
static bool judge(struct switch_point *e, const uint8_t *p, uint64_t now_ns,
		  struct place at, struct place *open)
{
	enum rap_sign sign = look(e, p);

	e->shows |= sign == RAP_HERE || sign == RAP_YES;
	if (!e->wanted)
		return false;
	e->late = e->blind = false;
	if (e->holds && sign == RAP_YES)
		return true;
	if (sign != RAP_NONE) {
		e->holds = sign == RAP_OPEN && is_known(e);
		fifo_drop(&e->held, fifo_len(&e->held));
		*open = at;
	}
	if (sign == RAP_HERE && is_known(e))
		return true;
	if (!is_late_point(e, p, now_ns))
		return false;
	e->late = e->shows && e->rap.class == PID_VIDEO;
	e->blind = !e->shows && e->rap.class == PID_VIDEO;
	e->holds = false;
	fifo_drop(&e->held, fifo_len(&e->held));
	*open = at;
	return true;
}

/* The held packets, and the runs from a place on. */
static size_t take_from(const struct switch_point *e, const struct ts_run *runs,
			size_t n_runs, struct place from, struct ts_run *ret)
{
	size_t n = 0, held = fifo_len(&e->held) > 0;

	if (held)
		ret[n++] = fifo_run(&e->held);
	for (size_t i = from.run; i < n_runs; i++)
		ret[n++] = runs[i];
	ret[held].data += from.packet * TS_PACKET;
	ret[held].n -= from.packet;
	return n;
}

/* Keeps the picture that is not decided. */
static void hold(struct switch_point *e, const struct ts_run *runs,
		 size_t n_runs, struct place from)
{
	for (size_t i = from.run; e->holds && i < n_runs; i++) {
		struct ts_run run = runs[i];

		if (i == from.run) {
			run.data += from.packet * TS_PACKET;
			run.n -= from.packet;
		}
		e->holds = fifo_len(&e->held) + run.n <= SWITCH_POINT_HELD_MAX;
		if (e->holds)
			(void)fifo_push(&e->held, run);
	}
}

bool switch_point_feed(struct switch_point *e, const struct ts_run *runs,
		       size_t n_runs, uint64_t now_ns, struct ts_run *ret,
		       size_t *ret_n)
{
	struct place open = { 0 };
	bool found = false;

	follow_tables(e);
	if (!e->holds)
		fifo_drop(&e->held, fifo_len(&e->held));
	e->fed |= n_runs > 0;
	if (e->wanted && !e->waits && n_runs > 0) {
		e->waits = true;
		e->since_ns = now_ns;
	}
	for (size_t i = 0; i < n_runs; i++) {
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (!ts_sync_ok(p) || ts_tei(p))
				continue;
			if (psi_class(e->psi, ts_pid(p)) == PID_PSI) {
				if (e->own_psi != NULL &&
				    psi_feed(e->own_psi, p))
					follow_tables(e);
			} else if (ts_pid(p) == e->pcr_pid) {
				e->has_pcr |= ts_pcr(p, &e->pcr);
			}
			if (!judge(e, p, now_ns, (struct place){ i, k },
				   &open))
				continue;
			e->wanted = e->holds = false;
			found = true;
			*ret_n = take_from(e, runs, n_runs, open, ret);
		}
	}
	hold(e, runs, n_runs, open);
	/* Only the last PCR of a feed is measured.  Earlier PCRs may have
	 * waited, for seconds if their source hung. */
	if (e->has_pcr)
		splice_smooth(&e->phase, &e->n_phase,
			      pcr_diff(e->pcr % PCR_WRAP,
				       splice_ticks_of_ns(now_ns)));
	e->has_pcr = false;
	return found;
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
