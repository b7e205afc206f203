/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/alarm_text.h"

#include "ctl/text.h"

#include <string.h>

/* A line names at most so many alarms of a stream. */
enum { NAMED_MAX = 8 };

static const char *text_of(const json_t *alarm, const char *key)
{
	const char *text = json_string_value(json_object_get(alarm, key));

	return text != NULL ? text : "";
}

static json_int_t number_of(const json_t *alarm, const char *key)
{
	return json_integer_value(json_object_get(alarm, key));
}

json_t *alarms_by_stream(const json_t *answer)
{
	json_t *by_id = json_object(), *alarm;
	size_t i;

	json_array_foreach(json_object_get(answer, "alarms"), i, alarm) {
		const char *id = text_of(alarm, "channel_id");
		json_t *list = json_object_get(by_id, id);

		if (id[0] == '\0')
			continue;
		if (list == NULL) {
			list = json_array();
			(void)json_object_set_new(by_id, id, list);
		}
		(void)json_array_append(list, alarm);
	}
	return by_id;
}

/* --- of a stream --- */

bool alarm_is_of_process(const char *alarm)
{
	return alarm != NULL && strcmp(alarm, "worker") == 0;
}

/* Has an entry in front of entry `at' the same alarm? */
static bool is_repeated(const json_t *list, size_t at)
{
	const char *name = text_of(json_array_get(list, at), "alarm");

	for (size_t i = 0; i < at; i++)
		if (strcmp(text_of(json_array_get(list, i), "alarm"),
			   name) == 0)
			return true;
	return false;
}

/* Appends an alarm with all its places and its earliest time. */
static void put_alarm(struct buf *to, const json_t *list, size_t first,
		      const char *said)
{
	const char *name = text_of(json_array_get(list, first), "alarm");
	bool of_process = alarm_is_of_process(name);
	const char *gap = " (";
	json_int_t since = 0;
	char clock[32];

	text_plain(to, name);
	for (size_t i = first; i < json_array_size(list); i++) {
		const json_t *alarm = json_array_get(list, i);
		const char *reason = text_of(alarm, "reason");
		json_int_t at = number_of(alarm, "since");
		json_int_t place = number_of(alarm, "place");
		json_int_t output = number_of(alarm, "output");

		if (strcmp(text_of(alarm, "alarm"), name) != 0)
			continue;
		if (place > 0)
			buf_printf(to, "%sinput %" JSON_INTEGER_FORMAT, gap,
				   place);
		else if (output > 0)
			buf_printf(to, "%soutput %" JSON_INTEGER_FORMAT, gap,
				   output);
		else
			buf_printf(to, "%s%s", gap,
				   of_process ? "process" : "output");
		/* ": ended by signal 11", unless `said' contains it */
		if (of_process && reason[0] != '\0' &&
		    strstr(said, reason) == NULL) {
			buf_printf(to, ": ");
			text_plain(to, reason);
		}
		gap = ", ";
		if (at > 0 && (since == 0 || at < since))
			since = at;
	}
	if (since > 0) {
		text_clock(clock, since);
		buf_printf(to, "; since %s", clock);
	}
	buf_printf(to, ")");
}

void put_stream_alarms(struct buf *to, const json_t *alarms,
		       const char *said)
{
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(alarms); i++) {
		if (is_repeated(alarms, i) || n++ >= NAMED_MAX)
			continue;
		buf_printf(to, "%s", n == 1 ? "alarms: " : ", ");
		put_alarm(to, alarms, i, said);
	}
	if (n > NAMED_MAX)
		buf_printf(to, " and %zu more", n - NAMED_MAX);
}

/* --- of the service --- */

/* Returns the Unix time at which the alarm of the service with this sentence
 * began; 0: not known. */
static json_int_t since_of(const json_t *answer, const char *sentence)
{
	json_t *alarm;
	size_t i;

	json_array_foreach(json_object_get(answer, "alarms"), i, alarm)
		if (json_object_get(alarm, "channel_id") == NULL &&
		    strcmp(text_of(alarm, "reason"), sentence) == 0)
			return number_of(alarm, "since");
	return 0;
}

size_t put_service_alarms(struct buf *to, const json_t *answer, size_t max,
			  bool colour)
{
	const json_t *list = json_object_get(json_object_get(answer, "system"),
					     "alarms");
	size_t n = json_array_size(list);
	size_t shown = max > 0 && n > max ? max : n;

	for (size_t i = 0; i < shown; i++) {
		const char *sentence =
			json_string_value(json_array_get(list, i));

		buf_printf(to, "%salarm%s ", colour ? "\033[31;1m" : "",
			   colour ? "\033[0m" : "");
		text_plain(to, sentence != NULL ? sentence : "");
		text_since(to, since_of(answer, sentence != NULL ? sentence
								 : ""));
		buf_printf(to, "\n");
	}
	if (n > shown)
		buf_printf(to, "and %zu more alarms: sluicectl status\n",
			   n - shown);
	return shown + (n > shown);
}
