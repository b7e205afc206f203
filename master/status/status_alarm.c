/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the alarm events of a stream: one for each alarm that is raised or
 * cleared. */
#include "master/status/status_stream.h"

#include <time.h>

/* greatest number of alarm events of a stream in ten seconds */
enum { ALARM_BURST = 100 };

alarm_set status_stream_raised(const struct status_stream *s, unsigned place)
{
	/* a single second without a report does not end alarms */
	if (status_stream_is_gone(s))
		return 0;
	if (s->taken)
		return s->reported[place];
	/* output_fault and worker have events of their own */
	if (place == 0)
		return s->last.alarms & ~ALARMS_OF_MASTER;
	for (size_t i = 0; i < s->last.n_inputs; i++)
		if (s->last.inputs[i].position == place)
			return s->last.inputs[i].alarms;
	return 0;
}

/* Returns the services that lose packets, a new list. */
static json_t *list_excess(const struct status_stream *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->last.n_services && !s->silent; i++) {
		const struct msg_service_status *m = &s->last.services[i];

		if (m->excess > 0)
			(void)json_array_append_new(list, json_pack(
				"{s:i, s:i, s:I}", "pnr", (int)m->pnr,
				"input", (int)m->input, "excess",
				(json_int_t)m->excess));
	}
	return list;
}

static json_t *format(struct status_stream *s, unsigned place,
		      enum alarm_id alarm, bool raised)
{
	const struct msg_alarm_change *change = s->last.changes;
	size_t left = s->silent ? 0 : s->last.n_changes;
	const struct status_raised *known =
		status_stream_find_raised(s, place, alarm);
	json_t *o = json_object();
	uint64_t count = 0;

	(void)json_object_set_new(o, "scope", json_string("alarm"));
	(void)json_object_set_new(o, "channel_id", json_string(s->id));
	(void)json_object_set_new(o, "place",
				  place == 0 ? json_string("output")
					     : json_integer(place));
	(void)json_object_set_new(o, "alarm", json_string(alarm_name(alarm)));
	(void)json_object_set_new(o, "priority",
				  json_integer(alarm_priority(alarm)));
	(void)json_object_set_new(o, "raised", json_boolean(raised));
	(void)json_object_set_new(o, "time", json_integer(time(NULL)));
	while (left > 0 && (change->place != place || change->alarm != alarm)) {
		change++;
		left--;
	}
	if (left > 0)
		count = change->count;
	else if (place == 0 && raised)
		count = s->counts[alarm];
	if (left > 0 || count > 0)
		(void)json_object_set_new(o, "count",
					  json_integer((json_int_t)count));
	if (alarm == ALARM_MUX_OVERFLOW && raised)
		(void)json_object_set_new(o, "services", list_excess(s));
	if (known != NULL)
		status_stream_add_origin(o, known);
	return o;
}

/* Returns the next output_fault event of an output, also of a removed one;
 * NULL: none, or the rate limit holds it back. */
static json_t *next_fault(struct status_stream *s, uint64_t now_ms)
{
	struct output_fault *f;
	unsigned suppressed;
	size_t i = 0;
	json_t *o;

	while (i < ARRAY_LEN(s->outputs) && !s->outputs[i].fault.changed &&
	       s->outputs[i].fault.reported == s->outputs[i].fault.raised)
		i++;
	if (i == ARRAY_LEN(s->outputs) ||
	    !ratelimit_pass(&s->alarm_limit, now_ms, &suppressed))
		return NULL;
	f = &s->outputs[i].fault;
	f->reported = f->raised;
	f->changed = false;
	o = format(s, 0, ALARM_OUTPUT_FAULT, f->raised);
	(void)json_object_set_new(o, "output", json_integer((json_int_t)i + 1));
	if (f->reason != NULL)
		(void)json_object_set_new(o, "reason", json_string(f->reason));
	return o;
}

static json_t *next_worker(struct status_stream *s, uint64_t now_ms)
{
	struct worker_fault *f = &s->worker;
	unsigned suppressed;
	json_t *o;

	if ((f->reported == f->raised && !f->changed) ||
	    !ratelimit_pass(&s->alarm_limit, now_ms, &suppressed))
		return NULL;
	f->reported = f->raised;
	f->changed = false;
	o = format(s, 0, ALARM_WORKER, f->raised);
	if (f->reason != NULL)
		(void)json_object_set_new(o, "reason", json_string(f->reason));
	return o;
}

json_t *status_stream_alarm(struct status_stream *s, uint64_t now_ms)
{
	unsigned suppressed;
	json_t *event;

	s->alarm_limit.burst = ALARM_BURST;
	for (unsigned place = 0; place <= MSG_INPUTS_MAX; place++) {
		alarm_set raised = status_stream_raised(s, place);
		alarm_set differs = (raised ^ s->reported[place]) &
				   ~status_stream_held(s, place, raised);
		enum alarm_id alarm = 0;
		bool raises;

		if (differs == 0)
			continue;
		if (!ratelimit_pass(&s->alarm_limit, now_ms, &suppressed))
			return NULL;
		while (!(differs >> alarm & 1))
			alarm++;
		raises = raised >> alarm & 1;
		s->reported[place] ^= ALARM_BIT(alarm);
		if (raises)
			status_stream_note_raised(s, place, alarm, time(NULL));
		event = format(s, place, alarm, raises);
		if (!raises)
			status_stream_forget_raised(s, place, alarm);
		return event;
	}
	event = next_fault(s, now_ms);
	return event != NULL ? event : next_worker(s, now_ms);
}

void status_stream_forget_reported(struct status_stream *s)
{
	for (size_t i = 0; i < ARRAY_LEN(s->reported); i++)
		s->reported[i] = 0;
	for (size_t i = 0; i < ARRAY_LEN(s->outputs); i++)
		s->outputs[i].fault.reported = false;
	s->worker.reported = false;
}
