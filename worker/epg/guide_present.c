/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_present.h"

#include "common/base/hash.h"
#include "worker/epg/guide_state.h"

#include <string.h>

enum {
	EVENT_BYTES = 16 * 1024, /* JSON of an event; a longer event is
				  * shortened */
	/* a first title that is too long is cut to this; in JSON a byte becomes
	 * up to 6 bytes */
	TITLE_BYTES = 2048,
};

/* The present and the following event of a service; NULL: there is none. */
struct present {
	const struct guide_event *now, *next;
};

static struct present find(const struct service *s, int64_t now_s)
{
	size_t at = guide_place_of(s, now_s + 1);
	struct present p = { 0 };

	if (at > 0 && guide_event_end(s->events[at - 1]) > now_s)
		p.now = s->events[at - 1];
	if (at < s->n)
		p.next = s->events[at];
	return p;
}

static uint64_t hash_of(const struct present *p)
{
	uint64_t hash = HASH_INIT;

	if (p->now == NULL && p->next == NULL)
		return 0;
	if (p->now != NULL)
		hash = guide_event_hash(p->now, hash);
	hash = hash_add(hash, "", 1);
	if (p->next != NULL)
		hash = guide_event_hash(p->next, hash);
	return MAX(hash, UINT64_C(1));
}

static bool is_long(const json_t *event)
{
	return json_dumpb(event, NULL, 0, JSON_COMPACT) > EVENT_BYTES;
}

/* Cuts the title of a text to TITLE_BYTES, between two characters. */
static void cut_title(json_t *text)
{
	const char *title = json_string_value(json_object_get(text, "title"));
	size_t n = TITLE_BYTES;

	if (title == NULL || strlen(title) <= n)
		return;
	while (n > 0 && (title[n] & 0xc0) == 0x80)
		n--;
	(void)json_object_set_new(text, "title", json_stringn(title, n));
}

/* Removes and cuts texts until the JSON of the event has at most
 * EVENT_BYTES. */
static void shorten(json_t *event)
{
	json_t *texts = json_object_get(event, "texts"), *text;
	size_t i;

	if (!is_long(event))
		return;
	json_array_foreach(texts, i, text)
		(void)json_object_del(text, "summary");
	while (is_long(event) && json_array_size(texts) > 1)
		(void)json_array_remove(texts, json_array_size(texts) - 1);
	if (is_long(event))
		cut_title(json_array_get(texts, 0));
}

static void put(json_t *o, const char *key, const struct guide_event *e)
{
	json_t *event;

	if (e == NULL)
		return;
	event = guide_event_write_brief(e);
	shorten(event);
	(void)json_object_set_new(o, key, event);
}

/* Reports the events of a service; false: the receiver has no room now. */
static bool report(const struct guide_stream *stream, const struct service *s,
		   const struct present *p, guide_present_fn *found, void *arg)
{
	json_t *o = json_object();
	bool taken;

	put(o, "now", p->now);
	put(o, "next", p->next);
	taken = found(stream->id, s->number, o, arg);
	json_decref(o);
	return taken;
}

void guide_present_begin(struct guide *g, int64_t now_s)
{
	struct guide_stream *s;

	LIST_FOREACH(s, &g->streams, link)
		for (size_t i = 0; i < s->n; i++) {
			struct present p = find(s->services[i], now_s);

			s->services[i]->shown = hash_of(&p);
		}
}

void guide_present_find(struct guide *g, int64_t now_s, size_t max,
			guide_present_fn *found, void *arg)
{
	const struct guide_stream *s;

	LIST_FOREACH(s, &g->streams, link)
		for (size_t i = 0; i < s->n && max > 0; i++) {
			struct present p = find(s->services[i], now_s);
			uint64_t hash = hash_of(&p);

			if (s->services[i]->shown == hash)
				continue;
			if (!report(s, s->services[i], &p, found, arg))
				return;
			s->services[i]->shown = hash;
			max--;
		}
}
