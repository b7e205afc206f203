/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of the guide that an import took (guide_import.h). */
#include "common/base/alloc.h"
#include "worker/epg/guide_state.h"

#include <stdlib.h>
#include <string.h>

enum {
	IDS = UINT16_MAX + 1,
	/* An event with the same title counts as the same programme, moved, if
	 * its start differs by at most this; otherwise it is a repetition. */
	MOVED_S = 3 * 3600,
	MOVED_EVENTS = 64, /* a moved programme is sought among this number of
			    * events in front of and behind its new start */
};

/* The ids that the events of an import get from events of the service. */
struct ids {
	const struct service *service;
	size_t kept; /* events of the service with a lower index stay */
	uint8_t used[IDS / 8]; /* bit set of the ids in use */
	bool given[GUIDE_EVENTS_MAX]; /* for each event of the service: an event
				       * of the import has its id */
	bool has[GUIDE_EVENTS_MAX];   /* for each event of the import: it has an
				       * id */
};

/* Finds the event of the service whose id an event of the import gets;
 * service->n: there is none. */
typedef size_t find_fn(const struct ids *, const struct guide_event *);

static bool is_used(const struct ids *ids, uint16_t id)
{
	return ids->used[id / 8] >> id % 8 & 1;
}

static void use(struct ids *ids, uint16_t id)
{
	ids->used[id / 8] |= (uint8_t)(1 << id % 8);
}

/* A free id for a new event: the minute of its start, which is the same in each
 * document, or the next free number. */
static uint16_t new_id(const struct ids *ids, int64_t start_s)
{
	uint16_t id = (uint16_t)(start_s / 60);

	while (is_used(ids, id))
		id++;
	return id;
}

static size_t find_by_start(const struct ids *ids, const struct guide_event *e)
{
	const struct service *s = ids->service;
	size_t at = guide_place_of(s, e->start_s);

	return at >= ids->kept && at < s->n && !ids->given[at] &&
			       s->events[at]->start_s == e->start_s
		       ? at : s->n;
}

static bool has_title_of(const struct guide_event *a,
			 const struct guide_event *b)
{
	return strcmp(guide_event_title(a), guide_event_title(b)) == 0;
}

static size_t find_same(const struct ids *ids, const struct guide_event *e)
{
	const struct service *s = ids->service;
	size_t at = find_by_start(ids, e);

	return at < s->n && has_title_of(s->events[at], e) ? at : s->n;
}

/* Finds the nearest event with the same title; service->n: there is none within
 * MOVED_S. */
static size_t find_moved(const struct ids *ids, const struct guide_event *e)
{
	const struct service *s = ids->service;
	size_t place = guide_place_of(s, e->start_s), found = s->n;
	size_t first = MAX(ids->kept, place - MIN(place, (size_t)MOVED_EVENTS));
	int64_t nearest_s = MOVED_S + 1;

	if (guide_event_title(e)[0] == '\0')
		return s->n;
	for (size_t i = first; i < s->n && i < place + MOVED_EVENTS; i++) {
		int64_t away_s = llabs(s->events[i]->start_s - e->start_s);

		if (ids->given[i] || away_s >= nearest_s ||
		    !has_title_of(s->events[i], e))
			continue;
		nearest_s = away_s;
		found = i;
	}
	return found;
}

static void match(struct ids *ids, struct guide_event **events, size_t n,
		  find_fn *find)
{
	const struct service *s = ids->service;

	for (size_t i = 0; i < n; i++) {
		size_t at = ids->has[i] ? s->n : find(ids, events[i]);

		if (at == s->n)
			continue;
		ids->has[i] = ids->given[at] = true;
		events[i]->id = s->events[at]->id;
		use(ids, events[i]->id);
	}
}

/* Sets the ids of new events.  A programme keeps the id of its old event if it
 * moves or gets another title; other programmes get new ids.  The ids of the
 * first `kept' events of the service are not used. */
static void set_ids(const struct service *s, size_t kept,
		    struct guide_event **events, size_t n)
{
	static find_fn *const ways[] = { find_same, find_moved,
					 find_by_start };
	struct ids *ids = xcalloc(1, sizeof *ids);

	ids->service = s;
	ids->kept = kept;
	for (size_t i = 0; i < kept; i++)
		use(ids, s->events[i]->id);
	for (size_t i = 0; i < ARRAY_LEN(ways); i++)
		match(ids, events, n, ways[i]);
	for (size_t i = 0; i < n; i++) {
		if (ids->has[i])
			continue;
		events[i]->id = new_id(ids, events[i]->start_s);
		use(ids, events[i]->id);
	}
	free(ids);
}

/* The number of events of the service that end at start_s or earlier. */
static size_t count_kept(const struct service *s, int64_t start_s)
{
	size_t n = 0;

	while (n < s->n && guide_event_end(s->events[n]) <= start_s)
		n++;
	return n;
}

static bool is_same(const struct service *s, size_t kept,
		    struct guide_event *const *events, size_t n)
{
	if (s->n - kept != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (s->events[kept + i]->source != GUIDE_IMPORTED ||
		    !guide_event_equals(s->events[kept + i], events[i]))
			return false;
	return true;
}

static bool has_room(struct guide *g, const struct service *s,
		     const struct guide_event *e)
{
	if (s->n == GUIDE_EVENTS_MAX)
		return false;
	while (g->counts.bytes + guide_event_size(e) > g->limits.bytes)
		if (!guide_free_hidden(g))
			return false;
	return true;
}

/* Appends the event if it has room.  Takes the event. */
static void append(struct guide *g, struct service *s, struct guide_event *e)
{
	if (!has_room(g, s, e)) {
		g->counts.dropped++;
		free(e);
		return;
	}
	if (s->n == s->room) {
		s->room = MAX(16, 2 * s->room);
		s->events = xrealloc(s->events,
				     s->room * sizeof s->events[0]);
	}
	s->events[s->n++] = e;
	s->edited = ++g->edits;
	g->counts.events++;
	g->counts.bytes += guide_event_size(e);
}

bool guide_take_imported(struct guide *g, struct service *s,
			 struct guide_event **events, size_t n)
{
	size_t kept = count_kept(s, events[0]->start_s);
	bool changed;

	s->imported = true;
	/* drops events beyond the limit of a service, so that there are always
	 * free ids */
	for (; n > GUIDE_EVENTS_MAX - kept; n--) {
		g->counts.dropped++;
		free(events[n - 1]);
	}
	set_ids(s, kept, events, n);
	changed = !is_same(s, kept, events, n);
	if (changed) {
		guide_remove_events(g, s, kept, s->n - kept, GUIDE_ALL);
		/* when the last imported event is over, the whole EIT is read
		 * again */
		guide_forget_sections(g, s);
	}
	for (size_t i = 0; i < n; i++)
		if (changed)
			append(g, s, events[i]);
		else
			free(events[i]);
	return changed;
}

bool guide_is_imported(const struct service *s, int64_t now_s)
{
	const struct guide_event *last = s->n > 0 ? s->events[s->n - 1] : NULL;

	return last != NULL && last->source == GUIDE_IMPORTED &&
	       guide_event_end(last) > now_s;
}

static void release(struct service *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->events[i]->source == GUIDE_IMPORTED)
			s->events[i]->source = 0;
}

/* In services whose EIT is generated from this guide, removes the events that
 * are not imported. */
static void drop_others(struct guide *g, struct guide_stream *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct service *service = s->services[i];

		if (own_services_has(&s->own, service->number))
			guide_remove_events(g, service, 0, service->n,
					    GUIDE_NOT_IMPORTED);
	}
}

void guide_release_imported(struct guide *g)
{
	struct guide_stream *s;

	LIST_FOREACH(s, &g->streams, link) {
		for (size_t i = 0; i < s->n; i++)
			if (!s->services[i]->imported)
				release(s->services[i]);
		drop_others(g, s);
	}
}

void guide_import_again(struct guide *g, struct guide_stream *s)
{
	for (size_t i = 0; i < s->n; i++)
		release(s->services[i]);
	guide_free_hidden_of(g, s);
	drop_others(g, s);
	g->new_services++;
}

void guide_set_own(struct guide *g, const char *stream,
		   const struct own_services *own)
{
	struct guide_stream *s = guide_add_stream(g, stream);
	struct own_services before = s->own;

	s->own = *own;
	drop_others(g, s);
	/* the whole EIT of a service that now passes is read again */
	for (size_t i = 0; i < s->n; i++)
		if (own_services_has(&before, s->services[i]->number) &&
		    !own_services_has(own, s->services[i]->number))
			guide_forget_sections(g, s->services[i]);
}
