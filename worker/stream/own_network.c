/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/own_network.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/remux/desc_apply.h"
#include "worker/remux/psi_build.h"
#include "worker/remux/table_versions.h"
#include "worker/stream/other_guides.h"
#include "worker/stream/output_sdt.h"
#include "worker/tables/nit_build.h"
#include "worker/tables/section_schedule.h"
#include "worker/ts/psi.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

/* NIT and BAT wait at most this time for the SDT (its interval, TS 101 211
 * 4.4), because another version of a NIT makes receivers search for
 * services. */
enum { SDT_WAIT_MS = 2000 };

/* A stream of nit_other. */
struct other {
	uint16_t tsid, onid;
	uint32_t specifier;
	struct delivery_spec delivery;
	size_t n_services;
	struct nit_service services[SERVICES_MAX];
};

struct own_network {
	struct tables_spec spec;
	struct si_intervals intervals;
	uint8_t textcode, first_version;
	struct desc_edits edits;
	struct desc_edit edit_list[DESC_EDITS_MAX];
	const struct psi *psi;
	const struct output_sdt *sdt;
	/* SDT and events of the streams of nit_other */
	const struct other_guides *guides;
	uint64_t began_ns; /* time of the first turn with a PAT; 0: none yet */
	/* SDT and networks are known, or the wait for them has ended */
	bool ready;
	bool waits; /* the tables are built as soon as `ready' is true */
	struct table_versions *versions;
	struct schedule *schedule;
	bool crowded; /* logged: descriptors have no room */
	bool has_others; /* nit_other is empty, or its list has arrived */
	size_t n_others;
	struct other *others;
	/* the sections, while they are built */
	struct schedule_section list[NIT_SECTIONS_MAX];
	uint8_t data[NIT_SECTIONS_MAX][SECTION_PSI_MAX];
};

struct own_network *own_network_new(const struct own_network_config *config)
{
	const struct stream_spec *spec = config->spec;
	struct own_network *n = xcalloc(1, sizeof *n);

	n->spec = spec->tables;
	n->has_others = spec->tables.n_others == 0;
	n->intervals = tables_spec_intervals(&spec->tables);
	n->textcode = spec->remux.textcode;
	n->first_version = spec->nit_version;
	memcpy(n->edit_list, spec->remux.edits, sizeof n->edit_list);
	n->edits = (struct desc_edits){ n->edit_list, spec->remux.n_edits };
	n->psi = config->psi;
	n->sdt = config->sdt;
	n->guides = config->others;
	n->versions = config->versions;
	n->schedule = config->schedule;
	return n;
}

void own_network_free(struct own_network **n)
{
	if (*n != NULL)
		free((*n)->others);
	free(*n);
	*n = NULL;
}

/* The entry of the configuration list sdt for this program; NULL: none. */
static const struct service_spec *find_entry(const struct own_network *n,
					     uint16_t pnr)
{
	for (size_t i = 0; i < n->spec.n_services; i++)
		if (n->spec.services[i].pnr == pnr)
			return &n->spec.services[i];
	return NULL;
}

/* The type of a service in the SDT of the output, else that of its entry; 0:
 * unknown.  An entry with a type has set that of the SDT, too. */
static uint8_t type_of(const struct own_network *n, uint16_t pnr,
		       const struct service_spec *entry)
{
	uint8_t type = output_sdt_type(n->sdt, pnr);

	return type == 0 && entry != NULL ? entry->type : type;
}

/* The original_network_id of the keys, else that of the SDT, with which
 * receivers compare the NIT (EN 300 468 5.2.1, 5.2.3). */
static uint16_t onid_of(const struct own_network *n)
{
	return tables_spec_onid(&n->spec, n->sdt->known ? n->sdt->onid : 0);
}

/* Does the SDT, or do the keys, give the types of all programs? */
static bool has_types(const struct own_network *n)
{
	const struct psi_program *list;
	size_t n_programs = psi_programs(n->psi, &list);

	for (size_t i = 0; i < n_programs; i++)
		if (type_of(n, list[i].number,
			    find_entry(n, list[i].number)) == 0)
			return false;
	return true;
}

/* Changes the descriptors that the keys demand, not those of other streams;
 * returns the new length. */
static size_t edit(struct own_network *n, uint8_t section[SECTION_PSI_MAX],
		   size_t len)
{
	const struct desc_transport own = { .tsid = psi_tsid(n->psi),
					    .onid = onid_of(n) };
	uint8_t changed[SECTION_PSI_MAX];
	int new_len = desc_apply_nit(n->edits, own, section, len, changed);

	if (new_len > 0) {
		memcpy(section, changed, (size_t)new_len);
		return (size_t)new_len;
	}
	if (!n->crowded)
		log_error("stream", "descriptors: not applied: %s has no room "
			  "for them",
			  section[0] == BAT_TABLE_ID ? "the BAT" : "the NIT");
	n->crowded = true;
	return len;
}

/* Puts the sections of this content into the schedule. */
static void send_table(struct own_network *n,
		       const struct nit_content *content)
{
	const struct schedule_key key = {
		content->bouquet ? SI_PID_SDT : SI_PID_NIT,
		content->bouquet ? BAT_TABLE_ID : NIT_TABLE_ID,
		content->id, 0,
	};
	size_t sections = nit_build_sections(content), len;
	uint64_t hash = HASH_INIT;
	uint8_t version;

	for (size_t i = 0; i < sections; i++) {
		len = nit_build(content, i, n->data[i]);
		if (n->edits.n > 0)
			len = edit(n, n->data[i], len);
		n->list[i] = (struct schedule_section){ n->data[i], len };
		hash = hash_add(hash, n->data[i], len);
	}
	version = table_version(n->versions,
				(struct table_name){ key.table_id,
						     key.extension },
				hash, content->bouquet ? 0 : n->first_version);
	for (size_t i = 0; i < sections; i++)
		section_set_version(n->data[i], n->list[i].len, version);
	(void)schedule_set(n->schedule, &key,
			   content->bouquet ? n->intervals.bat
					    : n->intervals.nit,
			   n->list, sections);
}

void own_network_build(struct own_network *n)
{
	struct nit_service services[PSI_PROGRAMS_MAX];
	struct nit_transport list[1 + NIT_OTHER_MAX];
	const struct psi_program *programs;
	size_t n_programs = MIN(psi_programs(n->psi, &programs),
				(size_t)PSI_PROGRAMS_MAX);
	struct nit_content content = {
		.textcode = n->textcode,
		.transports = list,
		.n_transports = 1 + n->n_others,
	};

	n->waits = !n->ready;
	if (n->waits)
		return;
	for (size_t i = 0; i < n_programs; i++) {
		const struct psi_program *p = &programs[i];
		const struct service_spec *entry = find_entry(n, p->number);
		uint8_t type = type_of(n, p->number, entry);

		if (type == 0)
			type = p->video_pid != TS_PID_NULL ? SERVICE_TYPE_TV
							   : SERVICE_TYPE_RADIO;
		services[i] = (struct nit_service){
			.pnr = p->number,
			.lcn = entry != NULL ? entry->lcn : 0,
			.type = type,
		};
	}
	list[0] = (struct nit_transport){
		psi_tsid(n->psi), onid_of(n),
		n->spec.private_data_specifier, &n->spec.delivery,
		services, n_programs,
	};
	for (size_t i = 0; i < n->n_others; i++) {
		const struct other *o = &n->others[i];

		list[1 + i] = (struct nit_transport){
			o->tsid, o->onid, o->specifier, &o->delivery,
			o->services, o->n_services,
		};
	}
	if (n->spec.nit == ORIGIN_OWN) {
		content.id = n->spec.network_id;
		content.name = n->spec.network_name;
		send_table(n, &content);
	}
	if (n->spec.bat == ORIGIN_OWN) {
		content.bouquet = true;
		content.id = n->spec.bouquet_id;
		content.name = n->spec.bouquet_name;
		send_table(n, &content);
	}
}

void own_network_turn(struct own_network *n, uint64_t now_ns)
{
	uint64_t waited_ns;

	if (n->ready || !psi_has_pat(n->psi))
		return;
	if (n->began_ns == 0)
		n->began_ns = now_ns;
	waited_ns = now_ns - n->began_ns;
	n->ready = ((has_types(n) && (n->sdt->known || n->spec.onid != 0)) ||
		    waited_ns >= SDT_WAIT_MS * MS) &&
		   ((n->has_others && other_guides_have_networks(n->guides)) ||
		    waited_ns >= OTHERS_WAIT_MS * MS);
	if (n->ready && n->waits)
		own_network_build(n);
}

void own_network_clear_others(struct own_network *n)
{
	n->n_others = 0;
	n->has_others = true;
}

void own_network_add_other(struct own_network *n,
			   const struct stream_spec *spec, uint16_t onid)
{
	struct listed_service s;
	struct other *to;

	if (n->others == NULL)
		n->others = xcalloc(NIT_OTHER_MAX, sizeof *n->others);
	if (n->n_others == NIT_OTHER_MAX)
		return;
	to = &n->others[n->n_others++];
	*to = (struct other){
		.tsid = stream_spec_tsid(spec),
		.onid = onid,
		.specifier = spec->tables.private_data_specifier,
		.delivery = spec->tables.delivery,
	};
	for (size_t *i = &to->n_services; *i < SERVICES_MAX &&
	     stream_spec_service(spec, *i, &s); ++*i)
		to->services[*i] = (struct nit_service){ s.pnr, s.lcn, s.type };
}
