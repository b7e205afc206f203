/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derives programs, PIDs and tables of the output from the tables of the
 * source. */
#include "common/base/alloc.h"
#include "proto/spec/cas_spec.h"
#include "worker/remux/psi_build.h"
#include "worker/remux/remux_state.h"
#include "worker/remux/sdt_build.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Time after the first PAT in which the PMTs of all programs should
	 * have arrived: a PMT arrives at least every 500 ms (TR 101 290). */
	SETTLE_MS = 1000,
	/* as SETTLE_MS, if a known PMT has arrived again meanwhile */
	ROUND_MS = 550,
	SETTLE_PACKETS = 16384, /* as SETTLE_MS, in packets */
	NUMBER_END = 5, /* bytes of a PMT up to the end of program_number */
};

/* --- the programs --- */

static void update_programs(struct remux *r)
{
	const struct psi_program *list;
	size_t n = psi_programs(r->psi, &list);
	struct program *programs = xcalloc(n + 1, sizeof *programs);
	size_t n_programs = 0;

	for (size_t i = 0; i < n; i++) {
		const struct psi_section *pmt = &list[i].pmt;
		struct program *p;
		size_t old = 0;

		if (r->options.pnr != 0 && list[i].number != r->options.pnr)
			continue;
		while (old < r->n_programs &&
		       r->programs[old].number != list[i].number)
			old++;
		p = &programs[n_programs++];
		p->number = list[i].number;
		p->pmt_pid = list[i].pmt_pid;
		/* while a PMT moves to another PID, the stored PMT stays
		 * valid */
		if (old < r->n_programs) {
			p->source = r->programs[old].source;
			p->pmt = r->programs[old].pmt;
			p->pmt_out = r->programs[old].pmt_out;
		}
		if (pmt->data != NULL && pmt->len <= SECTION_PSI_MAX) {
			p->source.len = pmt->len;
			memcpy(p->source.data, pmt->data, pmt->len);
		}
	}
	free(r->programs);
	r->programs = programs;
	r->n_programs = n_programs;
	r->single = r->options.pnr != 0 || n == 1;
	r->keep_nulls = r->options.pnr == 0 || n == 1;
}

static bool is_used(const struct remux *r, size_t n, uint16_t number)
{
	for (size_t i = 0; i < n; i++)
		if (r->programs[i].ids.new_pnr == number)
			return true;
	return place_has(r->place->numbers, number);
}

/* The number in the output of the nth program, for an input of a multiplex; 0:
 * the block has no free number, so that the program is not sent. */
static uint16_t find_number(const struct remux *r, size_t n, uint16_t number)
{
	const struct remux_place *p = r->place;

	if (p->keep && !is_used(r, n, number))
		return number;
	for (uint16_t i = 0; i < p->count; i++)
		if (!is_used(r, n, place_at(p, number, i)))
			return place_at(p, number, i);
	return 0;
}

static void number_programs(struct remux *r)
{
	const struct remux_options *o = &r->options;

	if (r->tsid != psi_tsid(r->psi))
		remux_forget_network(r);
	r->tsid = psi_tsid(r->psi);
	r->new_tsid = o->set_tsid != 0 ? o->set_tsid : r->tsid;
	r->n_origins = 0;
	for (size_t i = 0; i < r->n_programs; i++) {
		struct program *p = &r->programs[i];
		uint16_t pnr = p->number;

		if (r->single && o->set_pnr != 0)
			pnr = o->set_pnr;
		else if (r->place != NULL)
			pnr = find_number(r, i, pnr);
		p->ids = (struct ids){
			.tsid = r->tsid, .new_tsid = r->new_tsid,
			.pnr = p->number, .new_pnr = pnr,
			.onid = r->source_onid, .new_onid = r->new_onid,
		};
		/* `origins' has the number in the source.  If `given' has two
		 * entries of a service, the first one decides. */
		for (size_t k = 0; k < r->n_given; k++) {
			const struct eit_origin origin = {
				p->number, r->given[k].eit };

			if (r->given[k].number != p->ids.new_pnr)
				continue;
			if (r->n_origins < r->n_given)
				r->origins[r->n_origins++] = origin;
			break;
		}
	}
}

/* --- the PIDs --- */

typedef void plan_fn(struct pid_plan *, const struct remux_options *,
		     const struct selection *, uint16_t pmt_pid);

static void plan_each(struct remux *r, plan_fn *fn)
{
	struct selection sel;

	for (size_t i = 0; i < r->n_programs; i++) {
		const struct program *p = &r->programs[i];

		if (p->source.len > 0 && p->ids.new_pnr != 0 &&
		    selection_make(&sel, &r->options, p->source.data,
				   p->source.len) == 0)
			fn(&r->plan, &r->options, &sel, p->pmt_pid);
	}
}

static void plan_emm(struct remux *r)
{
	struct desc_loop loop;
	struct desc d;
	uint16_t pid;

	if (!remux_passes_cat(r))
		return;
	for (size_t i = 0; i < CAT_SECTIONS_MAX; i++) {
		const struct table *t = &r->cat_source[i];

		if (t->len == 0 || !cat_loop(t->data, t->len, &loop))
			continue;
		while (desc_next(&loop, &d))
			if (desc_ca_pid(&d, &pid) &&
			    ca_is_kept(&r->options, pid))
				pid_plan_add(&r->plan, &r->options, pid);
	}
}

static void plan_pids(struct remux *r)
{
	uint16_t network = psi_network_pid(r->psi);

	r->network_source = network != 0 ? network : (uint16_t)SI_PID_NIT;
	pid_plan_init(&r->plan, r->place);
	for (size_t i = 0; r->cas != NULL && i < r->cas->n; i++) {
		pid_plan_reserve(&r->plan, r->cas->list[i].link.ecm_pid);
		pid_plan_reserve(&r->plan, r->cas->list[i].entry.emm_pid);
	}
	plan_each(r, pid_plan_map);
	plan_each(r, pid_plan_keep);
	plan_emm(r);
	r->network_pid = r->nit == ORIGIN_OWN ? SI_PID_NIT : 0;
	if (remux_passes_nit(r) && network != 0 && network != TS_PID_NULL) {
		if (network >= SI_PIDS_END) {
			pid_plan_add(&r->plan, &r->options, network);
			network = r->plan.out[network];
		}
		r->network_pid = network;
	}
	if (remux_has_hbbtv(r))
		pid_plan_add_ait(&r->plan, &r->options);
	if (r->guest.pid != 0)
		pid_plan_add_guest(&r->plan, &r->options, r->guest.pid);
	plan_each(r, pid_plan_move);
}

/* The number of programs whose PMT is known. */
static size_t count_known(const struct remux *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_programs; i++)
		n += r->programs[i].source.len > 0;
	return n;
}

bool remux_has_settled(const struct remux *r)
{
	uint64_t ms = (r->clock.ticks - r->pat_ticks) / MS_TICKS;

	return count_known(r) == r->n_programs ||
	       r->packets - r->pat_at >= SETTLE_PACKETS ||
	       ms >= (r->round ? ROUND_MS : SETTLE_MS);
}

/* Sets `round' if a known PMT has arrived again.  Sources send the PMTs of all
 * programs one after another, so the PMTs of all programs have then been
 * sent. */
void remux_note_round(struct remux *r, const uint8_t *packet)
{
	const uint8_t *section;

	if (ts_tei(packet) || section_first(packet, &section) < NUMBER_END ||
	    section_table_id(section) != PMT_TABLE_ID)
		return;
	for (size_t i = 0; i < r->n_programs; i++)
		r->round |= r->programs[i].source.len > 0 &&
			    r->programs[i].number ==
				    (section[3] << 8 | section[4]);
}

void remux_rebuild(struct remux *r)
{
	bool changed = false, had_programs = r->n_programs > 0;
	uint16_t before[TS_PIDS];
	uint8_t before_role[TS_PIDS];

	memcpy(before, r->route, sizeof before);
	memcpy(before_role, r->role, sizeof before_role);
	r->builds++;
	update_programs(r);
	number_programs(r);
	/* At the first PAT, and at a PAT that names only other programs, the
	 * remux begins to wait for the PMTs of all programs.  No table is sent
	 * before they are known, or the time for them is over
	 * (remux_has_settled()). */
	if (r->settled && r->n_programs > 0 && count_known(r) == 0) {
		r->settled = false;
		r->n_pat = 0;
		had_programs = false;
	}
	if (!had_programs && !r->settled) {
		r->round = false;
		r->pat_at = r->packets;
		r->pat_ticks = r->clock.ticks;
	}
	r->settled |= r->n_programs > 0 && remux_has_settled(r);
	plan_pids(r);
	remux_build_ait(r);
	for (size_t i = 0; i < r->n_programs && r->settled; i++) {
		remux_build_pmt(r, &r->programs[i]);
		changed |= r->programs[i].changed;
	}
	changed |= remux_build_pat(r);
	remux_route(r);
	remux_absent_renew(r, before, before_role);
	remux_build_cat(r);
	remux_build_sdt(r);
	if (changed)
		remux_announce(r);
}
