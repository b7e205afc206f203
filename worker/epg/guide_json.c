/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The guide as JSON for requests, and the position of a saver in the guide. */
#include "worker/epg/guide_state.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* bytes of JSON of a service without its events, and of an answer
	 * without services */
	FRAME_BYTES = 128,
};

/* --- answers --- */

/* The event as JSON, a new reference; subtracts its length from *room.  NULL:
 * it is longer than *room. */
static json_t *write_event(const struct guide_event *e, size_t *room)
{
	json_t *o = guide_event_write(e);
	size_t len = json_dumpb(o, NULL, 0, JSON_COMPACT) + FRAME_BYTES / 4;

	if (len > *room) {
		json_decref(o);
		return NULL;
	}
	*room -= len;
	return o;
}

/* Adds the event to the object as `key', or "cut" if it has no room. */
static void put_event(json_t *o, const char *key, const struct guide_event *e,
		      size_t *room)
{
	json_t *event = write_event(e, room);

	if (event != NULL)
		(void)json_object_set_new(o, key, event);
	else
		(void)json_object_set_new(o, "cut", json_true());
}

static void put_now(json_t *o, const struct service *s,
		    const struct guide_span *span, size_t *room)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct guide_event *e = s->events[i];

		if (guide_event_end(e) <= span->now_s)
			continue;
		if (e->start_s > span->now_s) {
			put_event(o, "next", e, room);
			return;
		}
		put_event(o, "now", e, room);
	}
}

static json_t *read_service(const struct service *s,
			    const struct guide_span *span, size_t *room)
{
	json_t *o = json_object(), *list = json_array(), *event;

	(void)json_object_set_new(o, "pnr", json_integer(s->number));
	put_now(o, s, span, room);
	for (size_t i = 0; i < s->n; i++) {
		const struct guide_event *e = s->events[i];

		if (guide_event_end(e) <= span->from_s)
			continue;
		if (e->start_s >= span->to_s)
			break;
		event = json_array_size(list) < span->max
				? write_event(e, room) : NULL;
		if (event == NULL) {
			(void)json_object_set_new(o, "cut", json_true());
			break;
		}
		(void)json_array_append_new(list, event);
	}
	(void)json_object_set_new(o, "events", list);
	return o;
}

json_t *guide_read(const struct guide *g, const char *stream,
		   const struct guide_span *span)
{
	const struct guide_stream *s = guide_find_stream(g, stream);
	json_t *o, *list;
	size_t room = span->bytes;

	if (s == NULL || s->n == 0)
		return NULL;
	o = json_object();
	list = json_array();
	room -= MIN(room, (s->n + 1) * FRAME_BYTES);
	for (size_t i = 0; i < s->n; i++)
		if (span->pnr == 0 || s->services[i]->number == span->pnr)
			(void)json_array_append_new(
				list, read_service(s->services[i], span,
						   &room));
	(void)json_object_set_new(o, "services", list);
	return o;
}

/* --- the saved guide --- */

void guide_save_begin(struct guide *g)
{
	g->saving = (struct guide_place){ LIST_FIRST(&g->streams), 0,
					  INT64_MIN };
}

const struct service *guide_service_from(const struct guide_stream *s,
					 unsigned number)
{
	const struct service *first = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (s->services[i]->number >= number &&
		    (first == NULL || s->services[i]->number < first->number))
			first = s->services[i];
	return first;
}

/* The next event to save; moves *at behind it.  NULL: all events are saved.
 * Between two calls services may appear and disappear. */
static const struct guide_event *next_event(struct guide_place *at)
{
	while (at->stream != NULL) {
		const struct service *s = guide_service_from(at->stream,
							     at->number);
		size_t i;

		if (s == NULL) {
			*at = (struct guide_place){
				LIST_NEXT(at->stream, link), 0, INT64_MIN };
			continue;
		}
		if (s->number > at->number)
			at->start_s = INT64_MIN;
		at->number = s->number;
		i = guide_place_of(s, at->start_s);
		if (i < s->n) {
			at->start_s = s->events[i]->start_s + 1;
			return s->events[i];
		}
		at->number++;
		at->start_s = INT64_MIN;
	}
	return NULL;
}

const struct guide_event *guide_save_next(struct guide *g,
					  const char **ret_stream,
					  uint16_t *ret_number)
{
	const struct guide_event *e = next_event(&g->saving);

	if (e == NULL) {
		guide_save_begin(g);
		return NULL;
	}
	*ret_stream = g->saving.stream->id;
	*ret_number = (uint16_t)g->saving.number;
	return e;
}

void guide_load(struct guide *g, const char *stream, uint16_t number,
		struct guide_event *e, int64_t now_s)
{
	struct service *service = NULL;

	/* without sources the EIT may replace imported events */
	if (!g->limits.imports)
		e->source = 0;
	/* a stream is added only if there is room for its service */
	if (guide_find_stream(g, stream) != NULL ||
	    g->counts.services < g->limits.services)
		service = guide_add_service(g, guide_add_stream(g, stream),
					    number);
	if (service == NULL)
		free(e);
	else
		(void)guide_take_event(g, service, e, now_s);
}

bool guide_load_event(struct guide *g, const json_t *saved, int64_t now_s)
{
	const char *id = json_string_value(json_object_get(saved, "stream"));
	json_int_t number = json_integer_value(json_object_get(saved, "pnr"));
	struct guide_event *e;

	if (id == NULL || *id == '\0' || number < 0 || number > UINT16_MAX)
		return false;
	e = guide_event_read(json_object_get(saved, "event"), &g->facts);
	if (e == NULL)
		return false;
	guide_load(g, id, (uint16_t)number, e, now_s);
	return true;
}
