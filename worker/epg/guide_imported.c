/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of the guide that an import took (guide_import.h). */
#include "common/base/alloc.h"
#include "worker/epg/guide_state.h"

#include <stdlib.h>
#include <string.h>

enum { IDS = UINT16_MAX + 1 };

/* The ids of a service that are in use. */
struct ids {
	uint8_t used[IDS / 8];
};

static bool is_used(const struct ids *ids, uint16_t id)
{
	return ids->used[id / 8] >> id % 8 & 1;
}

static void use(struct ids *ids, uint16_t id)
{
	ids->used[id / 8] |= (uint8_t)(1 << id % 8);
}

/* The minute of the start, so that it is the same in each document; or the next
 * one that is free. */
static uint16_t new_id(const struct ids *ids, int64_t start_s)
{
	uint16_t id = (uint16_t)(start_s / 60);

	while (is_used(ids, id))
		id++;
	return id;
}

/* The id that the event has in the guide; false: none. */
static bool present_id(const struct service *s, const struct guide_event *e,
		       uint16_t *ret)
{
	size_t at = guide_place_of(s, e->start_s);

	if (at == s->n || s->events[at]->start_s != e->start_s)
		return false;
	*ret = s->events[at]->id;
	return true;
}

/* The events before kept stay.  Those that have an id keep it first. */
static void set_ids(const struct service *s, size_t kept,
		    struct guide_event **events, size_t n)
{
	struct ids *ids = xcalloc(1, sizeof *ids);
	uint16_t id;

	for (size_t i = 0; i < kept; i++)
		use(ids, s->events[i]->id);
	for (size_t i = 0; i < n; i++)
		if (present_id(s, events[i], &id))
			use(ids, id);
	for (size_t i = 0; i < n; i++) {
		events[i]->id = present_id(s, events[i], &id)
				? id : new_id(ids, events[i]->start_s);
		use(ids, events[i]->id);
	}
	free(ids);
}

/* Events that are over when the first new one begins. */
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

/* Takes the event if it has room. */
static void append(struct guide *g, struct service *s, struct guide_event *e)
{
	if (s->n == GUIDE_EVENTS_MAX ||
	    g->counts.bytes + guide_event_size(e) > g->limits.bytes) {
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
	/* a service has fewer events than ids */
	for (; n > GUIDE_EVENTS_MAX - kept; n--) {
		g->counts.dropped++;
		free(events[n - 1]);
	}
	set_ids(s, kept, events, n);
	changed = !is_same(s, kept, events, n);
	if (changed) {
		guide_remove_events(g, s, kept, s->n - kept, GUIDE_ALL);
		/* when the import is over, all of the EIT is read */
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

/* A service whose EIT is made from the guide has imported events alone. */
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
	/* what passes now is read from its begin */
	for (size_t i = 0; i < s->n; i++)
		if (own_services_has(&before, s->services[i]->number) &&
		    !own_services_has(own, s->services[i]->number))
			guide_forget_sections(g, s->services[i]);
}
