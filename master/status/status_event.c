/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats the seconds and the switches of a stream as events. */
#include "master/status/status_set.h"
#include "master/status/status_stream.h"
#include "proto/wire/json_writer.h"

/* Returns the i-th input that is active or runs as standby; the active one is
 * the first; NULL: there are no more. */
static const struct msg_input_status *
find_running(const struct msg_stream_status *m, size_t i)
{
	for (int active = 1; active >= 0; active--)
		for (size_t k = 0; k < m->n_inputs; k++) {
			const struct msg_input_status *in = &m->inputs[k];

			if (in->active == active &&
			    (active || (in->open && in->state != INPUT_IDLE)) &&
			    i-- == 0)
				return in;
		}
	return NULL;
}

size_t status_stream_events(const struct status_stream *s)
{
	size_t n = 0;

	if (s->waiting)
		return 0;
	if (s->silent || s->mpts)
		return 1;
	while (find_running(&s->last, n) != NULL)
		n++;
	return MAX(n, (size_t)1);
}

size_t status_stream_event(const struct status_stream *s, size_t i,
			   char ret[STATUS_EVENT_MAX])
{
	struct json_writer w = { .data = ret, .size = STATUS_EVENT_MAX };
	const struct msg_input_status *in =
		s->silent ? NULL : find_running(&s->last, i);
	size_t position = in != NULL ? in->position : s->position;
	const char *id = NULL;

	write_object(&w, NULL);
	write_string(&w, "scope", "stream_event");
	write_string(&w, "channel_id", s->id);
	if (position >= 1 && position <= s->n_inputs)
		id = s->input_ids[position - 1];
	if (!s->mpts && id != NULL)
		write_string(&w, "input_id", id);
	else if (!s->mpts)
		write_u64(&w, "input_id", position);
	/* of an mpts, the event has only the bitrate; onair is always true */
	write_bool(&w, "onair", s->mpts || (in != NULL && in->onair));
	write_u64(&w, "bitrate", !s->silent && !s->last.filler &&
					 s->last.sent_kbps > 0
					 ? s->last.sent_kbps
					 : in != NULL ? in->bitrate_kbps : 0);
	write_bool(&w, "scrambled", !s->mpts && in != NULL && in->scrambled);
	write_u64(&w, "cc_error", !s->mpts && in != NULL ? in->cc_error : 0);
	write_u64(&w, "pes_error", !s->mpts && in != NULL ? in->pes_error : 0);
	write_object_end(&w);
	return w.full ? 0 : w.len;
}

json_t *status_stream_switch(const struct status_stream *s,
			     const struct msg_stream_switched *m)
{
	json_t *o = switch_log_format(m);

	set_text(o, "scope", "stream_switch");
	set_text(o, "channel_id", s->id);
	return o;
}
