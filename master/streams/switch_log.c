/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/switch_log.h"

#include <stdio.h>
#include <string.h>

void switch_log_add(struct switch_log *l, const struct msg_stream_switched *s)
{
	struct switch_entry *e;

	if (l->n == SWITCH_LOG_MAX) {
		memmove(&l->entries[0], &l->entries[1],
			(SWITCH_LOG_MAX - 1) * sizeof l->entries[0]);
		l->n--;
	}
	e = &l->entries[l->n++];
	*e = (struct switch_entry){
		.wall_ms = s->wall_ms,
		.from = (uint8_t)s->from,
		.to = (uint8_t)s->to,
		.filler = s->filler,
		.late = s->late,
	};
	(void)snprintf(e->reason, sizeof e->reason, "%s", s->reason);
	(void)snprintf(e->fault, sizeof e->fault, "%s", s->fault);
}

static void set(json_t *o, const char *key, json_t *take_value)
{
	/* NULL: the text was cut inside a UTF-8 character, so no member */
	if (take_value != NULL)
		(void)json_object_set_new_nocheck(o, key, take_value);
}

json_t *switch_log_format(const struct msg_stream_switched *s)
{
	json_t *o = json_object();

	set(o, "time", json_integer((json_int_t)(s->wall_ms / 1000)));
	if (s->from > 0)
		set(o, "from", json_integer(s->from));
	if (s->to > 0)
		set(o, "to", json_integer(s->to));
	if (s->filler)
		set(o, "filler", json_true());
	if (s->late)
		set(o, "late", json_true());
	set(o, "reason", json_string(s->reason));
	if (s->fault[0] != '\0')
		set(o, "fault", json_string(s->fault));
	return o;
}

json_t *switch_log_list(const struct switch_log *l)
{
	json_t *list = json_array();

	for (unsigned i = l->n; i-- > 0;) {
		const struct switch_entry *e = &l->entries[i];
		const struct msg_stream_switched s = {
			.wall_ms = e->wall_ms,
			.from = e->from,
			.to = e->to,
			.filler = e->filler,
			.late = e->late,
			.reason = e->reason,
			.fault = e->fault,
		};

		(void)json_array_append_new(list, switch_log_format(&s));
	}
	return list;
}

json_t *switch_log_write(const struct switch_log *l)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < l->n; i++) {
		const struct switch_entry *e = &l->entries[i];
		json_t *o = json_object();

		set(o, "ms", json_integer((json_int_t)e->wall_ms));
		set(o, "from", json_integer(e->from));
		set(o, "to", json_integer(e->to));
		set(o, "filler", json_boolean(e->filler));
		set(o, "late", json_boolean(e->late));
		set(o, "reason", json_string(e->reason));
		set(o, "fault", json_string(e->fault));
		(void)json_array_append_new(list, o);
	}
	return list;
}

void switch_log_read(struct switch_log *l, const json_t *list)
{
	const json_t *o;
	size_t i;

	*l = (struct switch_log){ 0 };
	json_array_foreach((json_t *)list, i, o) {
		json_int_t ms = json_integer_value(json_object_get(o, "ms"));
		json_int_t from = json_integer_value(
			json_object_get(o, "from"));
		json_int_t to = json_integer_value(json_object_get(o, "to"));
		const char *reason = json_string_value(
			json_object_get(o, "reason"));
		const char *fault = json_string_value(
			json_object_get(o, "fault"));

		if (ms <= 0)
			continue;
		switch_log_add(l, &(struct msg_stream_switched){
			.wall_ms = (uint64_t)ms,
			.from = from >= 0 && from <= MSG_INPUTS_MAX
				? (unsigned)from : 0,
			.to = to >= 0 && to <= MSG_INPUTS_MAX
				? (unsigned)to : 0,
			.filler = json_is_true(json_object_get(o, "filler")),
			.late = json_is_true(json_object_get(o, "late")),
			.reason = reason != NULL ? reason : "",
			.fault = fault != NULL ? fault : "",
		});
	}
}
