/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the source other than PAT and PMT: stores, rewrites or passes
 * them. */
#include "common/base/hash.h"
#include "worker/remux/desc_apply.h"
#include "worker/remux/psi_build.h"
#include "worker/remux/remux_state.h"
#include "worker/remux/sdt_build.h"
#include "worker/remux/service_desc.h"
#include "worker/ts/si_table.h"

#include <errno.h>
#include <string.h>

enum { LONG_HEADER = 8, SDT_HEADER = 11 };

static bool is_current(const uint8_t *section)
{
	return section[5] & 1;
}

/* A hash of the changes that edit() makes in this table; 0: none. */
static uint32_t edits_of(const struct remux *r, uint8_t table_id)
{
	struct desc_edits edits = { r->options.edits, r->options.n_edits };
	uint64_t names = 0; /* a hash of the types and names of services */

	switch (table_id) {
	case SDT_TABLE_ID:
		if (r->n_services > 0)
			names = hash_add(HASH_INIT, r->services,
					 r->n_services * sizeof *r->services);
		return desc_edits_hash(edits, EDIT_SDT) ^
		       (uint32_t)(names ^ names >> 32);
	case NIT_TABLE_ID:
		return desc_edits_hash(edits, EDIT_NIT);
	case BAT_TABLE_ID:
		return desc_edits_hash(edits, EDIT_BAT);
	default:
		return 0;
	}
}

static void pass_section(struct remux *r, uint16_t pid, uint8_t *section,
		    size_t len)
{
	if (r->si != NULL)
		si_versions_apply(r->si, r->source,
				  edits_of(r, section_table_id(section)),
				  section, len);
	remux_queue(r, &r->si_waiting, pid, section, len);
}

/* Finds the number of a program of the output in the source; false: the output
 * has no such program, and *ret_number is unchanged. */
static bool find_source(const struct remux *r, uint16_t number,
			uint16_t *ret_number)
{
	for (size_t i = 0; i < r->n_programs; i++)
		if (r->programs[i].ids.new_pnr == number) {
			*ret_number = r->programs[i].number;
			return true;
		}
	return false;
}

/* Writes the types and names of `sdt' into a section of the SDT of a whole
 * multiplex, which has the numbers of the source.  Returns as
 * service_names_apply() does. */
static int name_services(const struct remux *r, const uint8_t *section,
			 size_t len, uint8_t ret[SECTION_PSI_MAX])
{
	struct service_entry list[SERVICES_MAX];
	struct service_names names = { list, 0, r->options.textcode };

	for (size_t i = 0; i < r->n_services; i++) {
		struct service_entry *e = &list[names.n];

		*e = (struct service_entry){ .spec = &r->services[i] };
		names.n += find_source(r, e->spec->pnr, &e->pnr);
	}
	return service_names_apply(&names, section, len, ret);
}

static int edit_sdt(struct remux *r, const uint8_t *section, size_t len,
		    uint8_t ret[SECTION_PSI_MAX])
{
	struct desc_edit list[DESC_EDITS_MAX];
	uint8_t named[SECTION_PSI_MAX];
	size_t n = 0;

	if (r->n_services > 0) {
		int named_len = name_services(r, section, len, named);

		if (named_len < 0)
			return named_len;
		section = named;
		len = (size_t)named_len;
	}
	for (size_t i = 0; i < r->options.n_edits; i++) {
		list[n] = r->options.edits[i];
		n += list[n].pnr == 0 ||
		     find_source(r, list[n].pnr, &list[n].pnr);
	}
	return desc_apply_sdt((struct desc_edits){ list, n }, section, len,
			      ret);
}

/* Stores in `crowded' that a section has no room for its changes (full), and
 * clears it when the section has room, or its table has it no longer. */
static void note_room(struct remux *r, const uint8_t *section, bool full)
{
	uint8_t id = section_table_id(section);
	uint32_t *noted = &r->crowded[id == SDT_TABLE_ID ? EDIT_SDT
				      : id == NIT_TABLE_ID ? EDIT_NIT
							   : EDIT_BAT];
	uint32_t extension = (uint32_t)(section[3] << 8 | section[4]);
	uint32_t name = 1 + (extension << 8 | section[6]);
	uint32_t last = 1 + (extension << 8 | section[7]);

	if (full)
		*noted = name;
	else if ((*noted - 1) >> 8 == extension
			 ? *noted == name || *noted > last
			 : id != BAT_TABLE_ID)
		*noted = 0;
}

/* The identifiers that the transport stream of the output has in a section of
 * the NIT or BAT now, after a possible rewrite. */
static struct desc_transport own_transport(const struct remux *r, bool bat)
{
	enum table_rule rule = bat ? r->options.sdt : r->options.nit;
	bool renumbered = remux_renumbers(r, rule);
	bool new_onid = renumbered && r->new_onid != 0;

	return (struct desc_transport){
		.tsid = renumbered ? r->new_tsid : r->tsid,
		.onid = new_onid ? r->new_onid : r->source_onid,
		.any_network = !new_onid && !r->listed[bat],
	};
}

/* Changes names and descriptors in a section of the source as the options say;
 * returns the new length.  The section stays as it was if the changes have no
 * room or a loop is malformed. */
static size_t edit(struct remux *r, uint8_t *section, size_t len)
{
	struct desc_edits edits = { r->options.edits, r->options.n_edits };
	uint8_t id = section_table_id(section);
	uint8_t changed[SECTION_PSI_MAX];
	int new_len;

	if (edits_of(r, id) == 0)
		return len;
	if (id == SDT_TABLE_ID)
		new_len = edit_sdt(r, section, len, changed);
	else
		new_len = desc_apply_nit(edits,
					 own_transport(r, id == BAT_TABLE_ID),
					 section, len, changed);
	r->counted.broken += new_len == -EBADMSG;
	if (new_len != -EBADMSG)
		note_room(r, section, new_len < 0);
	if (new_len < 0)
		return len;
	memcpy(section, changed, (size_t)new_len);
	return (size_t)new_len;
}

static bool is_eit_actual(const uint8_t *section)
{
	uint8_t id = section_table_id(section);

	return id == EIT_TABLE_ID ||
	       (id >= EIT_SCHEDULE_TABLE_ID &&
		id <= EIT_SCHEDULE_LAST_TABLE_ID);
}

static struct ids multiplex_ids(const struct remux *r)
{
	return (struct ids){ .tsid = r->tsid, .new_tsid = r->new_tsid,
			     .onid = r->source_onid,
			     .new_onid = r->new_onid };
}

/* The identifiers to rewrite in a section of the NIT or BAT. */
static struct ids network_ids(struct remux *r, bool bat,
			      const uint8_t *section, size_t len)
{
	struct ids ids = multiplex_ids(r);

	r->listed[bat] |= ids_are_listed(&ids, section, len);
	ids.listed = r->listed[bat];
	return ids;
}

static void on_eit(struct remux *r, uint8_t *section, size_t len)
{
	uint16_t service = (uint16_t)(section[3] << 8 | section[4]);
	struct ids ids = multiplex_ids(r);
	bool pass = r->options.eit == TABLE_PASS;
	struct sdt_marks marks;

	if (!pass && r->single) {
		if (r->n_programs == 0 || !is_eit_actual(section) ||
		    service != r->programs[0].number)
			return;
		ids = r->programs[0].ids;
	}
	if (remux_renumbers(r, r->options.eit) && is_eit_actual(section) &&
	    ids_rewrite_eit(&ids, section, len) < 0) {
		r->counted.broken++;
		return;
	}
	marks = remux_sdt_marks(r);
	if (is_eit_actual(section) && (r->transparent || !pass))
		(void)eit_mark(&marks, section, len);
	pass_section(r, SI_PID_EIT, section, len);
}

/* --- SDT and BAT --- */

/* Is the SDT of a whole multiplex sent? */
static bool is_whole(const struct remux *r)
{
	return r->n_pat > 0 && (!r->single || r->options.sdt == TABLE_PASS);
}

/* For an input of a multiplex (place): stores a section of the SDT of a whole
 * multiplex, as the source sent it. */
static void keep_whole(struct remux *r, const uint8_t *section, size_t len)
{
	uint8_t number = section[6], last = section[7];

	if (r->place == NULL || section_table_id(section) != SDT_TABLE_ID ||
	    !is_current(section) || number > last ||
	    last >= SDT_SECTIONS_MAX || len > SECTION_PSI_MAX)
		return;
	(void)remux_keep(&r->sdt_whole[number], section, len);
	for (size_t i = last + 1u; i < SDT_SECTIONS_MAX; i++)
		r->sdt_whole[i].len = 0;
}

/* Changes a section of SDT or BAT of a whole multiplex to the section that is
 * sent.  Returns its length; 0: the section is malformed. */
static size_t change_whole(struct remux *r, uint8_t *section, size_t len)
{
	bool pass = r->options.sdt == TABLE_PASS;
	bool renumber = remux_renumbers(r, r->options.sdt);
	uint8_t id = section_table_id(section);
	struct ids ids = id == BAT_TABLE_ID
		? network_ids(r, true, section, len) : multiplex_ids(r);
	struct sdt_marks marks;
	int err = 0;

	if (renumber && id == SDT_TABLE_ID)
		err = ids_rewrite_sdt(&ids, section, len);
	else if (renumber && id == BAT_TABLE_ID)
		err = ids_rewrite_nit(&ids, section, len);
	if (err < 0) {
		r->counted.broken++;
		return 0;
	}
	marks = remux_sdt_marks(r);
	if (r->transparent || !pass)
		(void)sdt_mark(&marks, section, len);
	return edit(r, section, len);
}

/* Stores the original_network_id of the source, by which its transport stream
 * differs from transport streams of other networks with its number. */
static void learn_network(struct remux *r, const uint8_t *section, size_t len)
{
	if (section_table_id(section) != SDT_TABLE_ID || !is_current(section) ||
	    len < SDT_HEADER || (section[3] << 8 | section[4]) != r->tsid)
		return;
	if (r->source_onid != (section[8] << 8 | section[9]))
		remux_forget_network(r);
	r->source_onid = (uint16_t)(section[8] << 8 | section[9]);
	for (size_t i = 0; i < r->n_programs; i++)
		r->programs[i].ids.onid = r->source_onid;
}

/* Takes a section of SDT or BAT. */
static void on_sdt(struct remux *r, uint8_t *section, size_t len)
{
	/* number of the single service in the source; 0: not known */
	uint16_t number = r->options.pnr;
	struct sdt_service service;

	learn_network(r, section, len);
	if (number == 0 && r->n_programs > 0)
		number = r->programs[0].number;
	if (!r->single)
		keep_whole(r, section, len);
	if (is_whole(r)) {
		len = change_whole(r, section, len);
		if (len > 0)
			pass_section(r, SI_PID_SDT, section, len);
		return;
	}
	if (section_table_id(section) != SDT_TABLE_ID ||
	    !is_current(section) || number == 0 ||
	    !sdt_find(section, len, number, &service) ||
	    (!remux_keep(&r->sdt_source, section, len) &&
	     r->sdt_number == number))
		return;
	r->sdt_number = number;
	remux_build_sdt(r);
}

/* --- CAT --- */

static void on_cat(struct remux *r, const uint8_t *section, size_t len)
{
	uint8_t number = section[6], last = section[7];
	struct desc_loop loop;

	if (section_table_id(section) != CAT_TABLE_ID || !is_current(section))
		return;
	if (!cat_loop(section, len, &loop) || number > last ||
	    last >= CAT_SECTIONS_MAX) {
		r->counted.broken++;
		return;
	}
	if (!remux_keep(&r->cat_source[number], section, len))
		return;
	for (size_t i = last + 1u; i < CAT_SECTIONS_MAX; i++)
		r->cat_source[i].len = 0;
	remux_rebuild(r);
}

/* --- sections --- */

static void on_section(struct remux *r, enum role role, uint8_t *section,
		       size_t len)
{
	uint8_t id = section_table_id(section);
	struct ids ids;

	if (role == ROLE_TIME) {
		if ((id == TDT_TABLE_ID && r->options.tdt != TABLE_DROP) ||
		    (id == TOT_TABLE_ID && r->options.tot != TABLE_DROP))
			pass_section(r, SI_PID_TDT, section, len);
		return;
	}
	if (!section_has_syntax(section) || len < LONG_HEADER)
		return;
	switch (role) {
	case ROLE_CAT:
		on_cat(r, section, len);
		break;
	case ROLE_NIT:
		ids = network_ids(r, false, section, len);
		if (remux_renumbers(r, r->options.nit) &&
		    (id == NIT_TABLE_ID || id == NIT_OTHER_TABLE_ID) &&
		    ids_rewrite_nit(&ids, section, len) < 0)
			r->counted.broken++;
		else
			pass_section(r, SI_PID_NIT, section,
				     edit(r, section, len));
		break;
	case ROLE_SDT:
		on_sdt(r, section, len);
		break;
	case ROLE_PSIP:
		remux_take_psip(r, section, len);
		break;
	default:
		on_eit(r, section, len);
		break;
	}
}

void remux_take_table(struct remux *r, const uint8_t *packet, enum role role)
{
	struct collector *c = &r->in[role - ROLE_CAT];
	size_t len;

	section_push(&c->assembler, packet);
	while (section_pull(&c->assembler, &len) != NULL)
		on_section(r, role, c->buffer, len);
}

/* --- tables that are kept --- */

static void pass_tables(uint16_t pid, const struct table *list, size_t n,
			remux_section_fn *fn, void *arg)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].len > 0)
			fn(pid, list[i].data, list[i].len, arg);
}

void remux_keep_tables(const struct remux *r, remux_section_fn *fn, void *arg)
{
	const struct psi_section *pat;
	const struct psi_program *list;
	size_t n = psi_pat(r->psi, &pat);

	for (size_t i = 0; i < n; i++)
		fn(TS_PID_PAT, pat[i].data, pat[i].len, arg);
	n = psi_programs(r->psi, &list);
	for (size_t i = 0; i < n; i++)
		if (list[i].pmt.data != NULL)
			fn(list[i].pmt_pid, list[i].pmt.data, list[i].pmt.len,
			   arg);
	pass_tables(SI_PID_CAT, r->cat_source, CAT_SECTIONS_MAX, fn, arg);
	pass_tables(SI_PID_SDT, is_whole(r) ? r->sdt_whole : &r->sdt_source,
		    is_whole(r) ? (size_t)SDT_SECTIONS_MAX : 1, fn, arg);
}

void remux_made_tables(struct remux *r, remux_section_fn *fn, void *arg)
{
	uint8_t section[SECTION_PSI_MAX];

	pass_tables(SI_PID_CAT, r->cat, CAT_SECTIONS_MAX, fn, arg);
	if (!is_whole(r)) {
		pass_tables(SI_PID_SDT, &r->sdt, 1, fn, arg);
		return;
	}
	for (size_t i = 0; i < SDT_SECTIONS_MAX; i++) {
		const struct table *t = &r->sdt_whole[i];
		size_t len;

		if (t->len == 0)
			continue;
		memcpy(section, t->data, t->len);
		len = change_whole(r, section, t->len);
		if (len > 0)
			fn(SI_PID_SDT, section, len, arg);
	}
}
