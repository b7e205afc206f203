/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the tables of the output, with versions that belong to their
 * contents. */
#include "common/base/hash.h"
#include "worker/remux/ait_build.h"
#include "worker/remux/desc_apply.h"
#include "worker/remux/psi_build.h"
#include "worker/remux/remux_state.h"
#include "worker/remux/sdt_build.h"
#include "worker/remux/service_desc.h"
#include "worker/ts/si_table.h"

#include <string.h>

/* The extensions of SDTs in table_version(): 0 of a stream without a multiplex,
 * 1 of a multiplex, SDT_INPUTS + n of its input n (from 1). */
enum { SDT_INPUTS = 1 };

static void set_version(struct remux *r, struct table *t,
			struct table_name name, uint8_t first)
{
	uint64_t hash = hash_add(HASH_INIT, t->data, t->len);

	section_set_version(t->data, t->len,
			    table_version(r->versions, name, hash, first));
}

bool remux_keep(struct table *t, const uint8_t *section, size_t len)
{
	if (t->len == len && memcmp(t->data, section, len) == 0)
		return false;
	memcpy(t->data, section, len);
	t->len = len;
	return true;
}

/* Changes the descriptors of the table as the options say.  If the result would
 * be too long, the table stays, and the new descriptors count as omitted. */
static void edit(const struct remux *r, enum edit_table table, struct table *t,
		 uint8_t tags[PMT_OMITTED_TAGS], size_t *omitted)
{
	struct table changed;
	int len;

	if (t->len == 0 || r->options.n_edits == 0)
		return;
	len = (table == EDIT_PMT ? desc_apply_pmt : desc_apply_sdt)(
		(struct desc_edits){ r->options.edits, r->options.n_edits },
		t->data, t->len, changed.data);
	if (len > 0) {
		changed.len = (size_t)len;
		*t = changed;
		return;
	}
	for (size_t i = 0; i < r->options.n_edits; i++) {
		const struct desc_edit *e = &r->options.edits[i];

		if (e->table != table || e->action == EDIT_REMOVE)
			continue;
		if (*omitted < PMT_OMITTED_TAGS)
			tags[*omitted] = desc_edit_tag(e);
		(*omitted)++;
	}
}

void remux_build_pmt(struct remux *r, struct program *p)
{
	struct table t = { 0 };
	struct selection sel;

	if (p->source.len > 0 && p->ids.new_pnr != 0 &&
	    r->plan.out[p->pmt_pid] != PID_PLAN_NONE &&
	    selection_make(&sel, &r->options, p->source.data,
			   p->source.len) == 0)
		t.len = pmt_build(&(struct pmt_content){
			.options = &r->options,
			.selection = &sel,
			.plan = &r->plan,
			.ids = &p->ids,
			.pmt_pid = p->pmt_pid,
			.guest = p == r->programs ? &r->guest : NULL,
			.cas = r->cas,
			.ait_version = section_version(r->ait.data),
		}, t.data, &p->omitted);
	if (p->omitted.guest)
		r->plan.guest = PID_PLAN_NONE;
	if (p->omitted.ait) {
		r->plan.ait = PID_PLAN_NONE;
		r->ait.len = 0;
	}
	edit(r, EDIT_PMT, &t, p->omitted.tags, &p->omitted.n_descriptors);
	if (t.len > 0)
		set_version(r, &t, (struct table_name){ PMT_TABLE_ID,
							p->ids.new_pnr },
			    r->first.pmt);
	p->changed = p->pmt_out != r->plan.out[p->pmt_pid];
	p->pmt_out = r->plan.out[p->pmt_pid];
	p->changed |= remux_keep(&p->pmt, t.data, t.len);
}

bool remux_build_pat(struct remux *r)
{
	struct pat_program list[PSI_PROGRAMS_MAX];
	struct pat_content content = {
		.tsid = r->new_tsid,
		.network_pid = r->network_pid,
		.programs = list,
	};
	struct table t[PAT_SECTIONS_MAX] = { 0 };
	uint64_t hash = HASH_INIT;
	bool changed = false;
	uint8_t version;
	size_t n;

	for (size_t i = 0; i < r->n_programs; i++) {
		const struct program *p = &r->programs[i];

		if (p->pmt.len > 0)
			list[content.n_programs++] = (struct pat_program){
				p->ids.new_pnr, p->pmt_out,
			};
	}
	/* no PAT is sent before the first program is known */
	if (content.n_programs == 0 && r->n_pat == 0)
		return false;
	n = MIN(pat_build_sections(&content), (size_t)PAT_SECTIONS_MAX);
	for (size_t i = 0; i < n; i++) {
		t[i].len = pat_build(&content, i, t[i].data);
		hash = hash_add(hash, t[i].data, t[i].len);
	}
	version = table_version(r->versions, (struct table_name){ 0, 0 },
				hash, r->first.pat);
	for (size_t i = 0; i < n; i++) {
		section_set_version(t[i].data, t[i].len, version);
		changed |= remux_keep(&r->pat[i], t[i].data, t[i].len);
	}
	changed |= r->n_pat != n;
	r->n_pat = n;
	return changed;
}

void remux_build_cat(struct remux *r)
{
	uint64_t hash = HASH_INIT;
	struct table t[CAT_SECTIONS_MAX] = { 0 };
	uint8_t version;
	bool any = false;

	for (size_t i = 0; i < CAT_SECTIONS_MAX && remux_passes_cat(r); i++) {
		const struct table *s = &r->cat_source[i];

		if (s->len > 0)
			t[i].len = cat_build(&r->options, &r->plan, s->data,
					     s->len, t[i].data);
	}
	/* With cas the own CAT replaces that of the source. */
	if (r->cas != NULL)
		t[0].len = cat_build_own(r->cas, t[0].data);
	for (size_t i = 0; i < CAT_SECTIONS_MAX; i++) {
		hash = hash_add(hash, t[i].data, t[i].len);
		any |= t[i].len > 0;
	}
	version = any ? table_version(r->versions,
				      (struct table_name){ CAT_TABLE_ID, 0 },
				      hash, r->first.cat)
		      : 0;
	for (size_t i = 0; i < CAT_SECTIONS_MAX; i++) {
		if (t[i].len > 0)
			section_set_version(t[i].data, t[i].len, version);
		if (remux_keep(&r->cat[i], t[i].data, t[i].len))
			r->due.cat = 0;
	}
}

struct sdt_marks remux_sdt_marks(const struct remux *r)
{
	return (struct sdt_marks){
		.eit = r->eit,
		.origins = r->origins,
		.n_origins = r->n_origins,
		.scrambled = r->cas != NULL,
		.descrambled = r->descrambled,
	};
}

const struct service_spec *remux_entry(const struct remux *r, uint16_t number)
{
	for (size_t i = 0; i < r->n_services; i++)
		if (r->services[i].pnr == number)
			return &r->services[i];
	return NULL;
}

/* The name of the SDT in table_version().  Each input of a multiplex has an SDT
 * of its own. */
static struct table_name sdt_name(const struct remux *r)
{
	return (struct table_name){
		SDT_TABLE_ID,
		(uint16_t)(r->place != NULL ? SDT_INPUTS + r->source : 0) };
}

/* May the source still send its SDT?  True for up to SDT_AWAIT_MS, but not if
 * the last SDT of the stream already had the content of `own', which is the SDT
 * without an entry of the source. */
static bool awaits_sdt(struct remux *r, uint16_t number,
		       const struct table *own)
{
	if (r->sdt_awaited != number)
		r->sdt_due = r->clock.ticks + SDT_AWAIT_MS * MS_TICKS;
	r->sdt_awaited = number;
	return r->clock.ticks < r->sdt_due &&
	       !table_is_last(r->versions, sdt_name(r),
			      hash_add(HASH_INIT, own->data, own->len));
}

void remux_build_sdt(struct remux *r)
{
	const struct remux_options *o = &r->options;
	const struct program *p = r->programs;
	const struct service_spec *entry =
		r->n_programs > 0 ? remux_entry(r, p->ids.new_pnr) : NULL;
	struct service_given given = service_given_of(o, entry);
	struct sdt_service service;
	struct table t = { 0 };
	bool described = r->n_programs > 0 && r->sdt_source.len > 0 &&
			 r->sdt_number == p->number;

	if (r->single && o->sdt == TABLE_DEFAULT && r->n_programs > 0 &&
	    p->pmt.len > 0) {
		bool found = described && sdt_find(r->sdt_source.data,
						   r->sdt_source.len,
						   p->number, &service);

		if (described || service_is_given(&given))
			t.len = sdt_build(&(struct sdt_content){
				.options = o,
				.entry = entry,
				.ids = &p->ids,
				.source = found ? &service : NULL,
				.onid = r->onid,
				.has_video = p->has_video,
				.marks = remux_sdt_marks(r),
			}, t.data, &r->sdt_omitted);
	}
	edit(r, EDIT_SDT, &t, r->sdt_omitted.tags,
	     &r->sdt_omitted.n_descriptors);
	r->sdt_waits = t.len > 0 && !described &&
		       awaits_sdt(r, p->number, &t);
	if (r->sdt_waits)
		t.len = 0;
	if (t.len > 0)
		set_version(r, &t, sdt_name(r), r->first.sdt);
	if (remux_keep(&r->sdt, t.data, t.len))
		r->due.sdt = 0;
}

void remux_build_ait(struct remux *r)
{
	struct table t = { 0 };

	if (remux_has_hbbtv(r) && r->plan.ait != PID_PLAN_NONE)
		t.len = ait_build(r->options.hbbtv_url, t.data);
	if (t.len > 0)
		set_version(r, &t, (struct table_name){ AIT_TABLE_ID, 0 }, 0);
	if (remux_keep(&r->ait, t.data, t.len))
		r->due.ait = 0;
}
