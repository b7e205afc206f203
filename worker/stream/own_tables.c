/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/own_tables.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/base/wall.h"
#include "worker/remux/desc_apply.h"
#include "worker/remux/psi_build.h"
#include "worker/remux/table_versions.h"
#include "worker/stream/own_sections.h"
#include "worker/tables/country.h"
#include "worker/tables/nit_build.h"
#include "worker/tables/table_stage.h"
#include "worker/tables/time_build.h"
#include "worker/tables/zone.h"
#include "worker/ts/psi.h"
#include "worker/ts/si_table.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZONES "/usr/share/zoneinfo/"

enum {
	DAY_S = 24 * 3600,
	YEAR_DAYS = 365,
	FILE_MAX = 128 * 1024, /* zone.tab has 20 KiB */
	/* EN 300 468 5.1.4, TR 101 211 4.4: 30 s at most */
	TIME_MS = 30000,
	NIT_MS = 10000,
	NIT_SECTIONS_MAX = PSI_PROGRAMS_MAX / NIT_SERVICES + 1,
	TYPE_TV = 1,
	TYPE_RADIO = 2,
};

struct own_tables {
	struct tables_spec spec;
	uint8_t service_type, textcode, nit_version; /* keys of the stream */
	struct table_stage *stage;
	struct own_sections *sections; /* NULL: none */
	const struct psi *psi;
	uint32_t seen; /* psi_changes() when the tables were made */
	struct table_versions *versions;
	size_t n_edits;
	struct desc_edit edits[DESC_EDITS_MAX];
	bool synchronised;
	char country[4]; /* "": there is no own TOT */
	uint8_t *zone;   /* a file of the tz database, or NULL */
	size_t zone_len;
};

/* --- the time --- */

/* A new buffer with the whole file, or NULL with a sentence. */
static uint8_t *load(const char *name, size_t *ret_len, struct errmsg *error)
{
	char path[PATH_MAX];
	uint8_t *data;
	FILE *f;

	(void)snprintf(path, sizeof path, ZONES "%s", name);
	f = fopen(path, "rbe");
	if (f == NULL) {
		errmsg_set(error, "%s: %s", path, strerror(errno));
		return NULL;
	}
	data = xcalloc(1, FILE_MAX);
	*ret_len = fread(data, 1, FILE_MAX, f);
	if (ferror(f) || *ret_len == FILE_MAX) {
		errmsg_set(error, "%s: %s", path,
			   ferror(f) ? "cannot be read" : "is too long");
		free(data);
		data = NULL;
	}
	(void)fclose(f);
	return data;
}

static void find_country(struct own_tables *o)
{
	struct errmsg error;
	uint8_t *list;
	size_t len;

	memcpy(o->country, o->spec.country, sizeof o->country);
	if (o->country[0] != '\0')
		return;
	list = load("zone.tab", &len, &error);
	if (list == NULL)
		log_error("stream", "timezone: %s: no TOT is sent: set country",
			  error.text);
	else if (!country_of_zone((const char *)list, len, o->spec.timezone,
				  o->country))
		log_error("stream", "timezone: %s belongs to no country: "
			  "no TOT is sent: set country", o->spec.timezone);
	free(list);
}

/* Prepares the TOT; without a time zone and an offset there is none. */
static void find_zone(struct own_tables *o)
{
	bool fixed = o->spec.offset_min != OFFSET_ABSENT;
	struct zone_offset offset;
	struct errmsg error;

	if (!fixed && o->spec.timezone[0] == '\0')
		return;
	if (!fixed) {
		o->zone = load(o->spec.timezone, &o->zone_len, &error);
		if (o->zone != NULL &&
		    zone_at(o->zone, o->zone_len, 0, &offset) < 0) {
			errmsg_set(&error, ZONES "%s: is no time zone",
				   o->spec.timezone);
			free(o->zone);
			o->zone = NULL;
		}
		if (o->zone == NULL) {
			log_error("stream", "timezone: %s: no TOT is sent",
				  error.text);
			return;
		}
	}
	if (fixed && o->spec.timezone[0] == '\0' &&
	    o->spec.country[0] == '\0') {
		log_error("stream", "offset: no TOT is sent: set country");
		return;
	}
	find_country(o);
}

static size_t write_tdt(int64_t unix_s, void *arg,
			uint8_t ret[SCHEDULE_CLOCK_LEN])
{
	(void)arg;
	tdt_build(unix_s, ret);
	return TDT_LEN;
}

static size_t write_tot(int64_t unix_s, void *arg,
			uint8_t ret[SCHEDULE_CLOCK_LEN])
{
	struct own_tables *o = arg;
	struct zone_offset z = { 0 };
	struct tot_zone tot;

	if (o->zone != NULL &&
	    zone_at(o->zone, o->zone_len, unix_s, &z) < 0)
		return 0;
	memcpy(tot.country, o->country, sizeof tot.country);
	tot.offset_min = z.offset_s / 60;
	tot.next_min = z.next_s / 60;
	tot.change_at = z.change_at;
	if (o->zone == NULL)
		tot.offset_min = tot.next_min = o->spec.offset_min;
	/* a time of change is required: the same offset again */
	if (tot.change_at == 0)
		tot.change_at = (unix_s / DAY_S + YEAR_DAYS) * DAY_S;
	tot_build(unix_s, &tot, ret);
	return TOT_LEN;
}

/* Takes own or foreign TDT and TOT, as the clock of the system allows. */
static void use_time(struct own_tables *o)
{
	static const struct schedule_key tdt = { SI_PID_TDT, TDT_TABLE_ID, 0 };
	static const struct schedule_key tot = { SI_PID_TDT, TOT_TABLE_ID, 0 };
	struct schedule *s = table_stage_schedule(o->stage);
	bool lost = !o->synchronised && o->spec.clock_lost != CLOCK_KEEP;
	bool own = o->spec.tdt == ORIGIN_OWN && !lost;
	bool pass = o->spec.tdt == ORIGIN_PASS ||
		    (o->spec.tdt == ORIGIN_OWN && lost &&
		     o->spec.clock_lost == CLOCK_SOURCE);

	table_stage_drop(o->stage, TDT_TABLE_ID, !pass);
	table_stage_drop(o->stage, TOT_TABLE_ID, !pass);
	if (own)
		(void)schedule_set_clock(s, &tdt, TIME_MS, write_tdt, o);
	else
		(void)schedule_set(s, &tdt, 0, NULL, 0);
	if (own && o->country[0] != '\0')
		(void)schedule_set_clock(s, &tot, TIME_MS, write_tot, o);
	else
		(void)schedule_set(s, &tot, 0, NULL, 0);
}

void own_tables_set_clock(struct own_tables *o, bool synchronised)
{
	if (o->synchronised == synchronised)
		return;
	o->synchronised = synchronised;
	use_time(o);
}

/* --- the NIT --- */

static struct nit_service describe(const struct own_tables *o,
				   const struct psi_program *p)
{
	bool video = p->video_pid != TS_PID_NULL;
	struct nit_service s = {
		.pnr = p->number,
		.type = o->service_type != 0 ? o->service_type
			: video ? TYPE_TV : TYPE_RADIO,
	};

	for (size_t i = 0; i < o->spec.n_services; i++) {
		const struct service_spec *given = &o->spec.services[i];

		if (given->pnr != p->number)
			continue;
		s.lcn = given->lcn;
		if (given->type != 0)
			s.type = given->type;
	}
	return s;
}

/* Changes the descriptors that the keys demand; returns the new length. */
static size_t edit_nit(const struct own_tables *o,
		       uint8_t section[SECTION_PSI_MAX], size_t len)
{
	uint8_t changed[SECTION_PSI_MAX];
	size_t n = desc_apply_nit((struct desc_edits){ o->edits, o->n_edits },
				  section, len, changed);

	if (n == 0) {
		log_error("stream", "descriptors: the NIT has no room for "
			  "them, and stays as it was");
		return len;
	}
	memcpy(section, changed, n);
	return n;
}

/* Builds the NIT after the programs have changed. */
static void build_nit(struct own_tables *o)
{
	struct schedule_key key = { SI_PID_NIT, NIT_TABLE_ID,
				    o->spec.network_id };
	struct nit_service services[PSI_PROGRAMS_MAX];
	struct schedule_section list[NIT_SECTIONS_MAX];
	uint8_t data[NIT_SECTIONS_MAX][SECTION_PSI_MAX];
	const struct psi_program *programs;
	size_t n = psi_programs(o->psi, &programs), sections;
	struct nit_content content = {
		.spec = &o->spec,
		.textcode = o->textcode,
		.tsid = psi_tsid(o->psi),
		.services = services,
		.n_services = MIN(n, (size_t)PSI_PROGRAMS_MAX),
	};
	uint64_t hash = HASH_INIT;
	uint8_t version;

	if (!psi_has_pat(o->psi))
		return;
	for (size_t i = 0; i < content.n_services; i++)
		services[i] = describe(o, &programs[i]);
	sections = nit_build_sections(&content);
	for (size_t i = 0; i < sections; i++) {
		list[i].data = data[i];
		list[i].len = nit_build(&content, i, data[i]);
		list[i].len = edit_nit(o, data[i], list[i].len);
		hash = hash_add(hash, data[i], list[i].len);
	}
	version = table_version(o->versions,
				(struct table_name){ NIT_TABLE_ID,
						     o->spec.network_id },
				hash, o->nit_version);
	for (size_t i = 0; i < sections; i++)
		section_set_version(data[i], list[i].len, version);
	(void)schedule_set(table_stage_schedule(o->stage), &key,
			   o->spec.interval_ms != 0
				   ? MIN(o->spec.interval_ms, NIT_MS)
				   : NIT_MS,
			   list, sections);
}

/* --- all tables --- */

struct own_tables *own_tables_new(const struct own_tables_config *config)
{
	const struct tables_spec *spec = &config->spec->tables;
	struct own_tables *o;

	if (spec->tdt == ORIGIN_PASS && spec->nit == ORIGIN_PASS &&
	    spec->n_si == 0)
		return NULL;
	o = xcalloc(1, sizeof *o);
	o->spec = *spec;
	o->service_type = config->spec->remux.service_type;
	o->textcode = config->spec->remux.textcode;
	o->nit_version = config->spec->nit_version;
	o->n_edits = config->spec->remux.n_edits;
	memcpy(o->edits, config->spec->remux.edits, sizeof o->edits);
	o->psi = config->psi;
	o->versions = config->versions;
	o->synchronised = true;
	o->stage = table_stage_new(&(struct table_stage_config){
		.cc = config->cc,
		.out = config->out,
		.arg = config->arg,
	});
	o->sections = own_sections_new(spec, o->stage);
	o->spec.n_si = 0; /* its texts are borrowed */
	if (spec->tdt == ORIGIN_OWN)
		find_zone(o);
	use_time(o);
	/* the remux drops that of most inputs */
	table_stage_drop(o->stage, NIT_TABLE_ID, spec->nit != ORIGIN_PASS);
	return o;
}

void own_tables_free(struct own_tables **o)
{
	if (*o == NULL)
		return;
	own_sections_free(&(*o)->sections);
	table_stage_free(&(*o)->stage);
	free((*o)->zone);
	free(*o);
	*o = NULL;
}

void own_tables_feed(struct own_tables *o, const struct ts_run *runs,
		     size_t n_runs, uint64_t now_ns)
{
	if (psi_changes(o->psi) != o->seen) {
		o->seen = psi_changes(o->psi);
		if (o->spec.nit == ORIGIN_OWN)
			build_nit(o);
		if (o->sections != NULL)
			own_sections_use(o->sections, o->psi);
	}
	table_stage_feed(o->stage, runs, n_runs, now_ns, wall_ms());
}
