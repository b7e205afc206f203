/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/own_eit.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "proto/ipc/msg.h"
#include "worker/remux/psi_build.h"
#include "worker/remux/sdt_build.h"
#include "worker/stream/other_guides.h"
#include "worker/stream/output_sdt.h"
#include "worker/stream/turns.h"
#include "worker/tables/eit_build.h"
#include "worker/tables/eit_versions.h"
#include "worker/ts/psi.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* places (msg_stream_guide.place): the stream, and its inputs */
	PLACES = 1 + MSG_INPUTS_MAX,
	OTHER_SCHEDULE = EIT_SCHEDULE_TABLE_ID + 0x10,
	OTHER_NEAR_MS = 60000, OTHER_LATER_MS = 300000,
	SECTIONS_MAX = 256, /* sections of a table */
	/* parts of a table in the schedule: first days, later days */
	PARTS = 2,
	PRESENTS = 16, /* most present/following tables that a turn builds */
	/* The first EIT wait at most this time for the events and for the first
	 * SDT of the output, whose identifiers they have.  That SDT may wait
	 * for the SDT of the source. */
	PATIENCE_MS = SDT_AWAIT_MS + 1000,
};

/* A service whose EIT is sent. */
struct shown {
	struct eit_format format;
	struct eit_items events;
	/* schedule_key.part: differs for other transport streams */
	uint16_t part;
	/* unix time of the next change of present and following */
	int64_t change_s;
	unsigned tables; /* schedule tables that are sent */
	unsigned built;  /* schedule tables that are up to date */
	/* unix time until which the built tables are right */
	int64_t segment_s;
};

struct own_eit {
	struct tables_spec spec;
	struct si_intervals intervals;
	const struct psi *psi;
	struct eit_versions *versions;
	struct table_stage *stage;
	bool scrambled;
	own_eit_input_fn *input_of;
	void *arg;
	struct eit_image *images[PLACES];
	struct other_guides *others;
	uint64_t edition; /* how often `shown' was made */
	/* services in `shown' whose tables are built; 0: `shown' is out of
	 * date, and its events may have been freed */
	size_t n;
	/* services in `shown' whose tables are in the schedule */
	size_t n_scheduled;
	struct shown *shown;
	size_t n_left_out; /* services beyond EIT_SERVICES_MAX */
	bool no_room; /* a table had no room in the schedule */
	bool changed; /* shown is to be made again */
	/* services that are still to be checked in this second */
	struct turns presents, tables;
	/* next serial number for the events of a service */
	uint64_t next_serial;
	const struct output_sdt *sdt;
	/* places in the guides of the config whose events have not arrived */
	uint64_t awaited;
	/* unix time of the first turn with a PAT; 0: none yet */
	uint64_t began_ms;
	int64_t now_s; /* unix time of the last turn */
	bool crowded; /* logged: three hours have too many events */
	/* the sections of a table while they are built */
	size_t n_sections;
	uint8_t (*sections)[SECTION_MAX];
	size_t lens[SECTIONS_MAX];
};

/* --- the sections of the source --- */

/* True if this EIT section of the source is dropped: the keys of the stream
 * demand own EIT, or none, for its service or for its table. */
static bool drops(const uint8_t *section, void *arg)
{
	const struct own_eit *o = arg;
	uint8_t id = section_table_id(section);
	uint16_t sid = (uint16_t)(section[3] << 8 | section[4]);

	if (id == EIT_OTHER_TABLE_ID)
		return o->spec.eit_other != EIT_OTHER_PASS;
	if (id >= OTHER_SCHEDULE && id <= EIT_LAST_TABLE_ID)
		return o->spec.eit_other == EIT_OTHER_ALL;
	return tables_spec_eit(&o->spec, sid) != ORIGIN_PASS;
}

struct own_eit *own_eit_new(const struct own_eit_config *c)
{
	bool wanted = c->spec->eit != ORIGIN_PASS ||
		      c->spec->eit_other != EIT_OTHER_PASS;
	struct own_eit *o;

	for (size_t i = 0; i < c->spec->n_services; i++)
		wanted |= c->spec->services[i].eit > 0;
	if (!wanted)
		return NULL;
	o = xcalloc(1, sizeof *o);
	*o = (struct own_eit){
		.spec = *c->spec, .intervals = tables_spec_intervals(c->spec),
		.psi = c->psi, .sdt = c->sdt, .versions = c->versions,
		.stage = c->stage,
		.scrambled = c->scrambled, .input_of = c->input_of,
		.arg = c->arg, .others = c->others, .next_serial = 1,
		.awaited = tables_spec_has_eit(c->spec) ? c->guides : 0,
	};
	o->sections = xcalloc(SECTIONS_MAX, sizeof *o->sections);
	table_stage_own_pid(o->stage, SI_PID_EIT);
	table_stage_filter_eit(o->stage, drops, o);
	schedule_set_eit_rate(table_stage_schedule(o->stage),
			      c->spec->eit_rate_kbps);
	return o;
}

void own_eit_free(struct own_eit **p)
{
	struct own_eit *o = *p;

	*p = NULL;
	if (o == NULL)
		return;
	for (size_t i = 0; i < PLACES; i++)
		eit_image_free(&o->images[i]);
	free(o->sections);
	free(o->shown);
	free(o);
}

/* --- the events --- */

void own_eit_guide(struct own_eit *o, const struct msg_stream_guide *m, int fd)
{
	struct eit_image *image = guide_image_read(m, fd), **to;

	if (image == NULL)
		return;
	to = &o->images[m->place];
	o->awaited &= ~(UINT64_C(1) << m->place);
	own_eit_use(o);
	eit_image_number(image, *to, &o->next_serial);
	eit_image_free(to);
	*to = image;
}

static struct eit_items events_of(const struct own_eit *o, uint16_t pnr,
				  bool single)
{
	struct eit_items items = eit_image_find(o->images[0], pnr, single);
	uint16_t number;
	unsigned place;

	if (items.n == 0 && o->input_of != NULL &&
	    o->input_of(pnr, &place, &number, o->arg) && place < PLACES)
		return eit_image_find(o->images[place], number, false);
	return items;
}

/* --- what is shown --- */

static void unschedule(struct own_eit *o, struct schedule_key key)
{
	for (unsigned part = 0; part < PARTS; part++, key.part++)
		(void)schedule_set(table_stage_schedule(o->stage), &key, 0,
				   NULL, 0);
}

static struct schedule_key key_of(const struct shown *s, uint8_t table_id)
{
	return (struct schedule_key){ SI_PID_EIT, table_id, s->format.sid,
				      s->part };
}

static uint8_t present_id(const struct shown *s)
{
	return s->format.other ? EIT_OTHER_TABLE_ID : EIT_TABLE_ID;
}

static uint8_t schedule_id(const struct shown *s, unsigned table)
{
	return (uint8_t)((s->format.other ? OTHER_SCHEDULE
					  : EIT_SCHEDULE_TABLE_ID) + table);
}

/* Compares two entries by part and service for qsort() and bsearch(), whose
 * arguments are pointers to pointers. */
static int compare(const void *left, const void *right)
{
	const struct shown *a = *(const struct shown *const *)left;
	const struct shown *b = *(const struct shown *const *)right;
	int parts = (a->part > b->part) - (a->part < b->part);

	return parts != 0 ? parts : (int)a->format.sid - (int)b->format.sid;
}

/* Do both services have the same EIT sections at the same time? */
static bool is_same(const struct shown *a, const struct shown *b)
{
	return a->format.tsid == b->format.tsid &&
	       a->format.onid == b->format.onid &&
	       a->format.free_ca == b->format.free_ca &&
	       a->format.running == b->format.running &&
	       a->events.serial == b->events.serial;
}

/* Removes the schedule tables of a service from table number `from' on; 0:
 * all. */
static void remove_tables(struct own_eit *o, const struct shown *s,
			  unsigned from)
{
	for (unsigned t = from; t < s->tables; t++)
		unschedule(o, key_of(s, schedule_id(s, t)));
}

/* Appends a service to the list.  False: the list is full, and the service
 * counts as left out. */
static bool add(struct own_eit *o, struct shown *list, size_t *n,
		const struct shown *s)
{
	if (*n == EIT_SERVICES_MAX) {
		o->n_left_out++;
		return false;
	}
	list[(*n)++] = *s;
	return true;
}

/* The fields of a service's EIT as the SDT of the output describes them.  If
 * the SDT lacks the service, its PMT decides. */
static struct eit_format format_of(const struct own_eit *o,
				   const struct psi_program *p)
{
	const struct output_service *service = output_sdt_find(o->sdt,
							       p->number);
	struct eit_format f = {
		.sid = p->number,
		.tsid = o->sdt->known ? o->sdt->tsid : psi_tsid(o->psi),
		.onid = o->sdt->known ? o->sdt->onid
				      : tables_spec_onid(&o->spec, 0),
		.free_ca = o->scrambled || psi_program_is_scrambled(p),
	};

	if (service != NULL) {
		f.free_ca = service->status & EIT_STATUS_FREE_CA;
		f.running = service->status >> 5;
	}
	return f;
}

static void list_others(struct own_eit *o, struct shown *list, size_t *n)
{
	for (size_t i = 0; i < o->others->n; i++) {
		struct other_guide *other = &o->others->list[i];
		size_t services = other->image != NULL
					? eit_image_services(other->image) : 0;

		other->n_sent = 0;
		for (size_t k = 0; k < services; k++) {
			struct shown s = {
				.format = { .tsid = other->tsid,
					    .onid = other->onid,
					    .other = true },
				.part = (uint16_t)(PARTS * (1 + i)),
			};

			s.events = eit_image_at(other->image, k,
						&s.format.sid);
			s.format.running =
				eit_image_status(other->image, k) >> 5;
			if (s.format.sid != 0 && add(o, list, n, &s))
				other->n_sent = k + 1;
		}
	}
}

/* Compares the services in the schedule with the new list: services in both
 * keep their tables, and the tables of the others are removed. */
static void replace_scheduled(struct own_eit *o, struct shown *list, size_t n)
{
	struct shown **sorted = xcalloc(EIT_SERVICES_MAX, sizeof *sorted);

	for (size_t i = 0; i < n; i++)
		sorted[i] = &list[i];
	qsort(sorted, n, sizeof *sorted, compare);
	for (size_t i = 0; i < o->n_scheduled; i++) {
		const struct shown *s = &o->shown[i];
		struct shown **to = bsearch(&s, sorted, n, sizeof *sorted,
					    compare);

		if (to == NULL) {
			remove_tables(o, s, 0);
			unschedule(o, key_of(s, present_id(s)));
			continue;
		}
		(*to)->tables = s->tables;
		/* if nothing changed and all tables had room, the tables are
		 * not built again */
		if (!o->no_room && is_same(s, *to)) {
			(*to)->built = s->built;
			(*to)->segment_s = s->segment_s;
			(*to)->change_s = s->change_s;
		}
	}
	free(sorted);
}

static void list_all(struct own_eit *o)
{
	struct shown *list = xcalloc(EIT_SERVICES_MAX, sizeof *list);
	const struct psi_program *programs;
	size_t n_programs = psi_programs(o->psi, &programs), n = 0;

	o->n_left_out = 0;
	for (size_t i = 0; i < n_programs; i++) {
		const struct psi_program *p = &programs[i];

		if (tables_spec_eit(&o->spec, p->number) != ORIGIN_OWN)
			continue;
		(void)add(o, list, &n, &(struct shown){
			.format = format_of(o, p),
			.events = events_of(o, p->number, n_programs == 1),
		});
	}
	if (o->spec.eit_other != EIT_OTHER_PASS)
		list_others(o, list, &n);
	replace_scheduled(o, list, n);
	free(o->shown);
	o->shown = list;
	o->n = o->n_scheduled = n;
	o->presents.left = o->tables.left = n;
	o->changed = o->no_room = false;
	o->edition++;
}

/* --- sections --- */

static void take_section(const uint8_t *section, size_t len, void *arg)
{
	struct own_eit *o = arg;

	if (o->n_sections == SECTIONS_MAX)
		return;
	memcpy(o->sections[o->n_sections], section, len);
	o->lens[o->n_sections++] = len;
}

/* Gives the sections the version of their content. */
static void set_versions(struct own_eit *o, const struct shown *s,
			 uint8_t table_id)
{
	struct eit_table_name name = { table_id, s->format.sid, 0, 0 };
	uint64_t hash = HASH_INIT;
	uint8_t version;

	if (s->format.other) {
		name.onid = s->format.onid;
		name.tsid = s->format.tsid;
	}
	for (size_t i = 0; i < o->n_sections; i++)
		hash = hash_add(hash, o->sections[i], o->lens[i]);
	version = eit_version(o->versions, name, hash);
	for (size_t i = 0; i < o->n_sections; i++)
		section_set_version(o->sections[i], o->lens[i], version);
}

/* Puts the built sections whose section_number is at least `from' and below
 * `to' into the schedule, as the part that key names. */
static void schedule_part(struct own_eit *o, struct schedule_key key,
			  const struct schedule_terms *terms, unsigned from,
			  unsigned to)
{
	struct schedule_section list[SECTIONS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < o->n_sections; i++) {
		unsigned number = o->sections[i][6];

		if (number >= from && number < to)
			list[n++] = (struct schedule_section){
				o->sections[i], o->lens[i] };
	}
	o->no_room |= !schedule_set_terms(table_stage_schedule(o->stage), &key,
					  terms, list, n);
}

/* Puts the sections of a schedule table into the schedule in two parts, because
 * the first days repeat more often than later days. */
static void send_table(struct own_eit *o, const struct shown *s,
		       unsigned table)
{
	unsigned near = tables_spec_near_days(&o->spec);
	unsigned first = table * EIT_TABLE_DAYS, days;
	struct schedule_key key = key_of(s, schedule_id(s, table));
	struct schedule_terms terms[PARTS] = {
		{ o->intervals.schedule, SCHEDULE_GUIDE },
		{ o->intervals.schedule_later, SCHEDULE_GUIDE },
	};

	if (s->format.other) {
		terms[0].interval_ms = OTHER_NEAR_MS;
		terms[1].interval_ms = OTHER_LATER_MS;
	}
	days = near > first ? MIN(near - first, (unsigned)EIT_TABLE_DAYS) : 0;
	schedule_part(o, key, &terms[0], 0, days * EIT_DAY_SECTIONS);
	key.part++;
	schedule_part(o, key, &terms[1], days * EIT_DAY_SECTIONS, SECTIONS_MAX);
}

/* Builds the next table of the schedule. */
static void build_next(struct own_eit *o, struct shown *s, int64_t now_s)
{
	unsigned tables = eit_tables(s->events, now_s);
	size_t dropped;

	if (s->built == 0) {
		remove_tables(o, s, tables);
		s->segment_s = eit_next_segment(now_s);
	}
	s->tables = MAX(s->tables, s->built + 1);
	o->n_sections = 0;
	dropped = eit_build_table(&s->format, s->events, now_s, s->built,
				  take_section, o).dropped;
	if (dropped > 0 && !o->crowded)
		log_warning("stream", "eit: three hours of service %u have "
			    "more events than eight sections hold: %zu are "
			    "not in the schedule", s->format.sid, dropped);
	o->crowded |= dropped > 0;
	set_versions(o, s, schedule_id(s, s->built));
	send_table(o, s, s->built);
	s->built++;
	if (s->built == tables)
		s->tables = tables;
}

void own_eit_use(struct own_eit *o)
{
	o->n = 0;
	o->changed = true;
}

/* True if the first EIT can be built: the SDT of the output and the events of
 * the guide are known, or PATIENCE_MS have passed.  EIT that are built earlier
 * would change their version a moment later. */
static bool is_ready(struct own_eit *o, uint64_t unix_ms)
{
	if (!psi_has_pat(o->psi))
		return false;
	/* the wait begins with the first PAT, and again if the clock was set
	 * back */
	if (o->began_ms == 0 || unix_ms < o->began_ms)
		o->began_ms = unix_ms;
	return (o->sdt->known && o->awaited == 0) ||
	       unix_ms - o->began_ms >= PATIENCE_MS;
}

/* True if a schedule table of the service is missing or out of date. */
static bool is_behind(const struct own_eit *o, struct shown *s, int64_t now_s)
{
	if (s->format.other && o->spec.eit_other != EIT_OTHER_ALL)
		return false;
	/* the second condition: the clock was set back */
	if (now_s >= s->segment_s || eit_next_segment(now_s) < s->segment_s)
		s->built = 0;
	return s->built == 0 || s->built < eit_tables(s->events, now_s);
}

/* Builds some of the present and following events that are due. */
static void build_presents(struct own_eit *o, int64_t now_s)
{
	unsigned built = 0;
	size_t i;

	while (built < PRESENTS && turns_next(&o->presents, o->n, &i)) {
		struct shown *s = &o->shown[i];
		const uint8_t id = present_id(s);
		const struct schedule_terms terms = {
			s->format.other ? o->intervals.eit_other
					: o->intervals.eit,
			SCHEDULE_PRESENT,
		};

		if (now_s < s->change_s)
			continue;
		for (o->n_sections = 0; o->n_sections < 2; o->n_sections++)
			o->lens[o->n_sections] = eit_build_present(
				&s->format, s->events, now_s,
				(unsigned)o->n_sections,
				o->sections[o->n_sections]);
		set_versions(o, s, id);
		schedule_part(o, key_of(s, id), &terms, 0, SECTIONS_MAX);
		s->change_s = eit_next_change(s->events, now_s);
		built++;
	}
}

void own_eit_turn(struct own_eit *o, uint64_t unix_ms)
{
	int64_t now_s = (int64_t)(unix_ms / 1000);
	size_t i;

	if (o->changed) {
		if (!is_ready(o, unix_ms))
			return;
		list_all(o);
	}
	if (now_s != o->now_s)
		o->presents.left = o->tables.left = o->n;
	/* the clock was set back: all present and following are built again */
	for (i = 0; now_s < o->now_s && i < o->n; i++)
		o->shown[i].change_s = 0;
	o->now_s = now_s;
	build_presents(o, now_s);
	while (turns_next(&o->tables, o->n, &i))
		if (is_behind(o, &o->shown[i], now_s)) {
			build_next(o, &o->shown[i], now_s);
			o->tables.left = o->n;
			return;
		}
}

bool own_eit_waits(const struct own_eit *o)
{
	return o->changed;
}

uint64_t own_eit_edition(const struct own_eit *o)
{
	return o->edition;
}

size_t own_eit_left_out(const struct own_eit *o)
{
	return o->n_left_out + o->no_room;
}
