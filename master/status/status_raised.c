/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores the alarms of inputs and output whose events were sent, each with its
 * time, its source and its cause.  The next master takes them over, and reports
 * only changes. */
#include "common/base/alloc.h"
#include "master/status/status_set.h"
#include "master/status/status_stream.h"

#include <stdlib.h>
#include <string.h>

static struct status_raised **find(const struct status_stream *s,
				   unsigned place, enum alarm_id alarm)
{
	struct status_raised **at = (struct status_raised **)&s->raised;

	while (*at != NULL && ((*at)->place != place || (*at)->alarm != alarm))
		at = &(*at)->next;
	return at;
}

const struct status_raised *
status_stream_find_raised(const struct status_stream *s, unsigned place,
			  enum alarm_id alarm)
{
	return *find(s, place, alarm);
}

static void add(struct status_stream *s, const struct status_raised *one)
{
	struct status_raised **end = find(s, one->place, one->alarm);

	if (*end != NULL)
		return;
	*end = xcalloc(1, sizeof **end);
	**end = *one;
	(*end)->source = xstrdup(one->source);
}

void status_stream_note_raised(struct status_stream *s, unsigned place,
			       enum alarm_id alarm, int64_t now_s)
{
	bool shared = s->theirs[place] >> alarm & 1;

	add(s, &(struct status_raised){
		.place = place,
		.cause = place == 0 ? status_stream_cause(s, alarm) : 0,
		.alarm = alarm,
		.since_s = now_s,
		.source = shared ? s->sources[(place > 0 ? place
							 : s->position) - 1]
				 : NULL,
	});
}

void status_stream_forget_raised(struct status_stream *s, unsigned place,
				 enum alarm_id alarm)
{
	struct status_raised **at = find(s, place, alarm);
	struct status_raised *gone = *at;

	if (gone == NULL)
		return;
	*at = gone->next;
	free(gone->source);
	free(gone);
}

void status_stream_add_origin(json_t *o, const struct status_raised *r)
{
	set_text(o, "source", r->source);
	if (r->cause > 0)
		set_int(o, "cause", r->cause);
}

void status_stream_rename_source(struct status_stream *s, const char *from,
				 const char *to)
{
	for (struct status_raised *i = s->raised; i != NULL; i = i->next)
		if (i->source != NULL && strcmp(i->source, from) == 0) {
			free(i->source);
			i->source = xstrdup(to);
		}
}

json_t *status_stream_write_raised(const struct status_stream *s)
{
	json_t *list = json_array();

	for (const struct status_raised *i = s->raised; i != NULL; i = i->next)
		(void)json_array_append_new(
			list, json_pack("[I, s, I, s?, I]",
					(json_int_t)i->place,
					alarm_name(i->alarm),
					(json_int_t)i->since_s, i->source,
					(json_int_t)i->cause));
	return list;
}

void status_stream_take_raised(struct status_stream *s, const json_t *list)
{
	json_t *one;
	size_t i;

	s->taken = true;
	json_array_foreach((json_t *)(uintptr_t)list, i, one) {
		json_int_t place = -1, since = 0, cause;
		const char *name = NULL;
		enum alarm_id alarm;

		if (json_unpack(one, "[I, s, I, o]", &place, &name, &since,
				&(json_t *){ NULL }) < 0 ||
		    place < 0 || place > (json_int_t)s->n_inputs)
			continue;
		alarm = alarm_find(name);
		if (alarm >= ALARM_COUNT)
			continue;
		s->reported[place] |= ALARM_BIT(alarm);
		cause = json_integer_value(json_array_get(one, 4));
		if (cause < 0 || cause > (json_int_t)s->n_inputs)
			cause = 0;
		add(s, &(struct status_raised){
			.place = (unsigned)place,
			.cause = (unsigned)cause,
			.alarm = alarm,
			.since_s = since,
			.source = (char *)(uintptr_t)json_string_value(
				json_array_get(one, 3)),
		});
	}
}
