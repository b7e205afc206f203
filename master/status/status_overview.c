/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream in the overview of all streams. */
#include "master/status/status_set.h"
#include "master/status/status_stream.h"

/* The outputs that cannot send now.  The alarm of an output that sends again is
 * raised for some seconds more. */
static json_t *output_faults(const struct status_stream *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->n_outputs; i++) {
		const struct output_fault *f = &s->outputs[i].fault;
		json_t *o;

		if (!f->raised || f->in_s > 0)
			continue;
		o = json_object();
		set_int(o, "position", i + 1);
		set_text(o, "fault", f->reason);
		set_int(o, "fault_since", (uint64_t)f->since_s);
		set_int(o, "reason_since", (uint64_t)f->reason_s);
		(void)json_array_append_new(list, o);
	}
	return list;
}

/* The errors of the inputs that are not sent: why they are down, or were
 * left. */
static json_t *input_faults(const struct status_stream *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct status_error *e = &s->input_errors[i];
		const struct msg_input_status *in =
			status_stream_input(s, i + 1);
		bool has_reason = in != NULL && in->reason != NULL &&
				  in->reason[0] != '\0' &&
				  (in->state == INPUT_DOWN ||
				   in->state == INPUT_IDLE);
		json_t *o;

		if (i + 1 == s->position || in == NULL ||
		    (e->text == NULL && !has_reason))
			continue;
		o = json_object();
		set_int(o, "position", i + 1);
		set_text(o, "fault", e->text != NULL ? e->text : in->reason);
		set_int(o, "fault_since",
			e->text != NULL	   ? (uint64_t)e->since_s
			: in->fault_s > 0 ? in->fault_s
					  : in->since_s);
		(void)json_array_append_new(list, o);
	}
	return list;
}

json_t *status_stream_overview(const struct status_stream *s,
			       const struct stream_proc_info *info)
{
	struct minute_sum sum = status_stream_sum(s, 1);
	const struct msg_input_status *in =
		status_stream_input(s, s->position);
	json_t *o = json_object();

	set_text(o, "id", s->id);
	set_text(o, "name", s->name);
	set_text(o, "type", s->mpts ? "mpts" : "spts");
	set_bool(o, "enable", s->enabled);
	status_stream_add_words(o, s, info);
	set_bool(o, "ok", status_stream_is_well(s));
	set_bool(o, "onair", sum.onair);
	set_int(o, "inputs", s->n_inputs);
	set_int(o, "active_input", s->position);
	set_bool(o, "active", s->enabled && !s->waiting);
	set_bool(o, "waiting", s->waiting);
	set_bool(o, "filler", !s->silent && s->last.filler);
	set_bool(o, "scrambled",
		 in != NULL && in->active && in->scrambled);
	set_int(o, "bitrate", sum.bitrate_kbps);
	set_int(o, "cc_error", sum.cc_error);
	set_int(o, "pes_error", sum.pes_error);
	set_int(o, "sc_error", sum.sc_error);
	set_int(o, "sessions", info->viewers);
	(void)json_object_set_new(
		o, "alarms", status_alarm_names(status_stream_alarms(s)));
	(void)json_object_set_new(o, "input_faults", input_faults(s));
	(void)json_object_set_new(o, "output_faults", output_faults(s));
	status_stream_add_worker(o, s, info);
	return o;
}

static json_t *raised_alarm(const struct status_stream *s, unsigned place,
			    enum alarm_id alarm)
{
	json_t *o = json_object();

	set_text(o, "channel_id", s->id);
	(void)json_object_set_new(o, "place",
				  place == 0 ? json_string("output")
					     : json_integer(place));
	set_text(o, "alarm", alarm_name(alarm));
	set_int(o, "priority", (uint64_t)alarm_priority(alarm));
	return o;
}

static void add_raised(json_t *list, struct status_stream *s, unsigned place)
{
	alarm_set raised = status_stream_raised(s, place);

	for (enum alarm_id i = 0; i < ALARM_COUNT; i++) {
		const struct status_raised *known;
		json_t *o;

		if (!(raised >> i & 1))
			continue;
		o = raised_alarm(s, place, i);
		/* NULL: its event is sent a second later */
		known = status_stream_find_raised(s, place, i);
		if (known != NULL) {
			status_stream_add_origin(o, known);
			set_int(o, "since", (uint64_t)known->since_s);
		}
		(void)json_array_append_new(list, o);
	}
}

void status_stream_list_alarms(struct status_stream *s, json_t *list)
{
	for (unsigned place = 0; place <= s->n_inputs; place++)
		add_raised(list, s, place);
	for (size_t i = 0; i < s->n_outputs; i++) {
		const struct output_fault *f = &s->outputs[i].fault;
		json_t *o;

		if (!f->raised)
			continue;
		o = raised_alarm(s, 0, ALARM_OUTPUT_FAULT);
		set_int(o, "output", i + 1);
		set_text(o, "reason", f->reason);
		set_int(o, "since", (uint64_t)f->since_s);
		(void)json_array_append_new(list, o);
	}
	if (s->worker.raised) {
		json_t *o = raised_alarm(s, 0, ALARM_WORKER);

		set_text(o, "reason", s->worker.reason);
		set_int(o, "since", (uint64_t)s->worker.since_s);
		(void)json_array_append_new(list, o);
	}
}
