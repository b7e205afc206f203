/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/own_tables.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "common/base/wall.h"
#include "proto/ipc/msg.h"
#include "worker/stream/other_guides.h"
#include "worker/stream/output_sdt.h"
#include "worker/stream/own_cue.h"
#include "worker/stream/own_eit.h"
#include "worker/stream/own_network.h"
#include "worker/stream/own_others.h"
#include "worker/stream/own_sections.h"
#include "worker/tables/country.h"
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
	/* most bytes of a file of the tz database; zone.tab has 20 KiB */
	FILE_MAX = 128 * 1024,
};

struct own_tables {
	struct tables_spec spec;
	struct table_stage *stage;
	struct own_network *network; /* NIT and BAT; NULL: none */
	struct own_sections *sections; /* list si; NULL: none */
	struct own_cue *cue; /* sends splice commands; NULL: no cue_pid */
	/* own EIT; NULL: all EIT are those of the source */
	struct own_eit *eit;
	/* own SDT other; NULL: no option sdt_other */
	struct own_others *sdt_other;
	struct other_guides others;
	/* configuration of the streams of nit_other by their ids; NULL: none
	 * yet */
	json_t *streams;
	bool others_changed; /* the SDT other is to be built */
	/* the guide has sent data: the SDT other is built if these data change
	 * its content */
	bool guides_changed;
	/* own_eit_edition() at the last check of the SDT other */
	uint64_t edition;
	/* other_guides_hash() when the SDT other was built */
	uint64_t others_hash;
	/* when the SDT other began to wait for the guide; 0: not yet */
	uint64_t others_ns;
	const struct psi *psi;
	struct output_sdt sdt; /* SDT of the output */
	uint32_t seen; /* psi_changes() when the tables were made */
	bool synchronised;
	/* country_code of the own TOT; "": there is no own TOT */
	char country[4];
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

/* Prepares the TOT: reads the time zone file unless the offset is fixed, and
 * finds the country.  Without offset and time zone no TOT is sent; nor, which
 * is logged, if the file cannot be used or no country is found. */
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
		log_error("stream", "offset: no TOT is sent, because country "
			  "is missing: set country");
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
	/* the TOT needs a time of change: in a year, to the same offset */
	if (tot.change_at == 0)
		tot.change_at = (unix_s / DAY_S + YEAR_DAYS) * DAY_S;
	tot_build(unix_s, &tot, ret);
	return TOT_LEN;
}

/* Sends an own TDT or TOT (own), passes that of the source (passes), or sends
 * none (own is NULL, and not passes).  If the list `si' has this table, it
 * replaces both. */
static void use_clock(struct own_tables *o, uint8_t table_id, bool passes,
		      schedule_clock_fn *own)
{
	const struct schedule_key key = { SI_PID_TDT, table_id, 0, 0 };
	struct schedule *s = table_stage_schedule(o->stage);
	bool given = own_sections_have(o->sections, table_id);

	table_stage_drop(o->stage, table_id, !passes || given);
	if (given)
		return;
	if (own != NULL)
		(void)schedule_set_clock(s, &key,
					 tables_spec_intervals(&o->spec).tdt,
					 own, o);
	else
		(void)schedule_set(s, &key, 0, NULL, 0);
}

/* Chooses own TDT and TOT, those of the source, or none, by the keys and by
 * whether the system clock is synchronised. */
static void use_time(struct own_tables *o)
{
	bool lost = !o->synchronised && o->spec.clock_lost != CLOCK_KEEP;
	bool own = o->spec.tdt == ORIGIN_OWN && !lost;
	bool passes = o->spec.tdt == ORIGIN_PASS ||
		      (o->spec.tdt == ORIGIN_OWN && lost &&
		       o->spec.clock_lost == CLOCK_SOURCE);

	use_clock(o, TDT_TABLE_ID, passes, own ? write_tdt : NULL);
	use_clock(o, TOT_TABLE_ID, passes,
		  own && o->country[0] != '\0' ? write_tot : NULL);
}

void own_tables_set_clock(struct own_tables *o, bool synchronised)
{
	if (o->synchronised == synchronised)
		return;
	o->synchronised = synchronised;
	use_time(o);
}

/* Adds another stream of this headend to the tables, if it has a
 * transport_stream_id. */
static void add_other(struct own_tables *o, const char *id,
		      const struct stream_spec *spec)
{
	uint16_t tsid = stream_spec_tsid(spec);

	if (tsid != 0)
		other_guides_add(&o->others, id, tsid, spec->tables.onid);
	else
		log_warning("stream", "nit_other: stream %.64s has no "
			    "set_tsid: NIT, BAT, SDT other and EIT other do "
			    "not list it",
			    id);
}

typedef void other_fn(struct own_tables *, const char *id,
		      const struct stream_spec *);

static void for_each_other(struct own_tables *o, other_fn *fn)
{
	struct stream_spec *spec = xcalloc(1, sizeof *spec);
	const char *id;
	json_t *stream;

	json_object_foreach(o->streams, id, stream) {
		struct errmsg error;

		/* the master reports wrong values of another stream */
		(void)!stream_spec_parse(stream, spec, &error);
		fn(o, id, spec);
	}
	free(spec);
}

static void add_to_network(struct own_tables *o, const char *id,
			   const struct stream_spec *spec)
{
	const struct other_guide *guide = other_guides_find(&o->others, id);

	if (guide != NULL)
		own_network_add_other(o->network, spec, guide->onid);
}

static void list_in_network(struct own_tables *o)
{
	if (o->network == NULL)
		return;
	own_network_clear_others(o->network);
	for_each_other(o, add_to_network);
	own_network_build(o->network);
}

void own_tables_set_others(struct own_tables *o, const json_t *streams)
{
	json_decref(o->streams);
	o->streams = json_deep_copy(streams);
	other_guides_begin(&o->others);
	for_each_other(o, add_other);
	other_guides_end(&o->others);
	list_in_network(o);
	o->others_changed = true;
	if (o->eit != NULL)
		own_eit_use(o->eit);
}

static void add_to_sdt(struct own_tables *o, const char *id,
		       const struct stream_spec *spec)
{
	const struct other_guide *guide = other_guides_find(&o->others, id);

	if (guide != NULL)
		own_others_add(o->sdt_other, spec, guide);
}

/* Builds the SDT other again when its streams changed, or what the guide has
 * about them.  Call it after the turn of the own EIT, because the SDT other
 * announces which EIT are sent. */
static void follow_others(struct own_tables *o, uint64_t now_ns)
{
	uint64_t edition = o->eit != NULL ? own_eit_edition(o->eit) : 0;
	uint64_t hash;

	if (o->sdt_other == NULL || o->streams == NULL ||
	    (!o->others_changed && !o->guides_changed &&
	     edition == o->edition))
		return;
	if (o->others_ns == 0)
		o->others_ns = now_ns;
	if (o->eit != NULL && own_eit_waits(o->eit))
		return;
	if (now_ns - o->others_ns < OTHERS_WAIT_MS * MS &&
	    !other_guides_complete(&o->others))
		return;
	o->guides_changed = false;
	o->edition = edition;
	hash = other_guides_hash(&o->others);
	if (!o->others_changed && hash == o->others_hash)
		return;
	o->others_changed = false;
	o->others_hash = hash;
	own_others_begin(o->sdt_other);
	for_each_other(o, add_to_sdt);
	own_others_end(o->sdt_other);
}

void own_tables_guide(struct own_tables *o, const struct msg_stream_guide *m,
		      int fd)
{
	unsigned changes;

	if (m->stream[0] == '\0' && o->eit != NULL)
		own_eit_guide(o->eit, m, fd);
	if (m->stream[0] == '\0')
		return;
	changes = other_guides_take(&o->others, m, fd);
	if (changes == 0)
		return;
	if (changes & OTHER_GUIDE_ONID)
		list_in_network(o);
	o->guides_changed = true;
	if (o->eit != NULL)
		own_eit_use(o->eit);
}

bool own_tables_cue(struct own_tables *o, const struct msg_stream_cue *m,
		    uint64_t now_ns, struct errmsg *error)
{
	if (o->cue != NULL)
		return own_cue_send(o->cue, m, now_ns, error);
	errmsg_set(error, "the stream has no cue_pid");
	return false;
}

/* --- all tables --- */

static void make_parts(struct own_tables *o,
		       const struct own_tables_config *config)
{
	const struct tables_spec *spec = &config->spec->tables;
	struct schedule *schedule = table_stage_schedule(o->stage);

	if (spec->nit == ORIGIN_OWN || spec->bat == ORIGIN_OWN)
		o->network = own_network_new(&(struct own_network_config){
			.spec = config->spec,
			.psi = config->psi,
			.sdt = &o->sdt,
			.others = &o->others,
			.versions = config->versions,
			.schedule = schedule,
		});
	o->sections = own_sections_new(spec, o->stage);
	if (config->spec->remux.cue_pid != 0)
		o->cue = own_cue_new(config->spec->remux.cue_pid, o->psi,
				     o->stage, config->cues);
	o->eit = own_eit_new(&(struct own_eit_config){
		.spec = spec,
		.psi = config->psi,
		.sdt = &o->sdt,
		.others = &o->others,
		.versions = config->eit_versions,
		.stage = o->stage,
		.scrambled = config->scrambled,
		.guides = config->guides,
		.input_of = config->input_of,
		.arg = config->input_arg,
	});
	o->sdt_other = own_others_new(spec, config->versions, config->passed,
				      schedule);
}

struct own_tables *own_tables_new(const struct own_tables_config *config)
{
	const struct tables_spec *spec = &config->spec->tables;
	bool wanted = spec->tdt != ORIGIN_PASS || spec->nit != ORIGIN_PASS ||
		      spec->bat != ORIGIN_PASS || spec->eit != ORIGIN_PASS ||
		      spec->n_si > 0 || spec->sdt_other ||
		      spec->eit_other != EIT_OTHER_PASS ||
		      config->spec->remux.cue_pid != 0;
	struct own_tables *o;

	for (size_t i = 0; i < spec->n_services; i++)
		wanted |= spec->services[i].eit > 0;
	if (!wanted)
		return NULL;
	o = xcalloc(1, sizeof *o);
	o->spec = *spec;
	o->psi = config->psi;
	output_sdt_init(&o->sdt);
	other_guides_init(&o->others);
	o->others.absent = config->guides == 0;
	o->synchronised = true;
	o->stage = table_stage_new(&(struct table_stage_config){
		.cc = config->cc,
		.kbps = config->kbps,
		.out = config->out,
		.arg = config->arg,
	});
	make_parts(o, config);
	/* the list si is not kept, because its texts are borrowed */
	o->spec.n_si = 0;
	if (spec->tdt == ORIGIN_OWN)
		find_zone(o);
	use_time(o);
	/* if an input has a remux, the remux has dropped its NIT already */
	table_stage_drop(o->stage, NIT_TABLE_ID, spec->nit != ORIGIN_PASS);
	table_stage_drop(o->stage, BAT_TABLE_ID, spec->bat != ORIGIN_PASS);
	table_stage_drop(o->stage, SDT_OTHER_TABLE_ID, spec->sdt_other);
	return o;
}

void own_tables_free(struct own_tables **o)
{
	if (*o == NULL)
		return;
	own_network_free(&(*o)->network);
	own_sections_free(&(*o)->sections);
	own_cue_free(&(*o)->cue);
	own_eit_free(&(*o)->eit);
	own_others_free(&(*o)->sdt_other);
	json_decref((*o)->streams);
	other_guides_done(&(*o)->others);
	table_stage_free(&(*o)->stage);
	free((*o)->zone);
	free(*o);
	*o = NULL;
}

void own_tables_feed(struct own_tables *o, const struct ts_run *runs,
		     size_t n_runs, uint64_t now_ns)
{
	unsigned changes = 0;

	if (psi_changes(o->psi) != o->seen) {
		o->seen = psi_changes(o->psi);
		if (o->network != NULL)
			own_network_build(o->network);
		if (o->sections != NULL)
			own_sections_use(o->sections, o->psi);
		if (o->cue != NULL)
			own_cue_use(o->cue);
		if (o->eit != NULL)
			own_eit_use(o->eit);
	}
	if (o->sections != NULL)
		own_sections_feed(o->sections, o->psi, runs, n_runs);
	if (o->network != NULL || o->eit != NULL)
		changes = output_sdt_feed(&o->sdt, runs, n_runs);
	if (o->network != NULL &&
	    (changes & (OUTPUT_SDT_IDS | OUTPUT_SDT_TYPES)))
		own_network_build(o->network);
	if (o->eit != NULL && (changes & (OUTPUT_SDT_IDS | OUTPUT_SDT_STATUS)))
		own_eit_use(o->eit);
	if (o->network != NULL)
		own_network_turn(o->network, now_ns);
	if (o->eit != NULL)
		own_eit_turn(o->eit, wall_ms());
	if (o->sdt_other != NULL)
		o->others_changed |= own_others_feed(o->sdt_other, &o->others,
						     runs, n_runs, now_ns);
	follow_others(o, now_ns);
	if (o->cue != NULL)
		own_cue_feed(o->cue, runs, n_runs, now_ns);
	table_stage_feed(o->stage, runs, n_runs, now_ns, wall_ms());
}

bool own_tables_lack_places(const struct own_tables *o)
{
	return table_stage_lacks_places(o->stage);
}

struct own_tables_eit own_tables_eit(const struct own_tables *o)
{
	struct own_tables_eit e = { 0 };

	if (o->eit != NULL)
		e = (struct own_tables_eit){
			schedule_eit_need(table_stage_schedule(o->stage)),
			o->spec.eit_rate_kbps, own_eit_left_out(o->eit) };
	return e;
}
