/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets the route of each PID: what happens to its packets. */
#include "worker/remux/psi_build.h"
#include "worker/remux/remux_state.h"
#include "worker/remux/sdt_build.h"

#include <string.h>

static void route(struct remux *r, uint16_t pid)
{
	if (r->plan.out[pid] == PID_PLAN_NONE)
		return;
	r->route[pid] = ROUTE_OUT | r->plan.out[pid];
	r->role[pid] = ROLE_NONE;
	/* another PID may replace it on its output PID */
	if (place_has(r->plan.mapped, pid))
		r->route[pid] |= ROUTE_INSPECT;
}

/* Passes a PID unchanged, with its own number. */
static void route_as_is(struct remux *r, uint16_t pid)
{
	r->route[pid] = ROUTE_OUT | pid;
	r->role[pid] = ROLE_NONE;
}

static void inspect(struct remux *r, uint16_t pid, enum role role)
{
	r->route[pid] = ROUTE_INSPECT | pid;
	r->role[pid] = (uint8_t)role;
}

/* Routes the PID of a table of the transport stream, which is rewritten,
 * unchanged or dropped by its rule. */
static void route_table(struct remux *r, uint16_t pid, enum table_rule rule,
			enum role role)
{
	bool rewrite = r->single || r->tsid != r->new_tsid ||
		       r->si != NULL || r->options.n_edits > 0;
	bool pass = rule == TABLE_PASS && r->si == NULL &&
		    r->options.n_edits == 0;

	if (rule == TABLE_DROP)
		return;
	if (pass || !rewrite)
		route_as_is(r, pid);
	else
		inspect(r, pid, role);
}

/* Must the SDT of a whole multiplex be changed, because its EIT flags,
 * free_CA_mode, names or original_network_id would be wrong? */
static bool is_sdt_marked(const struct remux *r)
{
	return (r->transparent || r->options.sdt == TABLE_DEFAULT) &&
	       (r->eit != ORIGIN_PASS || r->n_given > 0 || r->cas != NULL ||
		r->descrambled || r->n_services > 0 || r->new_onid != 0);
}

/* Must the EIT of a whole multiplex be changed, because its original_network_id
 * or its free_CA_mode would be wrong? */
static bool is_eit_marked(const struct remux *r)
{
	bool passes = r->eit == ORIGIN_PASS; /* the EIT of any service */

	for (size_t i = 0; i < r->n_given; i++)
		passes |= r->given[i].eit == ORIGIN_PASS;
	return (r->transparent || r->options.eit == TABLE_DEFAULT) &&
	       (r->new_onid != 0 ||
		(passes && (r->cas != NULL || r->descrambled)));
}

static void route_tables(struct remux *r)
{
	bool tdt = r->options.tdt != TABLE_DROP;
	bool tot = r->options.tot != TABLE_DROP;
	uint16_t nit = remux_passes_nit(r) ? r->network_source : TS_PID_NULL;
	bool new_nit = r->si != NULL || r->options.n_edits > 0 ||
		       (remux_renumbers(r, r->options.nit) &&
			(r->new_onid != 0 || r->tsid != r->new_tsid));

	if (remux_passes_cat(r) || r->descrambled)
		inspect(r, SI_PID_CAT, ROLE_CAT);
	if (is_sdt_marked(r))
		inspect(r, SI_PID_SDT, ROLE_SDT);
	else
		route_table(r, SI_PID_SDT, r->options.sdt, ROLE_SDT);
	if (is_eit_marked(r))
		inspect(r, SI_PID_EIT, ROLE_EIT);
	else
		route_table(r, SI_PID_EIT, r->options.eit, ROLE_EIT);
	if (nit >= SI_PIDS_END && nit != TS_PID_NULL)
		route(r, nit);
	else if (nit == SI_PID_NIT && new_nit)
		inspect(r, nit, ROLE_NIT);
	else if (nit != TS_PID_NULL)
		route_as_is(r, nit);
	if (tdt && tot)
		route_as_is(r, SI_PID_TDT);
	else if (tdt || tot)
		inspect(r, SI_PID_TDT, ROLE_TIME);
	if (remux_reduces_psip(r))
		inspect(r, SI_PID_PSIP, ROLE_PSIP);
}

static void route_ca(struct remux *r, struct desc_loop loop)
{
	struct desc d;
	uint16_t pid;

	while (desc_next(&loop, &d))
		if (desc_ca_pid(&d, &pid) && ca_is_kept(&r->options, pid))
			route(r, pid);
}

static void route_program(struct remux *r, struct program *p)
{
	struct selection sel;

	if (p->source.len == 0 || p->ids.new_pnr == 0 ||
	    selection_make(&sel, &r->options, p->source.data,
			   p->source.len) < 0)
		return;
	p->has_video = false;
	/* The PMT does not list the last streams if it has no room for them. */
	sel.n -= MIN(sel.n, p->omitted.n_streams);
	for (size_t i = 0; i < sel.n; i++) {
		route(r, sel.list[i].stream->pid);
		p->has_video |= sel.list[i].stream->class == PID_VIDEO;
		if (r->options.pass_ca)
			route_ca(r, sel.list[i].stream->descriptors);
	}
	if (r->options.pass_ca)
		route_ca(r, sel.pmt.descriptors);
	if (sel.pcr_pid == TS_PID_NULL)
		return;
	if ((sel.pcr_alone || p->omitted.n_streams > 0) &&
	    !(r->route[sel.pcr_pid] & ROUTE_OUT)) {
		route(r, sel.pcr_pid);
		if (sel.pcr_strip || !sel.pcr_alone)
			r->role[sel.pcr_pid] = ROLE_STRIP;
	}
	r->route[sel.pcr_pid] |= ROUTE_INSPECT;
	if (r->clock_pid == TS_PID_NULL)
		r->clock_pid = sel.pcr_pid;
}

static void route_emm(struct remux *r)
{
	struct desc_loop loop;

	if (!remux_passes_cat(r))
		return;
	for (size_t i = 0; i < CAT_SECTIONS_MAX; i++)
		if (r->cat_source[i].len > 0 &&
		    cat_loop(r->cat_source[i].data, r->cat_source[i].len,
			     &loop))
			route_ca(r, loop);
}

/* Drops the PIDs that CA descriptors name, unless a table names them as
 * components. */
static void drop_ca(struct remux *r, struct desc_loop loop)
{
	struct desc d;
	uint16_t pid;

	while (desc_next(&loop, &d))
		if (desc_ca_pid(&d, &pid) &&
		    psi_class(r->psi, pid) == PID_UNKNOWN && pid >= SI_PIDS_END)
			r->route[pid] = 0;
}

/* Drops the PIDs of ECMs and EMMs, which a descrambled stream does not need. */
static void drop_ecms_and_emms(struct remux *r)
{
	struct desc_loop loop;
	struct selection sel;

	for (size_t i = 0; i < r->n_programs; i++) {
		const struct table *t = &r->programs[i].source;

		if (t->len == 0 ||
		    selection_make(&sel, &r->options, t->data, t->len) < 0)
			continue;
		drop_ca(r, sel.pmt.descriptors);
		for (size_t k = 0; k < sel.pmt.n_streams; k++)
			drop_ca(r, sel.pmt.streams[k].descriptors);
	}
	for (size_t i = 0; i < CAT_SECTIONS_MAX; i++)
		if (r->cat_source[i].len > 0 &&
		    cat_loop(r->cat_source[i].data, r->cat_source[i].len,
			     &loop))
			drop_ca(r, loop);
}

/* Routes the other PIDs of a whole multiplex: the PIDs of other tables, and, if
 * data passes, the PIDs that no table names. */
static void route_others(struct remux *r)
{
	for (uint16_t pid = SI_PID_CAT + 1; pid < SI_PIDS_END; pid++)
		if (pid < SI_PID_NIT || pid > SI_PID_TDT || pid == 0x13)
			route_as_is(r, pid);
	/* On a PID that no table names, a component could leave in the clear
	 * (cas), or with a PID of another input (place). */
	if (!r->options.pass_data || r->cas != NULL || r->place != NULL)
		return;
	for (uint16_t pid = SI_PIDS_END; pid < TS_PID_NULL; pid++)
		if (psi_class(r->psi, pid) == PID_UNKNOWN &&
		    r->plan.out[pid] == PID_PLAN_NONE &&
		    !pid_set_has(&r->options.drop, pid) &&
		    !(r->plan.taken[pid >> 6] >> (pid & 63) & 1))
			route_as_is(r, pid);
}

void remux_route(struct remux *r)
{
	memset(r->route, 0, sizeof r->route);
	memset(r->role, 0, sizeof r->role);
	r->clock_pid = TS_PID_NULL;
	if (r->n_pat == 0) {
		/* the SDT may precede the PAT, and is rarely repeated */
		inspect(r, SI_PID_SDT, ROLE_SDT);
	} else {
		if (!r->single || r->transparent)
			route_others(r);
		route_tables(r);
		route_emm(r);
		if (r->keep_nulls)
			inspect(r, TS_PID_NULL, ROLE_NULL);
	}
	if (r->descrambled)
		drop_ecms_and_emms(r);
	for (size_t i = 0; i < r->n_programs && r->settled; i++)
		route_program(r, &r->programs[i]);
	for (size_t i = 0; i < r->n_programs; i++)
		inspect(r, r->programs[i].pmt_pid, ROLE_PSI);
	inspect(r, TS_PID_PAT, ROLE_PSI);
}
