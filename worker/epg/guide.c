/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "common/base/sorted.h"
#include "worker/epg/guide_state.h"

#include <stdlib.h>
#include <string.h>

enum {
	DAY_S = 24 * 3600,
	/* time after which sections with events beyond a limit are read
	 * again */
	AGAIN_S = 60,
	/* The work to parse an event, as the number of stream bytes that could
	 * be read in that time.  work_of() adds the work of its texts, and of
	 * the comparison of its id with those of the service. */
	WORK_EVENT = 256,
	/* An extended text has numbered parts.  For each number the parser
	 * looks through all descriptors, so the work grows with the square of
	 * their length.  The work is this square, shifted right by
	 * WORK_TEXT_SHIFT bits. */
	WORK_TEXT_SHIFT = 6,
};

struct guide *guide_new(const struct guide_limits *limits)
{
	struct guide *g = xcalloc(1, sizeof *g);

	g->limits = *limits;
	LIST_INIT(&g->streams);
	TAILQ_INIT(&g->absent);
	for (size_t i = 0; i < ID_CHAINS; i++)
		LIST_INIT(&g->by_id[i]);
	return g;
}

static size_t chain_of(const char *id)
{
	return (size_t)(hash_add(HASH_INIT, id, strlen(id)) % ID_CHAINS);
}

struct guide_stream *guide_find_stream(const struct guide *g, const char *id)
{
	struct guide_stream *s;

	LIST_FOREACH(s, &g->by_id[chain_of(id)], in_chain)
		if (strcmp(s->id, id) == 0)
			break;
	return s;
}

/* Sets the id of the stream, which takes the string. */
static void set_id(struct guide *g, struct guide_stream *s, char *id)
{
	free(s->id);
	s->id = id;
	s->edited = ++g->edits;
	LIST_INSERT_HEAD(&g->by_id[chain_of(id)], s, in_chain);
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

void guide_remove_events(struct guide *g, struct service *s, size_t at,
			 size_t n, enum guide_removal which)
{
	size_t end = at + n, kept = at;

	for (size_t i = at; i < end; i++) {
		struct guide_event *e = s->events[i];

		if (which == GUIDE_NOT_IMPORTED &&
		    e->source == GUIDE_IMPORTED) {
			s->events[kept++] = e;
			continue;
		}
		g->counts.bytes -= guide_event_size(e);
		free(e);
	}
	/* no event was removed; the array may be NULL */
	if (kept == end)
		return;
	s->edited = ++g->edits;
	memmove(s->events + kept, s->events + end,
		(s->n - end) * sizeof s->events[0]);
	s->n -= end - kept;
	g->counts.events -= end - kept;
}

void guide_free_service(struct guide *g, struct service *s)
{
	guide_remove_events(g, s, 0, s->n, GUIDE_ALL);
	for (size_t i = 0; i < TABLES; i++) {
		g->counts.bytes -= s->seen[i] != NULL
					   ? SECTIONS * sizeof *s->seen[i]
					   : 0;
		free(s->seen[i]);
	}
	free(s->name);
	free(s->events);
	free(s);
	g->counts.services--;
}

static void free_stream(struct guide *g, struct guide_stream *s)
{
	while (s->n > 0)
		guide_free_service(g, s->services[--s->n]);
	guide_free_hidden_of(g, s);
	if (g->saving.stream == s)
		g->saving = (struct guide_place){ LIST_NEXT(s, link), 0,
						  INT64_MIN };
	LIST_REMOVE(s, link);
	LIST_REMOVE(s, in_chain);
	guide_forget_network(s);
	free(s->id);
	free(s->channel);
	free(s);
}

void guide_remove_stream(struct guide *g, const char *stream)
{
	struct guide_stream *s = guide_find_stream(g, stream);

	if (s != NULL)
		free_stream(g, s);
}

void guide_rename_stream(struct guide *g, const char *from, const char *to)
{
	struct guide_stream *s = guide_find_stream(g, from);

	if (s == NULL || strcmp(from, to) == 0)
		return;
	guide_remove_stream(g, to);
	LIST_REMOVE(s, in_chain);
	set_id(g, s, xstrdup(to));
	if (s->known && s->channel == NULL)
		guide_import_again(g, s);
}

void guide_know_stream(struct guide *g, const char *stream,
		       const char *channel)
{
	struct guide_stream *s = guide_add_stream(g, stream);
	const char *had = s->channel != NULL ? s->channel : "";

	if (s->known && strcmp(had, channel) == 0)
		return;
	if (s->known)
		guide_import_again(g, s);
	else
		g->new_services++;
	s->known = true;
	free(s->channel);
	s->channel = channel[0] != '\0' ? xstrdup(channel) : NULL;
}

void guide_set_codepage(struct guide *g, const char *stream,
			enum text_table codepage)
{
	struct guide_stream *s = guide_add_stream(g, stream);

	if (s->codepage == codepage)
		return;
	s->codepage = codepage;
	memset(s->sdt_seen, 0, sizeof s->sdt_seen);
	for (size_t i = 0; i < s->n; i++)
		guide_forget_sections(g, s->services[i]);
}

void guide_set_dictionary(struct guide *g, struct text_dictionary *d)
{
	text_dictionary_free(&g->dictionary);
	g->dictionary = d;
	g->facts.dictionary = d;
}

void guide_remove_unknown(struct guide *g)
{
	struct guide_stream *s = LIST_FIRST(&g->streams), *next;

	for (; s != NULL; s = next) {
		next = LIST_NEXT(s, link);
		if (!s->known)
			free_stream(g, s);
	}
}

void guide_free(struct guide **gp)
{
	struct guide *g = *gp;

	*gp = NULL;
	if (g == NULL)
		return;
	while (!LIST_EMPTY(&g->streams))
		free_stream(g, LIST_FIRST(&g->streams));
	text_dictionary_free(&g->dictionary);
	free(g);
}

/* --- streams and services --- */

struct guide_stream *guide_add_stream(struct guide *g, const char *id)
{
	struct guide_stream *s = guide_find_stream(g, id);

	if (s != NULL)
		return s;
	s = xcalloc(1, sizeof *s);
	s->serial = ++g->last_serial;
	set_id(g, s, xstrdup(id));
	LIST_INSERT_HEAD(&g->streams, s, link);
	return s;
}

struct service *guide_add_service(struct guide *g, struct guide_stream *s,
				  uint16_t number)
{
	struct service *service = find_service(s, number);

	if (service != NULL)
		return service;
	if (s->n == GUIDE_PROGRAMS_MAX)
		return NULL;
	service = guide_unhide_service(g, s, number);
	if (service == NULL) {
		if (g->counts.services >= g->limits.services &&
		    !guide_free_hidden(g))
			return NULL;
		service = xcalloc(1, sizeof *service);
		service->number = number;
		g->counts.services++;
	}
	s->services[s->n++] = service;
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
	struct guide_stream *s = guide_add_stream(g, stream);
	struct service *only = find_service(s, 0);
	bool named = only != NULL && n == 1 &&
		     find_service(s, numbers[0]) == NULL;
	size_t had;

	/* an import added the only service before the PAT was read, with number
	 * 0 */
	if (named)
		only->number = numbers[0];
	if (!s->has_programs)
		s->edited = ++g->edits;
	s->has_programs = true;
	for (size_t i = 0; i < s->n;) {
		struct service *service = s->services[i];

		if (has_number(numbers, n, service->number)) {
			i++;
			continue;
		}
		s->services[i] = s->services[--s->n];
		guide_hide_service(g, s, service);
	}
	had = s->n;
	for (size_t i = 0; i < n; i++)
		(void)guide_add_service(g, s, numbers[i]);
	g->new_services += s->n - had;
	/* for new services an SDT that preceded the PAT had no effect, so it is
	 * read again */
	if (s->n > had || named)
		memset(s->sdt_seen, 0, sizeof s->sdt_seen);
}

uint64_t guide_new_services(const struct guide *g)
{
	return g->new_services;
}

/* --- events --- */

static int order(size_t i, const void *arg)
{
	const struct service *s = ((const void *const *)arg)[0];
	int64_t start_s = *(const int64_t *)((const void *const *)arg)[1];

	return (s->events[i]->start_s > start_s) -
	       (s->events[i]->start_s < start_s);
}

size_t guide_place_of(const struct service *s, int64_t start_s)
{
	const void *const arg[] = { s, &start_s };
	bool found;

	return sorted_place(s->n, order, arg, &found);
}

static size_t find_id(const struct service *s, uint16_t id)
{
	size_t i = 0;

	while (i < s->n && s->events[i]->id != id)
		i++;
	return i;
}

/* Inserts an event, for which there is room, and removes and counts the events
 * that it overlaps.  Takes the event. */
static void insert(struct guide *g, struct service *s, struct guide_event *e)
{
	size_t at = guide_place_of(s, e->start_s), n = 0;

	if (at > 0 && guide_event_end(s->events[at - 1]) > e->start_s)
		at--, n++;
	while (at + n < s->n &&
	       s->events[at + n]->start_s < guide_event_end(e))
		n++;
	g->counts.replaced += n;
	s->overlapped |= n > 0;
	guide_remove_events(g, s, at, n, GUIDE_ALL);
	if (s->n == s->room) {
		s->room = MAX(16, 2 * s->room);
		s->events = xrealloc(s->events,
				     s->room * sizeof s->events[0]);
	}
	memmove(s->events + at + 1, s->events + at,
		(s->n - at) * sizeof s->events[0]);
	s->events[at] = e;
	s->n++;
	s->edited = ++g->edits;
	g->counts.events++;
	g->counts.bytes += guide_event_size(e);
}

void guide_forget_sections(struct guide *g, struct service *s)
{
	g->work += SECTIONS * WORK_LOOK;
	for (size_t i = 0; i < TABLES; i++)
		if (s->seen[i] != NULL)
			memset(s->seen[i], 0, SECTIONS * sizeof *s->seen[i]);
	s->again_s = 0;
	s->overlapped = false;
}

static void read_again(struct service *s, int64_t time_s)
{
	if (s->again_s == 0 || time_s < s->again_s)
		s->again_s = time_s;
}

/* Stores that the event was received again, unchanged, in the section of e. */
static void keep(struct guide_event *old, const struct guide_event *e)
{
	old->round = e->round;
	if (e->source != 0)
		old->source = e->source;
}

static bool has_room(const struct guide *g, const struct service *s,
		     const struct guide_event *e, const struct guide_event *old)
{
	size_t n = s->n, bytes = g->counts.bytes;

	if (old != NULL) {
		n--;
		bytes -= guide_event_size(old);
	}
	return n < GUIDE_EVENTS_MAX &&
	       bytes + guide_event_size(e) <= g->limits.bytes;
}

/* Inserts an event that is new (at: s->n) or replaces the one with index `at'.
 * Takes the event. */
static bool replace(struct guide *g, struct service *s, struct guide_event *e,
		    size_t at)
{
	const struct guide_event *old = at < s->n ? s->events[at] : NULL;
	bool moved = old != NULL && (old->start_s != e->start_s ||
				     old->duration_s != e->duration_s);

	if (old != NULL && e->source == 0)
		e->source = old->source;
	if (old != NULL)
		guide_remove_events(g, s, at, 1, GUIDE_ALL);
	/* events that `old' had replaced may no longer overlap any event */
	if (moved && s->overlapped)
		guide_forget_sections(g, s);
	insert(g, s, e);
	return true;
}

bool guide_take_event(struct guide *g, struct service *s,
		      struct guide_event *e, int64_t now_s)
{
	size_t same = find_id(s, e->id);
	struct guide_event *old = same < s->n ? s->events[same] : NULL;
	/* after this time the event is within the days of the limit */
	int64_t far_s = e->start_s - (int64_t)g->limits.days * DAY_S;
	bool is_far = far_s >= now_s;

	if (guide_event_end(e) + GUIDE_PAST_S <= now_s) {
		free(e);
		return false;
	}
	/* The running_status in a schedule is often "undefined"; that of
	 * present/following then stays. */
	if (old != NULL && e->source != 0 && e->running == 0 &&
	    old->start_s == e->start_s)
		e->running = old->running;
	/* present/following, which may have more text, is read again */
	if (old != NULL && e->source != 0 && old->len > e->len &&
	    s->seen[0] != NULL)
		memset(s->seen[0], 0, SECTIONS * sizeof *s->seen[0]);
	if (old != NULL && guide_event_keeps_text(old, e))
		e = guide_event_with_text(e, old);
	if (old != NULL && guide_event_equals(old, e)) {
		keep(old, e);
		free(e);
		return false;
	}
	while (!is_far && !has_room(g, s, e, old) && guide_free_hidden(g))
		continue;
	if (!is_far && has_room(g, s, e, old))
		return replace(g, s, e, same);
	g->counts.dropped++;
	read_again(s, is_far ? MAX(far_s + 1, now_s + AGAIN_S)
			     : now_s + AGAIN_S);
	free(e);
	/* the time of the old event is wrong */
	if (old != NULL && is_far)
		guide_remove_events(g, s, same, 1, GUIDE_ALL);
	return old != NULL && is_far;
}

/* --- sections --- */

/* The place where the guide stores the CRC_32 of this section when it reads it;
 * 0: it was not read.  NULL: there is no room. */
static uint32_t *seen_of(struct guide *g, struct service *s,
			 const struct eit *eit)
{
	size_t table = eit->schedule
		? 1 + (size_t)(eit->table_id - EIT_SCHEDULE_TABLE_ID) : 0;
	size_t bytes = SECTIONS * sizeof *s->seen[table];

	if (s->seen[table] == NULL) {
		while (g->counts.bytes + bytes > g->limits.bytes)
			if (!guide_free_hidden(g))
				return NULL;
		s->seen[table] = xcalloc(1, bytes);
		g->counts.bytes += bytes;
	}
	return &s->seen[table][eit->number];
}

/* The work of an event, as a number of stream bytes like WORK_EVENT.  It grows
 * with the events of the service, because guide_take_event() compares the id
 * with the id of each of them. */
static size_t work_of(const struct service *s, const struct eit_event *e)
{
	size_t len = e->descriptors.len;

	return WORK_EVENT + s->n * WORK_LOOK + (len * len >> WORK_TEXT_SHIFT);
}

static bool read_events(struct guide *g, struct service *s, struct eit *eit,
			int64_t now_s)
{
	struct eit_event from;
	bool changed = guide_stop_others(g, s, *eit);

	g->round++;
	while (eit_next(&eit->events, &from)) {
		struct guide_event *e;

		if (!from.has_start || !from.has_duration ||
		    from.duration_s == 0) {
			g->counts.undefined++;
			continue;
		}
		g->work += work_of(s, &from);
		eit_facts_read(from.descriptors, &g->facts);
		g->counts.broken += g->facts.cut;
		g->counts.compressed += g->facts.compressed;
		e = guide_event_new(&from, &g->facts);
		e->source = guide_source_of(eit, eit->number);
		e->round = g->round;
		changed |= guide_take_event(g, s, e, now_s);
	}
	g->counts.broken += eit->events.cut;
	changed |= guide_remove_gone(g, s, eit, now_s);
	return changed;
}

bool guide_take_from(struct guide *g, struct guide_stream *s,
		     const struct guide_stream *from, struct eit eit,
		     uint32_t crc, int64_t now_s)
{
	struct service *service = find_service(s, eit.sid);
	uint32_t *seen;

	if (service == NULL || own_services_has(&s->own, eit.sid) ||
	    guide_is_imported(service, now_s) ||
	    !guide_is_source(service, s, from, &eit, now_s))
		return false;
	if (service->again_s != 0 && service->again_s <= now_s)
		guide_forget_sections(g, service);
	seen = seen_of(g, service, &eit);
	if (seen == NULL) {
		g->counts.dropped++;
		return false;
	}
	if (*seen == crc)
		return false;
	*seen = crc;
	g->facts.unnamed = from->codepage;
	return read_events(g, service, &eit, now_s);
}

bool guide_take_section(struct guide *g, const char *stream,
			const uint8_t *section, size_t len, int64_t now_s)
{
	struct guide_stream *s = guide_find_stream(g, stream);
	struct eit eit;
	uint32_t crc;

	if (s == NULL || eit_open(section, len, &eit) < 0 || !eit.current)
		return false;
	crc = guide_section_crc(section, len);
	return eit.actual ? guide_take_from(g, s, s, eit, crc, now_s)
			  : guide_take_other(g, s, eit, crc, now_s);
}

size_t guide_take_work(struct guide *g)
{
	size_t work = g->work;

	g->work = 0;
	return work;
}

static void expire_service(struct guide *g, struct service *s, int64_t now_s)
{
	size_t n = 0;

	while (n < s->n &&
	       guide_event_end(s->events[n]) + GUIDE_PAST_S <= now_s)
		n++;
	guide_remove_events(g, s, 0, n, GUIDE_ALL);
}

void guide_expire(struct guide *g, int64_t now_s)
{
	struct guide_stream *s;

	LIST_FOREACH(s, &g->streams, link)
		for (size_t i = 0; i < s->n; i++)
			expire_service(g, s->services[i], now_s);
	guide_expire_hidden(g, now_s);
}

struct guide_counts guide_count(const struct guide *g)
{
	return g->counts;
}
