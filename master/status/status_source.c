/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Alarms and errors that a stream inherits from the stream it reads: their
 * cause is in that stream.  status_raised.c keeps the source of each.
 */
#include "master/status/status_stream.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"

#include <stdlib.h>

/* Reported a second later, because the source may report the same first. */
alarm_set status_stream_held(const struct status_stream *s, unsigned place,
			    alarm_set raised)
{
	bool reads = false;

	for (size_t i = 0; i < s->n_inputs; i++)
		reads |= s->sources[i] != NULL &&
			 (place == i + 1 ||
			  (place == 0 && s->position == i + 1));
	return reads ? raised & ~s->before[place] & ~s->theirs[place] : 0;
}

static bool has_error(const struct msg_input_status *in)
{
	return in != NULL && in->error != NULL && in->error[0] != '\0';
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
	/* the output sends the packets of the active input */
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
	free((char *)in->error);
	in->error = xstrdup(error.text);
}
