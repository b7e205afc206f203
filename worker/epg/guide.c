/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide.h"

#include "common/base/alloc.h"
#include "common/base/sorted.h"
#include "worker/epg/guide_event.h"
#include "worker/si/eit.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum {
	DAY_S = 24 * 3600,
	TABLES = 1 + EIT_SCHEDULE_LAST_TABLE_ID - EIT_SCHEDULE_TABLE_ID + 1,
	SECTIONS = 256,
};

struct service {
	uint16_t number;
	struct guide_event **events; /* by start; they do not overlap */
	size_t n, room;
	/* the CRC_32 of each section that was read; NULL: none of the table */
	uint32_t *seen[TABLES];
};

struct guide_stream {
	LIST_ENTRY(guide_stream) link;
	char *id;
	struct service *services[GUIDE_PROGRAMS_MAX];
	size_t n;
};

struct guide {
	struct guide_limits limits;
	struct guide_counts counts;
	struct eit_facts facts; /* of the event that is being read */
	LIST_HEAD(, guide_stream) streams;
};

struct guide *guide_new(const struct guide_limits *limits)
{
	struct guide *g = xcalloc(1, sizeof *g);

	g->limits = *limits;
	LIST_INIT(&g->streams);
	return g;
}

static struct guide_stream *find_stream(const struct guide *g, const char *id)
{
	struct guide_stream *s;

	LIST_FOREACH(s, &g->streams, link)
		if (strcmp(s->id, id) == 0)
			break;
	return s;
}

static struct service *find_service(const struct guide_stream *s,
				    uint16_t number)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->services[i]->number == number)
			return s->services[i];
	return NULL;
}

/* --- removal --- */

static void remove_events(struct guide *g, struct service *s, size_t at,
			  size_t n)
{
	for (size_t i = at; i < at + n; i++) {
		g->counts.bytes -= guide_event_size(s->events[i]);
		free(s->events[i]);
	}
	memmove(s->events + at, s->events + at + n,
		(s->n - at - n) * sizeof s->events[0]);
	s->n -= n;
	g->counts.events -= n;
}

static void free_service(struct guide *g, struct service *s)
{
	remove_events(g, s, 0, s->n);
	for (size_t i = 0; i < TABLES; i++) {
		g->counts.bytes -= s->seen[i] != NULL
					   ? SECTIONS * sizeof *s->seen[i]
					   : 0;
		free(s->seen[i]);
	}
	free(s->events);
	free(s);
	g->counts.services--;
}

static void free_stream(struct guide *g, struct guide_stream *s)
{
	while (s->n > 0)
		free_service(g, s->services[--s->n]);
	LIST_REMOVE(s, link);
	free(s->id);
	free(s);
}

void guide_remove_stream(struct guide *g, const char *stream)
{
	struct guide_stream *s = find_stream(g, stream);

	if (s != NULL)
		free_stream(g, s);
}

void guide_free(struct guide **gp)
{
	struct guide *g = *gp;

	*gp = NULL;
	if (g == NULL)
		return;
	while (!LIST_EMPTY(&g->streams))
		free_stream(g, LIST_FIRST(&g->streams));
	free(g);
}

/* --- streams and services --- */

static struct guide_stream *add_stream(struct guide *g, const char *id)
{
	struct guide_stream *s = find_stream(g, id);

	if (s != NULL)
		return s;
	s = xcalloc(1, sizeof *s);
	s->id = xstrdup(id);
	LIST_INSERT_HEAD(&g->streams, s, link);
	return s;
}

/* NULL: there is no room. */
static struct service *add_service(struct guide *g, struct guide_stream *s,
				   uint16_t number)
{
	struct service *service = find_service(s, number);

	if (service != NULL)
		return service;
	if (s->n == GUIDE_PROGRAMS_MAX ||
	    g->counts.services >= g->limits.services)
		return NULL;
	service = xcalloc(1, sizeof *service);
	service->number = number;
	s->services[s->n++] = service;
	g->counts.services++;
	return service;
}

static bool has_number(const uint16_t *numbers, size_t n, uint16_t number)
{
	for (size_t i = 0; i < n; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

void guide_set_programs(struct guide *g, const char *stream,
			const uint16_t *numbers, size_t n)
{
	struct guide_stream *s = add_stream(g, stream);

	for (size_t i = 0; i < s->n;) {
		struct service *service = s->services[i];

		if (has_number(numbers, n, service->number)) {
			i++;
			continue;
		}
		s->services[i] = s->services[--s->n];
		free_service(g, service);
	}
	for (size_t i = 0; i < n; i++)
		(void)add_service(g, s, numbers[i]);
}

/* --- events --- */

static int order(size_t i, const void *arg)
{
	const struct service *s = ((const void *const *)arg)[0];
	int64_t start_s = *(const int64_t *)((const void *const *)arg)[1];

	return (s->events[i]->start_s > start_s) -
	       (s->events[i]->start_s < start_s);
}

/* The first event that begins at start_s or later. */
static size_t place_of(const struct service *s, int64_t start_s, bool *found)
{
	const void *const arg[] = { s, &start_s };

	return sorted_place(s->n, order, arg, found);
}

static size_t find_id(const struct service *s, uint16_t id)
{
	size_t i = 0;

	while (i < s->n && s->events[i]->id != id)
		i++;
	return i;
}

/* Takes the event, which has room; counts what it overlaps. */
static void insert(struct guide *g, struct service *s, struct guide_event *e)
{
	bool found;
	size_t at = place_of(s, e->start_s, &found), n = 0;

	if (at > 0 && guide_event_end(s->events[at - 1]) > e->start_s)
		at--, n++;
	while (at + n < s->n &&
	       s->events[at + n]->start_s < guide_event_end(e))
		n++;
	g->counts.replaced += n;
	remove_events(g, s, at, n);
	if (s->n == s->room) {
		s->room = MAX(16, 2 * s->room);
		s->events = xrealloc(s->events,
				     s->room * sizeof s->events[0]);
	}
	memmove(s->events + at + 1, s->events + at,
		(s->n - at) * sizeof s->events[0]);
	s->events[at] = e;
	s->n++;
	g->counts.events++;
	g->counts.bytes += guide_event_size(e);
}

/* Takes the event.  True: the service has changed. */
static bool take_event(struct guide *g, struct service *s,
		       struct guide_event *e, int64_t now_s)
{
	size_t same = find_id(s, e->id);
	struct guide_event *old = same < s->n ? s->events[same] : NULL;

	if (guide_event_end(e) + GUIDE_PAST_S <= now_s) {
		free(e);
		return false;
	}
	if (old != NULL && guide_event_keeps_text(old, e))
		e = guide_event_with_text(e, old);
	if (old != NULL && guide_event_equals(old, e)) {
		free(e);
		return false;
	}
	if (e->start_s >= now_s + (int64_t)g->limits.days * DAY_S ||
	    s->n >= GUIDE_EVENTS_MAX ||
	    g->counts.bytes + guide_event_size(e) > g->limits.bytes) {
		g->counts.dropped++;
		free(e);
		return false;
	}
	if (old != NULL)
		remove_events(g, s, same, 1);
	insert(g, s, e);
	return true;
}

/* The CRC_32 of this section when it was read last; 0: it was not. */
static uint32_t *seen_of(struct guide *g, struct service *s,
			 const struct eit *eit)
{
	size_t table = eit->schedule
		? 1 + (size_t)(eit->table_id - EIT_SCHEDULE_TABLE_ID) : 0;

	if (s->seen[table] == NULL) {
		s->seen[table] = xcalloc(SECTIONS, sizeof *s->seen[table]);
		g->counts.bytes += SECTIONS * sizeof *s->seen[table];
	}
	return &s->seen[table][eit->number];
}

static uint32_t crc_of(const uint8_t *section, size_t len)
{
	const uint8_t *p = section + len - 4;

	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

bool guide_take_section(struct guide *g, const char *stream,
			const uint8_t *section, size_t len, int64_t now_s)
{
	struct guide_stream *s = find_stream(g, stream);
	struct service *service;
	struct eit_event e;
	struct eit eit;
	bool changed = false;
	uint64_t dropped = g->counts.dropped;
	uint32_t *seen;

	if (eit_open(section, len, &eit) < 0 || !eit.actual || !eit.current)
		return false;
	service = s != NULL ? find_service(s, eit.sid) : NULL;
	if (service == NULL)
		return false;
	seen = seen_of(g, service, &eit);
	if (*seen == crc_of(section, len))
		return false;
	*seen = crc_of(section, len);
	while (eit_next(&eit.events, &e)) {
		if (!e.has_start || !e.has_duration || e.duration_s == 0) {
			g->counts.undefined++;
			continue;
		}
		eit_facts_read(e.descriptors, &g->facts);
		g->counts.broken += g->facts.cut;
		changed |= take_event(g, service,
				      guide_event_new(&e, &g->facts), now_s);
	}
	g->counts.broken += eit.events.cut;
	/* a later repetition may find room */
	if (g->counts.dropped != dropped)
		*seen = 0;
	return changed;
}

static void expire_service(struct guide *g, struct service *s, int64_t now_s)
{
	size_t n = 0;

	while (n < s->n &&
	       guide_event_end(s->events[n]) + GUIDE_PAST_S <= now_s)
		n++;
	remove_events(g, s, 0, n);
}

void guide_expire(struct guide *g, int64_t now_s)
{
	struct guide_stream *s;

	LIST_FOREACH(s, &g->streams, link)
		for (size_t i = 0; i < s->n; i++)
			expire_service(g, s->services[i], now_s);
}

struct guide_counts guide_count(const struct guide *g)
{
	return g->counts;
}

/* --- as JSON --- */

static json_t *read_service(const struct service *s,
			    const struct guide_span *span)
{
	json_t *o = json_object(), *list = json_array();

	(void)json_object_set_new(o, "pnr", json_integer(s->number));
	for (size_t i = 0; i < s->n; i++) {
		const struct guide_event *e = s->events[i];
		bool begun = e->start_s <= span->now_s;

		if (guide_event_end(e) > span->now_s && begun)
			(void)json_object_set_new(o, "now",
						  guide_event_write(e));
		else if (!begun && json_object_get(o, "next") == NULL)
			(void)json_object_set_new(o, "next",
						  guide_event_write(e));
		if (guide_event_end(e) <= span->from_s ||
		    e->start_s >= span->to_s)
			continue;
		if (json_array_size(list) == span->max)
			(void)json_object_set_new(o, "cut", json_true());
		else
			(void)json_array_append_new(list,
						    guide_event_write(e));
	}
	(void)json_object_set_new(o, "events", list);
	return o;
}

static json_t *read_stream(const struct guide_stream *s,
			   const struct guide_span *span)
{
	json_t *o = json_object(), *list = json_array();

	for (size_t i = 0; i < s->n; i++)
		(void)json_array_append_new(list,
					    read_service(s->services[i],
							 span));
	(void)json_object_set_new(o, "services", list);
	return o;
}

json_t *guide_read(const struct guide *g, const char *stream,
		   const struct guide_span *span)
{
	const struct guide_stream *s = find_stream(g, stream);

	return s != NULL ? read_stream(s, span) : NULL;
}

json_t *guide_save(const struct guide *g)
{
	static const struct guide_span all = { INT64_MIN, INT64_MAX,
					       INT64_MIN, SIZE_MAX };
	json_t *o = json_object(), *streams = json_object();
	struct guide_stream *s;

	LIST_FOREACH(s, &g->streams, link)
		(void)json_object_set_new(streams, s->id,
					  read_stream(s, &all));
	(void)json_object_set_new(o, "streams", streams);
	return o;
}

static void load_service(struct guide *g, struct guide_stream *s,
			 const json_t *saved, int64_t now_s)
{
	json_int_t number = json_integer_value(json_object_get(saved, "pnr"));
	const json_t *one, *list = json_object_get(saved, "events");
	struct service *service;
	size_t i;

	if (number < 1 || number > UINT16_MAX)
		return;
	service = add_service(g, s, (uint16_t)number);
	if (service == NULL)
		return;
	json_array_foreach((json_t *)(uintptr_t)list, i, one) {
		struct guide_event *e = guide_event_read(one);

		if (e != NULL)
			(void)take_event(g, service, e, now_s);
	}
}

void guide_load(struct guide *g, const json_t *saved, int64_t now_s)
{
	const json_t *streams = json_object_get(saved, "streams"), *one;
	const char *id;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)streams, id, one) {
		struct guide_stream *s = add_stream(g, id);
		const json_t *service;

		json_array_foreach(json_object_get(one, "services"), i,
				   service)
			load_service(g, s, service, now_s);
	}
}
