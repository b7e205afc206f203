/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the entry of a stream in the overview of all streams. */
#include "common/base/buf.h"
#include "master/status/status_set.h"
#include "master/status/status_stream.h"
#include "proto/wire/json_writer.h"

#include <stdlib.h>
#include <time.h>

/* Room for an entry in bytes at first; doubled until the entry fits. */
enum { ENTRY_ROOM = 2048 };

/* The writer of the entry, and the filter of its sentences (open NULL: no
 * filter). */
struct sheet {
	struct json_writer w;
	status_sentence_fn *open;
};

static void put_sentence(struct sheet *t, const char *key, const char *text)
{
	char *opened = t->open != NULL && text != NULL ? t->open(text) : NULL;

	write_string(&t->w, key, opened != NULL ? opened : text);
	free(opened);
}

/* Writes a member only if it has an unusual value: absent means false or 0. */
static void put_if(struct sheet *t, const char *key, bool value)
{
	if (value)
		write_bool(&t->w, key, true);
}

static void put_if_any(struct sheet *t, const char *key, uint64_t value)
{
	if (value > 0)
		write_u64(&t->w, key, value);
}

static void put_fault(struct sheet *t, size_t position, const char *fault,
		      uint64_t since_s, uint64_t reason_s)
{
	write_object(&t->w, NULL);
	write_u64(&t->w, "position", position);
	put_sentence(t, "fault", fault);
	write_u64(&t->w, "fault_since", since_s);
	if (reason_s > 0)
		write_u64(&t->w, "reason_since", reason_s);
	write_object_end(&t->w);
}

/* Writes the outputs that cannot send now.  (The alarm of an output lasts some
 * seconds longer than its error.) */
static void put_output_faults(struct sheet *t, const struct status_stream *s)
{
	write_list(&t->w, "output_faults");
	for (size_t i = 0; i < s->n_outputs; i++) {
		const struct output_fault *f = &s->outputs[i].fault;

		if (f->raised && f->in_s == 0)
			put_fault(t, i + 1, f->reason, (uint64_t)f->since_s,
				  (uint64_t)f->reason_s);
	}
	write_list_end(&t->w);
}

/* Writes the errors of the inputs that are not active; for one without an
 * error, why it is down or why the stream has left it. */
static void put_input_faults(struct sheet *t, const struct status_stream *s)
{
	write_list(&t->w, "input_faults");
	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct status_error *e = &s->input_errors[i];
		const struct msg_input_status *in =
			status_stream_input(s, i + 1);
		bool has_reason = in != NULL && in->reason != NULL &&
				  in->reason[0] != '\0' &&
				  (in->state == INPUT_DOWN ||
				   in->state == INPUT_IDLE);

		if (i + 1 == s->position || in == NULL ||
		    (e->text == NULL && !has_reason))
			continue;
		put_fault(t, i + 1, e->text != NULL ? e->text : in->reason,
			  e->text != NULL	   ? (uint64_t)e->since_s
			  : in->fault_s > 0 ? in->fault_s
					    : in->since_s, 0);
	}
	write_list_end(&t->w);
}

static void put_words(struct sheet *t, const struct status_stream *s,
		      const struct stream_proc_info *info)
{
	struct errmsg words;

	status_stream_words(s, info, time(NULL), &words);
	put_sentence(t, "state", words.text);
	if (s->error.text != NULL) {
		put_sentence(t, "error", s->error.text);
		put_if_any(t, "error_since", (uint64_t)s->error.since_s);
	}
	put_if_any(t, "off_since", (uint64_t)s->off_s);
}

static void put_alarms(struct sheet *t, alarm_set raised)
{
	write_list(&t->w, "alarms");
	for (enum alarm_id i = 0; i < ALARM_COUNT; i++)
		if (raised >> i & 1)
			write_string(&t->w, NULL, alarm_name(i));
	write_list_end(&t->w);
}

static void put_worker(struct sheet *t, const struct status_stream *s,
		       const struct stream_proc_info *info)
{
	struct status_worker worker = status_stream_worker(s, info);

	write_object(&t->w, "worker");
	write_string(&t->w, "state", worker.state);
	write_u64(&t->w, "pid", worker.pid);
	write_u64(&t->w, "restarts", worker.restarts);
	put_sentence(t, "alarm", worker.alarm);
	write_object_end(&t->w);
}

static void put_entry(struct sheet *t, const struct status_stream *s,
		      const struct stream_proc_info *info)
{
	struct minute_sum sum = status_stream_sum(s, 1);
	const struct msg_input_status *in =
		status_stream_input(s, s->position);

	write_object(&t->w, NULL);
	write_string(&t->w, "id", s->id);
	write_string(&t->w, "name", s->name);
	write_string(&t->w, "type", s->mpts ? "mpts" : "spts");
	write_bool(&t->w, "enable", s->enabled);
	put_words(t, s, info);
	write_bool(&t->w, "ok", status_stream_is_well(s));
	write_bool(&t->w, "onair", sum.onair);
	write_u64(&t->w, "inputs", s->n_inputs);
	write_u64(&t->w, "active_input", s->position);
	put_if(t, "waiting", s->waiting);
	put_if(t, "filler", !s->silent && s->last.filler);
	put_if(t, "scrambled", in != NULL && in->active && in->scrambled);
	write_u64(&t->w, "bitrate", sum.bitrate_kbps);
	put_if_any(t, "cc_error", sum.cc_error);
	put_if_any(t, "pes_error", sum.pes_error);
	put_if_any(t, "sc_error", sum.sc_error);
	write_u64(&t->w, "sessions", info->viewers);
	put_alarms(t, status_stream_alarms(s));
	put_input_faults(t, s);
	put_output_faults(t, s);
	put_worker(t, s, info);
	write_object_end(&t->w);
}

void status_stream_overview(const struct status_stream *s,
			    const struct stream_proc_info *info,
			    status_sentence_fn *open, struct buf *to)
{
	for (size_t room = ENTRY_ROOM;; room *= 2) {
		struct sheet t = {
			.w = { .data = (char *)buf_reserve(to, room),
			       .size = room },
			.open = open,
		};

		put_entry(&t, s, info);
		if (t.w.full)
			continue;
		buf_added(to, t.w.len);
		return;
	}
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
		/* NULL: the event was not sent yet (status_stream_held()) */
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
