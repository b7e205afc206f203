/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/system_alarms.h"

#include "common/base/alloc.h"
#include "common/base/log.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct system_alarms {
	json_t *list; /* objects: alarm, reason, since */
};

struct system_alarms *system_alarms_new(void)
{
	struct system_alarms *a = xcalloc(1, sizeof *a);

	a->list = json_array();
	return a;
}

void system_alarms_free(struct system_alarms **p)
{
	if (*p != NULL)
		json_decref((*p)->list);
	free(*p);
	*p = NULL;
}

void system_alarms_add(json_t *list, const char *name, const char *sentence)
{
	json_t *reason = json_string(sentence);

	if (reason == NULL)
		reason = json_string("see the log");
	(void)json_array_append_new(list, json_pack("{s:s, s:o}", "alarm", name,
						    "reason", reason));
}

static const char *text(const json_t *alarm, const char *key)
{
	return json_string_value(json_object_get(alarm, key));
}

static size_t count(const json_t *list, const char *name)
{
	const json_t *alarm;
	size_t n = 0, i;

	json_array_foreach((json_t *)(uintptr_t)list, i, alarm)
		n += strcmp(text(alarm, "alarm"), name) == 0;
	return n;
}

static bool holds(const json_t *list, const json_t *alarm)
{
	const json_t *other;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, other)
		if (strcmp(text(other, "alarm"), text(alarm, "alarm")) == 0 &&
		    strcmp(text(other, "reason"), text(alarm, "reason")) == 0)
			return true;
	return false;
}

/* Sets the time of the first of the same name, or now. */
static void set_since(json_t *alarm, const json_t *before)
{
	json_t *since = json_integer((json_int_t)time(NULL));
	const json_t *other;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)before, i, other) {
		if (strcmp(text(other, "alarm"), text(alarm, "alarm")) != 0)
			continue;
		json_decref(since);
		since = json_incref(json_object_get(other, "since"));
		break;
	}
	(void)json_object_set_new(alarm, "since", since);
}

static void add_event(json_t *events, const json_t *alarm, bool raised)
{
	json_t *o = json_pack("{s:s, s:s, s:i, s:b, s:I}", "scope", "alarm",
			      "alarm", text(alarm, "alarm"), "priority", 0,
			      "raised", raised, "time",
			      (json_int_t)time(NULL));

	if (raised)
		(void)json_object_set(o, "reason",
				      json_object_get(alarm, "reason"));
	(void)json_array_append_new(events, o);
}

json_t *system_alarms_take(struct system_alarms *a, json_t *take_list)
{
	json_t *events = json_array(), *before = a->list, *alarm;
	size_t i;

	a->list = take_list;
	json_array_foreach(a->list, i, alarm) {
		const char *name = text(alarm, "alarm");

		set_since(alarm, before);
		/* a sentence with a number that changes is the same alarm */
		if (holds(before, alarm) ||
		    count(a->list, name) <= count(before, name))
			continue;
		log_error("master", "alarm %s: %s", name,
			  text(alarm, "reason"));
		add_event(events, alarm, true);
	}
	json_array_foreach(before, i, alarm) {
		const char *name = text(alarm, "alarm");

		if (count(a->list, name) > 0)
			continue;
		/* once for all its sentences */
		while (i + 1 < json_array_size(before) &&
		       strcmp(text(json_array_get(before, i + 1), "alarm"),
			      name) == 0)
			i++;
		log_info("master", "alarm %s cleared", name);
		add_event(events, alarm, false);
	}
	json_decref(before);
	return events;
}

json_t *system_alarms_list(const struct system_alarms *a)
{
	json_t *list = json_deep_copy(a->list), *alarm;
	size_t i;

	json_array_foreach(list, i, alarm)
		(void)json_object_set_new(alarm, "priority", json_integer(0));
	return list;
}

json_t *system_alarms_sentences(const json_t *list)
{
	json_t *sentences = json_array();
	const json_t *alarm;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, alarm)
		(void)json_array_append(sentences,
					json_object_get(alarm, "reason"));
	return sentences;
}
