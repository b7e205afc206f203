/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_event.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"

#include <stdlib.h>
#include <string.h>

enum {
	STRINGS = 4, /* strings of a language in guide_event.texts */
	OVERHEAD = 32, /* bytes of an allocation beside the event, with its
			* pointer */
	/* The longest duration that was read: its hours are two BCD digits,
	 * each of which may be up to 15. */
	DURATION_MAX_S = 166 * 3600,
};

static const char *const keys[STRINGS] = { "lang", "title", "summary",
					   "details" };

/* Appends a string with its NUL. */
static void put(struct guide_event *e, const char *text)
{
	size_t len = strlen(text) + 1;

	memcpy(e->texts + e->len, text, len);
	e->len += len;
}

struct guide_event *guide_event_new(const struct eit_event *from,
				    const struct eit_facts *f)
{
	struct guide_event *e;
	size_t len = 0;

	for (size_t i = 0; i < f->n_texts; i++)
		len += strlen(f->texts[i].lang) + strlen(f->texts[i].title) +
		       strlen(f->texts[i].summary) +
		       strlen(f->texts[i].details) + STRINGS;
	e = xcalloc(1, sizeof *e + len);
	e->start_s = from->start_s;
	e->duration_s = from->duration_s;
	e->id = from->id;
	e->running = from->running;
	e->free_ca = from->free_ca;
	e->age = f->age;
	e->n_contents = (uint8_t)f->n_contents;
	memcpy(e->contents, f->contents, f->n_contents);
	e->n_texts = (uint8_t)f->n_texts;
	for (size_t i = 0; i < f->n_texts; i++) {
		put(e, f->texts[i].lang);
		put(e, f->texts[i].title);
		put(e, f->texts[i].summary);
		put(e, f->texts[i].details);
	}
	return e;
}

size_t guide_event_size(const struct guide_event *e)
{
	return sizeof *e + e->len + OVERHEAD;
}

int64_t guide_event_end(const struct guide_event *e)
{
	return e->start_s + e->duration_s;
}

static bool has_equal_facts(const struct guide_event *a,
			    const struct guide_event *b)
{
	return a->age == b->age && a->n_contents == b->n_contents &&
	       memcmp(a->contents, b->contents, a->n_contents) == 0 &&
	       a->n_texts == b->n_texts && a->len == b->len &&
	       memcmp(a->texts, b->texts, a->len) == 0;
}

bool guide_event_equals(const struct guide_event *a,
			const struct guide_event *b)
{
	return a->id == b->id && a->start_s == b->start_s &&
	       a->duration_s == b->duration_s && a->running == b->running &&
	       a->free_ca == b->free_ca && has_equal_facts(a, b);
}

uint64_t guide_event_hash(const struct guide_event *e, uint64_t hash)
{
	hash = hash_add(hash, &e->start_s, sizeof e->start_s);
	hash = hash_add(hash, &e->duration_s, sizeof e->duration_s);
	hash = hash_add(hash, &e->id, sizeof e->id);
	hash = hash_add(hash, &e->running, sizeof e->running);
	hash = hash_add(hash, &e->free_ca, sizeof e->free_ca);
	hash = hash_add(hash, &e->age, sizeof e->age);
	hash = hash_add(hash, e->contents, e->n_contents);
	return hash_add(hash, e->texts, e->len);
}

const char *guide_event_title(const struct guide_event *e)
{
	return e->n_texts > 0 ? e->texts + strlen(e->texts) + 1 : "";
}

bool guide_event_keeps_text(const struct guide_event *old,
			    const struct guide_event *e)
{
	return e->source == 0 && old->id == e->id &&
	       old->start_s == e->start_s && old->len > e->len &&
	       strcmp(guide_event_title(old), guide_event_title(e)) == 0;
}

struct guide_event *guide_event_with_text(struct guide_event *e,
					  const struct guide_event *old)
{
	struct guide_event *both = xmalloc(sizeof *both + old->len);

	memcpy(both, old, sizeof *both + old->len);
	both->duration_s = e->duration_s;
	both->running = e->running;
	both->free_ca = e->free_ca;
	both->round = e->round;
	both->source = e->source;
	if (e->age > 0)
		both->age = e->age;
	if (e->n_contents > 0) {
		both->n_contents = e->n_contents;
		memcpy(both->contents, e->contents, sizeof both->contents);
	}
	free(e);
	return both;
}

/* --- as JSON --- */

static json_t *write_texts(const struct guide_event *e, size_t strings)
{
	json_t *list = json_array();
	const char *text = e->texts;

	for (size_t i = 0; i < e->n_texts; i++) {
		json_t *one = json_object();

		for (size_t k = 0; k < STRINGS; k++) {
			if (text[0] != '\0' && k < strings)
				(void)json_object_set_new(one, keys[k],
							  json_string(text));
			text += strlen(text) + 1;
		}
		(void)json_array_append_new(list, one);
	}
	return list;
}

static json_t *write_event(const struct guide_event *e, size_t strings)
{
	json_t *o = json_object(), *contents = json_array();

	(void)json_object_set_new(o, "event_id", json_integer(e->id));
	(void)json_object_set_new(o, "start", json_integer(e->start_s));
	(void)json_object_set_new(o, "stop", json_integer(guide_event_end(e)));
	(void)json_object_set_new(o, "running_status",
				  json_integer(e->running));
	(void)json_object_set_new(o, "free_ca", json_boolean(e->free_ca));
	if (e->source == GUIDE_IMPORTED)
		(void)json_object_set_new(o, "imported", json_true());
	if (e->age > 0)
		(void)json_object_set_new(o, "age", json_integer(e->age));
	for (size_t i = 0; i < e->n_contents; i++)
		(void)json_array_append_new(contents,
					    json_integer(e->contents[i]));
	if (e->n_contents > 0)
		(void)json_object_set(o, "contents", contents);
	json_decref(contents);
	(void)json_object_set_new(o, "texts", write_texts(e, strings));
	return o;
}

json_t *guide_event_write(const struct guide_event *e)
{
	return write_event(e, STRINGS);
}

json_t *guide_event_write_brief(const struct guide_event *e)
{
	return write_event(e, STRINGS - 1);
}

/* Reads a number from 0 to max; false: the value is not such a number. */
static bool read_number(const json_t *o, const char *key, json_int_t max,
			json_int_t *ret)
{
	const json_t *value = json_object_get(o, key);

	*ret = json_integer_value(value);
	return json_is_integer(value) && *ret >= 0 && *ret <= max;
}

static void read_texts(const json_t *list, struct eit_facts *f)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, one) {
		struct eit_text *t = &f->texts[f->n_texts];
		char *const to[STRINGS] = { t->lang, t->title, t->summary,
					    t->details };

		if (f->n_texts == EIT_TEXTS_MAX)
			return;
		for (size_t k = 0; k < STRINGS; k++) {
			size_t size = k == 0 ? sizeof t->lang : EIT_TEXT_SIZE;
			const char *text = json_string_value(
				json_object_get(one, keys[k]));
			size_t len = text != NULL ? strlen(text) : 0;

			if (len >= size)
				len = 0;
			memcpy(to[k], len > 0 ? text : "", len);
			to[k][len] = '\0';
		}
		f->n_texts++;
	}
}

struct guide_event *guide_event_read(const json_t *o, struct eit_facts *f)
{
	json_int_t id, start_s, stop_s, running, age;
	const json_t *one, *contents = json_object_get(o, "contents");
	struct eit_event from = { 0 };
	struct guide_event *e;
	size_t i;

	if (!read_number(o, "event_id", UINT16_MAX, &id) ||
	    !read_number(o, "start", UINT32_MAX, &start_s) ||
	    !read_number(o, "stop", start_s + DURATION_MAX_S, &stop_s) ||
	    stop_s <= start_s ||
	    !read_number(o, "running_status", 7, &running))
		return NULL;
	from.id = (uint16_t)id;
	from.start_s = start_s;
	from.duration_s = (uint32_t)(stop_s - start_s);
	from.running = (uint8_t)running;
	from.free_ca = json_is_true(json_object_get(o, "free_ca"));
	f->n_texts = f->n_contents = 0;
	f->age = read_number(o, "age", 18, &age) ? (uint8_t)age : 0;
	json_array_foreach((json_t *)(uintptr_t)contents, i, one)
		if (f->n_contents < EIT_CONTENTS_MAX)
			f->contents[f->n_contents++] =
				(uint8_t)json_integer_value(one);
	read_texts(json_object_get(o, "texts"), f);
	e = guide_event_new(&from, f);
	if (json_is_true(json_object_get(o, "imported")))
		e->source = GUIDE_IMPORTED;
	return e;
}
