/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Alarms and errors that follow from others: a stream inherits those of the
 * stream that it reads, and the error of an adapter; an alarm of its output may
 * be caused by an input.  status_raised.c stores the source and the cause of
 * each alarm.
 */
#include "master/status/status_stream.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"

#include <stdlib.h>

/* True: the stream is a multiplex of several inputs, whose feeds do not report
 * at the same time as the multiplex. */
static bool is_mux(const struct status_stream *s)
{
	return s->mpts && s->n_inputs > 1;
}

static bool has(const struct status_stream *s, size_t position,
		enum alarm_id alarm)
{
	return status_stream_raised(s, (unsigned)position) >> alarm & 1;
}

unsigned status_stream_cause(const struct status_stream *s,
			     enum alarm_id alarm)
{
	size_t i = 1;

	if (!is_mux(s))
		return s->position >= 1 && s->position <= s->n_inputs &&
		       has(s, s->position, alarm) ? s->position : 0;
	while (i <= s->n_inputs && !has(s, i, alarm))
		i++;
	return i <= s->n_inputs ? (unsigned)i : 0;
}

alarm_set status_stream_held(const struct status_stream *s, unsigned place,
			    alarm_set raised)
{
	alarm_set theirs = s->theirs[place];
	bool reads = place == 0 && is_mux(s);

	for (size_t i = 0; i < s->n_inputs; i++) {
		reads |= s->sources[i] != NULL &&
			 (place == i + 1 ||
			  (place == 0 && s->position == i + 1));
		if (place == 0 && is_mux(s))
			theirs |= status_stream_raised(s, (unsigned)i + 1);
	}
	return reads ? raised & ~s->before[place] & ~theirs &
			       ~ALARMS_OF_OUTPUTS : 0;
}

static bool has_error(const struct msg_input_status *in)
{
	return in != NULL && in->error != NULL && in->error[0] != '\0';
}

static void set_error(struct msg_input_status *in, const struct errmsg *error)
{
	free((char *)in->error);
	in->error = xstrdup(error->text);
}

void status_stream_relate(struct status_stream *s, unsigned place,
			  struct status_stream *source)
{
	struct msg_input_status *in = status_stream_input(s, place);
	const struct msg_input_status *cause;
	struct errmsg error;

	if (source == NULL || !source->enabled)
		return;
	s->theirs[place] = status_stream_raised(source, 0) &
			   ~ALARMS_OF_OUTPUTS;
	/* the output sends the packets of the active input, so the output
	 * inherits the alarms that the input inherits */
	if (s->position == place)
		s->theirs[0] = s->theirs[place] &
			       (status_stream_raised(s, place) |
				s->reported[place]);
	if (!has_error(in) || in->onair || status_stream_sum(source, 1).onair)
		return;
	errmsg_set(&error, "%s is off air", source->id);
	cause = status_stream_input(source, source->position);
	if (has_error(cause))
		errmsg_set(&error, "%s is off air: %s", source->id,
			   cause->error);
	set_error(in, &error);
}

void status_stream_relate_adapter(struct status_stream *s, unsigned place,
				  const char *id, const char *text)
{
	struct msg_input_status *in = status_stream_input(s, place);
	struct errmsg error;

	if (!has_error(in) || in->onair)
		return;
	errmsg_set(&error, "adapter %s: %s", id, text);
	set_error(in, &error);
}
