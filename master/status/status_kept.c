/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes the state of a stream to the next master: whether the stream is on
 * air, since when and why it is off air, and whether this was logged. */
#include "common/base/alloc.h"
#include "master/status/status_set.h"
#include "master/status/status_stream.h"

static void write_error(json_t *list, size_t position,
			const struct status_error *e)
{
	if (e->text != NULL)
		(void)json_array_append_new(
			list, json_pack("[I, I, s]", (json_int_t)position,
					(json_int_t)e->since_s, e->text));
}

static json_t *write_errors(const struct status_stream *s)
{
	json_t *list = json_array();

	write_error(list, 0, &s->error);
	for (size_t i = 0; i < s->n_inputs; i++)
		write_error(list, i + 1, &s->input_errors[i]);
	return list;
}

static void take_errors(struct status_stream *s, const json_t *list)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, one) {
		json_int_t position = -1, since = 0;
		const char *text = NULL;

		if (json_unpack(one, "[I, I, s!]", &position, &since,
				&text) < 0 ||
		    position < 0 || position > (json_int_t)s->n_inputs)
			continue;
		status_error_set(position == 0
					 ? &s->error
					 : &s->input_errors[position - 1],
				 text, since);
	}
}

json_t *status_stream_write_state(const struct status_stream *s)
{
	return json_pack("{s:b, s:i, s:I, s:o, s:b, s:s}", "onair",
			 status_stream_sum(s, 1).onair, "input",
			 (int)s->position, "off", (json_int_t)s->off_s,
			 "errors", write_errors(s), "logged_onair",
			 s->logged_onair, "logged_off", s->logged_off.text);
}

void status_stream_take_state(struct status_stream *s, const json_t *from)
{
	json_int_t input = json_integer_value(json_object_get(from, "input"));
	const char *off = json_string_value(json_object_get(from,
							    "logged_off"));

	s->off_s = MAX(json_integer_value(json_object_get(from, "off")),
		       (json_int_t)0);
	if (input >= 1 && input <= (json_int_t)s->n_inputs)
		s->position = (unsigned)input;
	take_errors(s, json_object_get(from, "errors"));
	s->logged_onair = json_is_true(json_object_get(from, "logged_onair"));
	errmsg_set(&s->logged_off, "%s", off != NULL ? off : "");
}

void status_stream_take_onair(struct status_stream *s, const json_t *from)
{
	const json_t *onair = json_object_get(from, "onair");

	if (!json_is_boolean(onair))
		return;
	minute_add(&s->minute, &(struct second){
		.active = true, .onair = json_is_true(onair),
	});
	s->silent = false;
}

bool status_stream_note_kept(struct status_stream *s)
{
	struct status_kept now = {
		.onair = status_stream_sum(s, 1).onair,
		.logged_onair = s->logged_onair,
		.position = s->position,
		.off_s = s->off_s,
		.error_s = s->error.since_s,
	};
	struct status_kept *before = &s->kept;
	bool same = now.onair == before->onair &&
		    now.logged_onair == before->logged_onair &&
		    now.position == before->position &&
		    now.off_s == before->off_s &&
		    now.error_s == before->error_s;

	*before = now;
	return !same;
}
