/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The outputs of a stream: their state and the alarm output_fault. */
#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "master/status/status_set.h"
#include "master/status/status_stream.h"
#include "proto/ipc/msg_tables.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct msg_output_status *
find_output(const struct status_stream *s, size_t position)
{
	if (s->silent)
		return NULL;
	for (size_t i = 0; i < s->last.n_outputs; i++)
		if (s->last.outputs[i].position == position)
			return &s->last.outputs[i];
	return NULL;
}

/* Returns the error of output i + 1; NULL: the output has no error, or its
 * state is unknown.  Errors of the port of an http output come from the
 * reconciler, all others from the worker. */
static const char *output_error(const struct status_stream *s, size_t i,
				const struct stream_proc_info *info)
{
	const struct msg_output_status *out = find_output(s, i + 1);

	if (!s->outputs[i].is_http)
		return out != NULL ? out->error : NULL;
	if (i < info->n_outputs && info->output_errors[i] != NULL)
		return info->output_errors[i];
	if (out == NULL || out->open)
		return NULL;
	return out->error != NULL ? out->error : "the process of the stream "
						 "has no ring buffer for "
						 "viewers";
}

static void add_fault_times(json_t *o, const struct output_fault *f)
{
	set_int(o, "fault_since", (uint64_t)f->since_s);
	set_int(o, "reason_since", (uint64_t)f->reason_s);
}

static json_t *output_report(const struct status_stream *s, size_t i,
			     const struct stream_proc_info *info)
{
	static const struct msg_output_status none;
	const struct msg_output_status *out = find_output(s, i + 1);
	const char *error = output_error(s, i, info);
	bool open = s->enabled && i < info->n_outputs && error == NULL;
	json_t *o, *stats;

	if (s->outputs[i].is_http) {
		o = json_object();
		set_bool(o, "open", open);
		if (!open || out == NULL)
			out = &none;
		set_int(o, "bitrate", out->bitrate_kbps);
		set_int(o, "packets", out->packets);
		if (open) {
			stats = json_object();
			set_int(stats, "peers", info->output_viewers[i]);
			set_int(stats, "cut", info->output_cut[i]);
			(void)json_object_set_new(o, "stats", stats);
		}
	} else {
		o = field_format(&output_status_fields,
				 out != NULL ? out : &none, 0);
	}
	set_int(o, "position", i + 1);
	set_text(o, "error", error);
	set_text(o, "fault", s->outputs[i].fault.reason);
	if (s->outputs[i].fault.reason != NULL)
		add_fault_times(o, &s->outputs[i].fault);
	return o;
}

json_t *status_stream_output_list(const struct status_stream *s,
				  const struct stream_proc_info *info)
{
	json_t *outputs = json_array();

	for (size_t i = 0; i < s->n_outputs; i++)
		(void)json_array_append_new(outputs, output_report(s, i, info));
	return outputs;
}

/* Counts the consecutive seconds in which an output sends.  An http output is
 * not counted: its rate is that of the ring, even if its port is closed. */
static void count_sending(struct status_stream *s, size_t i)
{
	const struct msg_output_status *out = find_output(s, i + 1);
	struct output_fault *f = &s->outputs[i].fault;

	if (out == NULL || s->outputs[i].is_http || out->bitrate_kbps == 0)
		f->sends_s = 0;
	else if (f->sends_s < UINT8_MAX)
		f->sends_s++;
}

/* Sets the reason of a fault.  Another reason is sent as an event, unless it
 * differs only in numbers. */
static void set_reason(struct output_fault *f, const char *error)
{
	if (f->reason == NULL) {
		f->reason_s = f->since_s;
	} else if (!errmsg_is_alike(f->reason, error)) {
		f->reason_s = time(NULL);
		f->changed = true;
	}
	free(f->reason);
	f->reason = xstrdup(error);
}

void status_stream_judge(struct status_stream *s,
			 const struct stream_proc_info *info)
{
	for (size_t i = 0; i < s->n_outputs; i++) {
		struct output_fault *f = &s->outputs[i].fault;
		const char *error = output_error(s, i, info);

		count_sending(s, i);
		if ((error != NULL) == f->raised)
			f->in_s = 0;
		else
			f->in_s++;
		if (!f->raised && f->in_s == 1)
			f->since_s = time(NULL);
		if (!f->raised && f->in_s >= OUTPUT_FAULT_RAISE_S) {
			f->raised = true;
			f->in_s = 0;
		} else if (f->raised && f->in_s >= OUTPUT_FAULT_CLEAR_S) {
			output_fault_clear(f);
		}
		if (f->raised && error != NULL &&
		    (f->reason == NULL || strcmp(f->reason, error) != 0))
			set_reason(f, error);
	}
}

json_t *status_stream_write_faults(const struct status_stream *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->n_outputs; i++) {
		const struct output_fault *f = &s->outputs[i].fault;

		if (f->raised && f->reason != NULL &&
		    s->outputs[i].address != NULL)
			(void)json_array_append_new(
				list, json_pack("[I, s, I, b, s, I]",
						(json_int_t)i + 1,
						s->outputs[i].address,
						(json_int_t)f->since_s,
						(int)f->reported, f->reason,
						(json_int_t)f->reason_s));
	}
	return list;
}

void status_stream_take_faults(struct status_stream *s, const json_t *list)
{
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, one) {
		json_int_t position = 0, since = 0, begun;
		const char *address = NULL, *reason = NULL;
		struct status_output *out;
		int reported = 0;

		/* records of older masters do not have the last member */
		if (json_unpack(one, "[I, s, I, b, s]", &position, &address,
				&since, &reported, &reason) < 0 ||
		    position < 1 || position > (json_int_t)s->n_outputs)
			continue;
		out = &s->outputs[position - 1];
		/* the configuration may have another output at this position
		 * now */
		if (out->address == NULL || strcmp(out->address, address) != 0)
			continue;
		output_fault_clear(&out->fault);
		out->fault.raised = true;
		out->fault.reported = reported != 0;
		/* the output counts as sending until the first report of its
		 * worker */
		out->fault.sends_s = OUTPUT_FAULT_RAISE_S;
		out->fault.since_s = since;
		begun = json_integer_value(json_array_get(one, 5));
		out->fault.reason_s = begun > 0 ? begun : since;
		out->fault.reason = xstrdup(reason);
	}
}

void output_fault_clear(struct output_fault *f)
{
	f->raised = f->changed = false;
	f->in_s = 0;
	free(f->reason);
	f->reason = NULL;
}
