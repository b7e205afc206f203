/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The outputs of a stream: their state and the alarm output_fault. */
#include "master/status/status_set.h"
#include "master/status/status_stream.h"
#include "proto/ipc/msg_tables.h"

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

/* The error of an output; NULL if it sends, or if nothing is known.  The
 * reconciler reports errors of the port of an http output, the worker all
 * others. */
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
	return out->error != NULL ? out->error : "the worker has no ring";
}

static void add_http(json_t *o, const struct status_stream *s, size_t i,
		     const struct stream_proc_info *info, const char *error)
{
	bool open = s->enabled && i < info->n_outputs && error == NULL;
	json_t *stats;

	set_bool(o, "open", open);
	if (!open)
		return;
	stats = json_object();
	set_int(stats, "peers", info->output_viewers[i]);
	set_int(stats, "cut", info->output_cut[i]);
	(void)json_object_set_new(o, "stats", stats);
}

static json_t *output_report(const struct status_stream *s, size_t i,
			     const struct stream_proc_info *info)
{
	static const struct msg_output_status none;
	const struct msg_output_status *out = find_output(s, i + 1);
	const char *error = output_error(s, i, info);
	json_t *o;

	if (s->outputs[i].is_http) {
		o = json_object();
		add_http(o, s, i, info, error);
	} else {
		o = field_format(&output_status_fields,
				 out != NULL ? out : &none, 0);
	}
	set_int(o, "position", i + 1);
	set_text(o, "error", error);
	set_text(o, "fault", s->outputs[i].fault.reason);
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

void status_stream_judge(struct status_stream *s,
			 const struct stream_proc_info *info)
{
	for (size_t i = 0; i < s->n_outputs; i++)
		output_fault_every_second(&s->outputs[i].fault,
					  output_error(s, i, info));
}
