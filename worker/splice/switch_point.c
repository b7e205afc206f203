/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/splice/switch_point.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/splice/clock.h"
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
	uint64_t since_ns;
	uint64_t wait_ns;
};

struct switch_point *switch_point_new(const struct psi *psi)
{
	struct switch_point *e = xcalloc(1, sizeof *e);

	if (psi == NULL)
		psi = e->own_psi = psi_new();
	e->psi = psi;
	e->pcr_pid = TS_PID_NULL;
	return e;
}

void switch_point_free(struct switch_point **e)
{
	if (*e != NULL)
		psi_free(&(*e)->own_psi);
	free(*e);
	*e = NULL;
}

void switch_point_reset(struct switch_point *e)
{
	if (e->own_psi != NULL)
		psi_reset(e->own_psi);
	*e = (struct switch_point){ .psi = e->psi, .own_psi = e->own_psi,
				    .pcr_pid = TS_PID_NULL };
}

void switch_point_want(struct switch_point *e, unsigned wait_ms,
			uint64_t now_ns)
{
	e->wanted = true;
	e->waits = e->fed;
	e->since_ns = now_ns;
	e->wait_ns = wait_ms * MS;
}

void switch_point_cancel(struct switch_point *e)
{
	e->wanted = false;
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

static bool is_switch_point(const struct switch_point *e, const uint8_t *p,
		     uint64_t now_ns)
{
	uint64_t waited = now_ns - e->since_ns;
	uint16_t pid = ts_pid(p);
	bool known = psi_main_program(e->psi) != NULL &&
		     (e->n_phase > 0 || e->has_pcr);

	if (pid == TS_PID_NULL)
		return false;
	if (waited >= 2 * e->wait_ns)
		return true;
	if (!known || !ts_pusi(p))
		return false;
	if (pid == psi_main_pid(e->psi) &&
	    rap_is_start(p, psi_stream_type(e->psi, pid),
			 psi_class(e->psi, pid)))
		return true;

	enum pid_class class = psi_class(e->psi, pid);

	return waited >= e->wait_ns &&
	       (class == PID_VIDEO || class == PID_AUDIO);
}

bool switch_point_feed(struct switch_point *e, const struct ts_run *runs,
		       size_t n_runs, uint64_t now_ns, struct ts_run *ret,
		       size_t *ret_n)
{
	bool found = false;

	follow_tables(e);
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
			if (!e->wanted || !is_switch_point(e, p, now_ns))
				continue;
			e->wanted = false;
			found = true;
			*ret_n = n_runs - i;
			for (size_t r = i; r < n_runs; r++)
				ret[r - i] = runs[r];
			ret[0].data += k * TS_PACKET;
			ret[0].n -= k;
		}
	}
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
