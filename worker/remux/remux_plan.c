/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What follows from the tables of the source: programs, PIDs, routes, and the
 * tables that go out. */
#include "common/alloc.h"
#include "worker/remux/ait_build.h"
#include "worker/remux/psi_build.h"
#include "worker/remux/remux_state.h"
#include "worker/remux/sdt_build.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIXED_PIDS = 0x20,
	TABLE_CAT = 0x01,
	TABLE_SDT = 0x42,
	TABLE_AIT = 0x74,
	/* PMTs come every half second at least (TR 101 290) */
	SETTLE_S = 1,
	SETTLE_PACKETS = 16384,
};

/* --- the programs --- */

static bool is_wanted(const struct remux *r, const struct psi_program *p)
{
	return r->options.pnr == 0 || p->number == r->options.pnr;
}

static const struct program *find_old(const struct program *list, size_t n,
				      uint16_t number)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].number == number)
			return &list[i];
	return NULL;
}

/* A PMT that moved to another PID counts until it has come there. */
static void fill_program(struct program *p, const struct psi_program *from,
			 const struct program *old)
{
	*p = (struct program){
		.number = from->number, .pmt_pid = from->pmt_pid,
	};
	if (from->pmt.data != NULL && from->pmt.len <= SECTION_PSI_MAX) {
		p->source.len = from->pmt.len;
		memcpy(p->source.data, from->pmt.data, from->pmt.len);
	} else if (old != NULL) {
		p->source = old->source;
	}
	if (old != NULL) {
		p->pmt = old->pmt;
		p->pmt_out = old->pmt_out;
	}
}

static void update_programs(struct remux *r)
{
	const struct psi_program *list;
	size_t n = psi_programs(r->psi, &list);
	struct program *programs = xcalloc(n + 1, sizeof *programs);
	size_t n_programs = 0;

	for (size_t i = 0; i < n; i++)
		if (is_wanted(r, &list[i]))
			fill_program(&programs[n_programs++], &list[i],
				     find_old(r->programs, r->n_programs,
					      list[i].number));
	free(r->programs);
	r->programs = programs;
	r->n_programs = n_programs;
	r->single = r->options.pnr != 0 || n == 1;
	r->keep_nulls = r->options.pnr == 0 || n == 1;
}

static void number_programs(struct remux *r)
{
	const struct remux_options *o = &r->options;

	r->tsid = psi_tsid(r->psi);
	r->new_tsid = o->set_tsid != 0 ? o->set_tsid : r->tsid;
	for (size_t i = 0; i < r->n_programs; i++) {
		struct program *p = &r->programs[i];
		uint16_t pnr = p->number;

		if (r->single && o->set_pnr != 0)
			pnr = o->set_pnr;
		p->ids = (struct ids){
			.tsid = r->tsid, .new_tsid = r->new_tsid,
			.pnr = p->number, .new_pnr = pnr,
		};
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

		if (p->source.len > 0 &&
		    selection_make(&sel, &r->options, p->source.data,
				   p->source.len) == 0)
			fn(&r->plan, &r->options, &sel, p->pmt_pid);
	}
}

static bool passes_cat(const struct remux *r)
{
	if (r->options.cat == TABLE_DROP)
		return false;
	return r->options.pass_ca || r->options.cat == TABLE_PASS;
}

static void plan_emm(struct remux *r)
{
	struct desc_loop loop;
	struct desc d;
	uint16_t pid;

	if (!passes_cat(r))
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

static bool has_hbbtv(const struct remux *r)
{
	return r->single && r->options.hbbtv_url[0] != '\0';
}

/* The network PID of the source's PAT; 0: none. */
static uint16_t find_network_pid(const struct remux *r)
{
	const struct psi_section *sections;
	size_t n = psi_pat(r->psi, &sections);
	struct pat pat;

	for (size_t i = 0; i < n; i++)
		if (pat_decode(sections[i].data, sections[i].len, &pat) == 0 &&
		    pat.network_pid != 0)
			return pat.network_pid;
	return 0;
}

static bool passes_nit(const struct remux *r)
{
	return r->options.nit == TABLE_PASS ||
	       (r->options.nit == TABLE_DEFAULT && !r->single);
}

static void plan_pids(struct remux *r)
{
	uint16_t network = find_network_pid(r);

	r->network_source = network != 0 ? network : (uint16_t)PID_NIT;
	pid_plan_init(&r->plan);
	plan_each(r, pid_plan_map);
	plan_each(r, pid_plan_keep);
	plan_emm(r);
	r->network_pid = 0;
	if (passes_nit(r) && network != 0 && network != TS_PID_NULL) {
		if (network >= FIXED_PIDS) {
			pid_plan_add(&r->plan, &r->options, network);
			network = r->plan.out[network];
		}
		r->network_pid = network;
	}
	if (has_hbbtv(r))
		pid_plan_add_ait(&r->plan, &r->options);
	plan_each(r, pid_plan_move);
}

/* --- the routes --- */

static void route(struct remux *r, uint16_t pid)
{
	if (r->plan.out[pid] == PID_PLAN_NONE)
		return;
	r->route[pid] = ROUTE_OUT | r->plan.out[pid];
	r->role[pid] = ROLE_NONE;
}

/* As it is, under its own number. */
static void route_as_is(struct remux *r, uint16_t pid)
{
	r->route[pid] = ROUTE_OUT | pid;
	r->role[pid] = ROLE_NONE;
}

static void look(struct remux *r, uint16_t pid, enum role role)
{
	r->route[pid] = ROUTE_LOOK | pid;
	r->role[pid] = (uint8_t)role;
}

/* Tables of the transport stream: rewritten, as they are, or not at all. */
static void route_table(struct remux *r, uint16_t pid, enum table_rule rule,
			enum role role)
{
	bool rewrite = r->single || r->tsid != r->new_tsid;

	if (rule == TABLE_DROP)
		return;
	if (rule == TABLE_PASS || !rewrite)
		route_as_is(r, pid);
	else
		look(r, pid, role);
}

static void route_time(struct remux *r)
{
	const struct remux_options *o = &r->options;

	if (o->tdt == TABLE_DROP && o->tot == TABLE_DROP)
		return;
	if (o->tdt == TABLE_DROP || o->tot == TABLE_DROP)
		look(r, PID_TIME, ROLE_TIME);
	else
		route_as_is(r, PID_TIME);
}

static void route_nit(struct remux *r)
{
	uint16_t pid = r->network_source;

	if (!passes_nit(r) || pid == TS_PID_NULL)
		return;
	if (pid >= FIXED_PIDS)
		route(r, pid);
	else if (!r->single && r->tsid != r->new_tsid &&
		 r->options.nit != TABLE_PASS && pid == PID_NIT)
		look(r, pid, ROLE_NIT);
	else
		route_as_is(r, pid);
}

static void route_tables(struct remux *r)
{
	if (passes_cat(r))
		look(r, PID_CAT, ROLE_CAT);
	route_table(r, PID_SDT, r->options.sdt, ROLE_SDT);
	route_table(r, PID_EIT, r->options.eit, ROLE_EIT);
	route_nit(r);
	route_time(r);
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

	if (p->source.len == 0 ||
	    selection_make(&sel, &r->options, p->source.data,
			   p->source.len) < 0)
		return;
	p->has_video = false;
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
	if (sel.pcr_alone && !(r->route[sel.pcr_pid] & ROUTE_OUT)) {
		route(r, sel.pcr_pid);
		if (sel.pcr_strip)
			r->role[sel.pcr_pid] = ROLE_STRIP;
	}
	r->route[sel.pcr_pid] |= ROUTE_LOOK;
	if (r->clock_pid == TS_PID_NULL)
		r->clock_pid = sel.pcr_pid;
}

static void route_emm(struct remux *r)
{
	struct desc_loop loop;

	if (!passes_cat(r))
		return;
	for (size_t i = 0; i < CAT_SECTIONS_MAX; i++)
		if (r->cat_source[i].len > 0 &&
		    cat_loop(r->cat_source[i].data, r->cat_source[i].len,
			     &loop))
			route_ca(r, loop);
}

/* What no table names, of a whole multiplex, when data is to pass. */
static void route_others(struct remux *r)
{
	for (uint16_t pid = PID_CAT + 1; pid < FIXED_PIDS; pid++)
		if (pid < PID_NIT || pid > PID_TIME || pid == 0x13)
			route_as_is(r, pid);
	if (!r->options.pass_data)
		return;
	for (uint16_t pid = FIXED_PIDS; pid < TS_PID_NULL; pid++)
		if (psi_class(r->psi, pid) == PID_UNKNOWN &&
		    r->plan.out[pid] == PID_PLAN_NONE &&
		    !pid_set_has(&r->options.drop, pid) &&
		    !(r->plan.taken[pid >> 6] >> (pid & 63) & 1))
			route_as_is(r, pid);
}

static void route_all(struct remux *r)
{
	memset(r->route, 0, sizeof r->route);
	memset(r->role, 0, sizeof r->role);
	r->clock_pid = TS_PID_NULL;
	if (r->n_pat == 0) {
		/* it may come before the PAT, and not soon again */
		look(r, PID_SDT, ROLE_SDT);
	} else {
		if (!r->single || r->transparent)
			route_others(r);
		route_tables(r);
		route_emm(r);
		if (r->keep_nulls)
			look(r, TS_PID_NULL, ROLE_NULL);
	}
	for (size_t i = 0; i < r->n_programs && r->settled; i++)
		route_program(r, &r->programs[i]);
	for (size_t i = 0; i < r->n_programs; i++)
		look(r, r->programs[i].pmt_pid, ROLE_PSI);
	look(r, TS_PID_PAT, ROLE_PSI);
}

/* --- the tables that go out --- */

static void set_version(struct remux *r, struct table *t,
			struct table_name name, uint8_t first)
{
	uint64_t hash = table_hash(TABLE_HASH_INIT, t->data, t->len);

	section_set_version(t->data, t->len,
			    table_version(r->versions, name, hash, first));
}

/* True when the table is another one now. */
static bool replace(struct table *t, const struct table *with)
{
	if (t->len == with->len && memcmp(t->data, with->data, t->len) == 0)
		return false;
	*t = *with;
	return true;
}

static uint8_t ait_version(const struct remux *r)
{
	return r->ait.len > 0 ? r->ait.data[5] >> 1 & 0x1f : 0;
}

static void build_pmt(struct remux *r, struct program *p)
{
	struct table t = { 0 };
	struct selection sel;

	if (p->source.len > 0 && r->plan.out[p->pmt_pid] != PID_PLAN_NONE &&
	    selection_make(&sel, &r->options, p->source.data,
			   p->source.len) == 0)
		t.len = pmt_build(&(struct pmt_content){
			.options = &r->options,
			.selection = &sel,
			.plan = &r->plan,
			.ids = &p->ids,
			.pmt_pid = p->pmt_pid,
			.ait_version = ait_version(r),
		}, t.data);
	if (t.len > 0)
		set_version(r, &t, (struct table_name){ PMT_TABLE_ID,
							p->ids.new_pnr },
			    r->first.pmt);
	p->changed = p->pmt_out != r->plan.out[p->pmt_pid];
	p->pmt_out = r->plan.out[p->pmt_pid];
	p->changed |= replace(&p->pmt, &t);
}

/* The programs whose PMT is known. */
static size_t list_programs(const struct remux *r, struct pat_program *list)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_programs; i++) {
		const struct program *p = &r->programs[i];

		if (p->pmt.len > 0)
			list[n++] = (struct pat_program){
				p->ids.new_pnr, p->pmt_out,
			};
	}
	return n;
}

static bool build_pat(struct remux *r)
{
	struct pat_program list[PSI_PROGRAMS_MAX];
	struct pat_content content = {
		.tsid = r->new_tsid,
		.network_pid = r->network_pid,
		.programs = list,
		.n_programs = list_programs(r, list),
	};
	struct table t[PSI_PAT_SECTIONS_MAX] = { 0 };
	uint64_t hash = TABLE_HASH_INIT;
	bool changed = false;
	uint8_t version;
	size_t n;

	/* nothing is said before there is something to say */
	if (content.n_programs == 0 && r->n_pat == 0)
		return false;
	n = MIN(pat_build_sections(&content), (size_t)PSI_PAT_SECTIONS_MAX);
	for (size_t i = 0; i < n; i++) {
		t[i].len = pat_build(&content, i, t[i].data);
		hash = table_hash(hash, t[i].data, t[i].len);
	}
	version = table_version(r->versions, (struct table_name){ 0, 0 },
				hash, r->first.pat);
	for (size_t i = 0; i < n; i++) {
		section_set_version(t[i].data, t[i].len, version);
		changed |= replace(&r->pat[i], &t[i]);
	}
	changed |= r->n_pat != n;
	r->n_pat = n;
	return changed;
}

static void build_cat(struct remux *r)
{
	uint64_t hash = TABLE_HASH_INIT;
	struct table t[CAT_SECTIONS_MAX] = { 0 };
	uint8_t version;
	bool any = false;

	for (size_t i = 0; i < CAT_SECTIONS_MAX && passes_cat(r); i++) {
		const struct table *s = &r->cat_source[i];

		if (s->len > 0)
			t[i].len = cat_build(&r->options, &r->plan, s->data,
					     s->len, t[i].data);
		hash = table_hash(hash, t[i].data, t[i].len);
		any |= t[i].len > 0;
	}
	version = any ? table_version(r->versions,
				      (struct table_name){ TABLE_CAT, 0 },
				      hash, r->first.cat)
		      : 0;
	for (size_t i = 0; i < CAT_SECTIONS_MAX; i++) {
		if (t[i].len > 0)
			section_set_version(t[i].data, t[i].len, version);
		if (replace(&r->cat[i], &t[i]))
			r->due.cat = 0;
	}
}

/* Does the source's SDT say something of the program? */
static bool has_sdt(const struct remux *r)
{
	return r->sdt_source.len > 0 &&
	       r->sdt_number == r->programs[0].number;
}

static bool makes_sdt(const struct remux *r)
{
	const struct remux_options *o = &r->options;

	return r->single && o->sdt == TABLE_DEFAULT && r->n_programs > 0 &&
	       r->programs[0].pmt.len > 0 &&
	       (has_sdt(r) || o->service_name[0] != '\0' ||
		o->service_provider[0] != '\0' || o->service_type != 0);
}

void remux_rebuild_sdt(struct remux *r)
{
	struct sdt_service service;
	struct table t = { 0 };
	bool found = false;

	if (makes_sdt(r)) {
		const struct program *p = &r->programs[0];

		if (has_sdt(r))
			found = sdt_find(r->sdt_source.data,
					 r->sdt_source.len, p->number,
					 &service);
		t.len = sdt_build(&r->options, &p->ids,
				  found ? &service : NULL, p->has_video,
				  t.data);
	}
	if (t.len > 0)
		set_version(r, &t, (struct table_name){ TABLE_SDT, 0 },
			    r->first.sdt);
	if (replace(&r->sdt, &t))
		r->due.sdt = 0;
}

static void build_ait(struct remux *r)
{
	struct table t = { 0 };

	if (has_hbbtv(r) && r->plan.ait != PID_PLAN_NONE)
		t.len = ait_build(r->options.hbbtv_url, t.data);
	if (t.len > 0)
		set_version(r, &t, (struct table_name){ TABLE_AIT, 0 }, 0);
	if (replace(&r->ait, &t))
		r->due.ait = 0;
}

/* Is there a PMT of each program? */
static bool is_complete(const struct remux *r)
{
	for (size_t i = 0; i < r->n_programs; i++)
		if (r->programs[i].source.len == 0)
			return false;
	return true;
}

bool remux_has_settled(const struct remux *r)
{
	return is_complete(r) || r->packets - r->pat_at >= SETTLE_PACKETS ||
	       r->clock.ticks - r->pat_ticks >= SETTLE_S * PCR_HZ;
}

/* The first PAT names the programs; their PMTs follow. */
static void settle(struct remux *r, bool had_programs)
{
	if (!had_programs && !r->settled) {
		r->pat_at = r->packets;
		r->pat_ticks = r->clock.ticks;
	}
	r->settled |= r->n_programs > 0 && remux_has_settled(r);
}

void remux_rebuild(struct remux *r)
{
	bool changed = false, had_programs = r->n_programs > 0;

	update_programs(r);
	number_programs(r);
	settle(r, had_programs);
	plan_pids(r);
	build_ait(r);
	for (size_t i = 0; i < r->n_programs && r->settled; i++) {
		build_pmt(r, &r->programs[i]);
		changed |= r->programs[i].changed;
	}
	changed |= build_pat(r);
	route_all(r);
	build_cat(r);
	remux_rebuild_sdt(r);
	if (changed)
		remux_announce(r);
}
