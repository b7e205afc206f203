/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/system_alarms.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "common/base/log.h"
#include "common/base/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct system_alarms {
	json_t *list; /* present alarms: {alarm, subject, reason, since} */
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

static const char *text(const json_t *alarm, const char *key)
{
	return json_string_value(json_object_get(alarm, key));
}

/* Returns the alarm with this name and subject (may be NULL), borrowed; NULL:
 * none. */
static json_t *find(const json_t *list, const char *name, const char *subject)
{
	json_t *alarm;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, alarm) {
		const char *other = text(alarm, "subject");

		if (strcmp(text(alarm, "alarm"), name) == 0 &&
		    (subject != NULL && other != NULL
			     ? strcmp(other, subject) == 0
			     : subject == other))
			return alarm;
	}
	return NULL;
}

static json_t *find_same(const json_t *list, const json_t *alarm)
{
	return find(list, text(alarm, "alarm"), text(alarm, "subject"));
}

void system_alarms_add(json_t *list, const char *name, const char *subject,
		       const char *sentence)
{
	json_t *about = subject != NULL ? json_string(subject) : NULL;
	char *whole = xstrdup(sentence);
	json_t *reason, *alarm;

	/* a sentence that was cut to its limit may end inside a character */
	utf8_repair(whole);
	reason = json_string(whole);
	free(whole);
	if (subject != NULL && about == NULL)
		about = json_string("?");
	if (json_array_size(list) >= SYSTEM_ALARMS_MAX ||
	    find(list, name, json_string_value(about)) != NULL) {
		json_decref(reason);
		json_decref(about);
		return;
	}
	alarm = json_pack("{s:s, s:o}", "alarm", name, "reason", reason);
	if (about != NULL)
		(void)json_object_set_new(alarm, "subject", about);
	(void)json_array_append_new(list, alarm);
}

static void add_event(json_t *events, const json_t *alarm, bool raised)
{
	json_t *o = json_pack("{s:s, s:s, s:i, s:b, s:I}", "scope", "alarm",
			      "alarm", text(alarm, "alarm"), "priority", 0,
			      "raised", raised, "time",
			      (json_int_t)time(NULL));
	json_t *subject = json_object_get(alarm, "subject");

	if (subject != NULL)
		(void)json_object_set(o, "subject", subject);
	if (raised)
		(void)json_object_set(o, "reason",
				      json_object_get(alarm, "reason"));
	(void)json_array_append_new(events, o);
}

static void log_end(const json_t *alarm)
{
	const char *subject = text(alarm, "subject");

	if (subject != NULL)
		log_info("master", "alarm %s (%s) cleared",
			 text(alarm, "alarm"), subject);
	else
		log_info("master", "alarm %s cleared", text(alarm, "alarm"));
}

json_t *system_alarms_take(struct system_alarms *a, json_t *take_list)
{
	json_t *events = json_array(), *before = a->list, *alarm;
	size_t i;

	a->list = take_list;
	json_array_foreach(a->list, i, alarm) {
		json_t *was = find_same(before, alarm);

		if (was != NULL)
			(void)json_object_set(alarm, "since",
					      json_object_get(was, "since"));
		else
			(void)json_object_set_new(
				alarm, "since",
				json_integer((json_int_t)time(NULL)));
		/* an alarm whose sentence differs only in numbers is the
		 * same */
		if (was != NULL && errmsg_is_alike(text(was, "reason"),
						   text(alarm, "reason")))
			continue;
		log_error("master", "alarm %s: %s", text(alarm, "alarm"),
			  text(alarm, "reason"));
		add_event(events, alarm, true);
	}
	json_array_foreach(before, i, alarm) {
		if (find_same(a->list, alarm) != NULL)
			continue;
		log_end(alarm);
		add_event(events, alarm, false);
	}
	json_decref(before);
	return events;
}

void system_alarms_repeat(struct system_alarms *a, const char *name)
{
	json_t *alarm = find(a->list, name, NULL);

	if (alarm != NULL)
		(void)json_object_set_new(alarm, "reason", json_string(""));
}

json_t *system_alarms_write(const struct system_alarms *a)
{
	return json_deep_copy(a->list);
}

void system_alarms_restore(struct system_alarms *a, const json_t *list)
{
	const json_t *alarm;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, alarm) {
		const char *name = text(alarm, "alarm");
		const char *reason = text(alarm, "reason");
		const json_t *since = json_object_get(alarm, "since");
		size_t n = json_array_size(a->list);

		if (name == NULL || reason == NULL || !json_is_integer(since))
			continue;
		system_alarms_add(a->list, name, text(alarm, "subject"),
				  reason);
		if (json_array_size(a->list) > n)
			(void)json_object_set(json_array_get(a->list, n),
					      "since",
					      (json_t *)(uintptr_t)since);
	}
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
