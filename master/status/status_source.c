/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Alarms and errors that a stream inherits from the stream it reads: their
 * cause is in that stream.
 */
#include "master/status/status_stream.h"

#include "common/base/alloc.h"
#include "common/base/errmsg.h"

#include <stdlib.h>
#include <string.h>

/* Reported a second later, because the source may report the same first. */
uint32_t status_stream_held(const struct status_stream *s, unsigned place,
			    uint32_t raised)
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
	if (!has_error(in) || in->onair || minute_sum(&source->minute, 1).onair)
		return;
	errmsg_set(&error, "%s is off air", source->id);
	cause = status_stream_input(source, source->position);
	if (has_error(cause))
		errmsg_set(&error, "%s is off air: %s", source->id,
			   cause->error);
	free((char *)in->error);
	in->error = xstrdup(error.text);
}

static struct status_inherited **find(struct status_stream *s, unsigned place,
				      enum alarm_id alarm)
{
	struct status_inherited **at = &s->inherited;

	while (*at != NULL && ((*at)->place != place || (*at)->alarm != alarm))
		at = &(*at)->next;
	return at;
}

void status_stream_inherit(struct status_stream *s, unsigned place,
			   enum alarm_id alarm)
{
	struct status_inherited **end = find(s, place, alarm);
	const char *source = s->sources[(place > 0 ? place : s->position) - 1];

	if (*end != NULL || source == NULL || !(s->theirs[place] >> alarm & 1))
		return;
	*end = xcalloc(1, sizeof **end);
	**end = (struct status_inherited){
		.place = place, .alarm = alarm, .source = xstrdup(source),
	};
}

void status_stream_disinherit(struct status_stream *s, unsigned place,
			      enum alarm_id alarm)
{
	struct status_inherited **at = find(s, place, alarm);
	struct status_inherited *gone = *at;

	if (gone == NULL)
		return;
	*at = gone->next;
	free(gone->source);
	free(gone);
}

void status_stream_rename_source(struct status_stream *s, const char *from,
				 const char *to)
{
	for (struct status_inherited *i = s->inherited; i != NULL; i = i->next)
		if (strcmp(i->source, from) == 0) {
			free(i->source);
			i->source = xstrdup(to);
		}
}

const char *status_stream_source(struct status_stream *s, unsigned place,
				 enum alarm_id alarm)
{
	const struct status_inherited *from = *find(s, place, alarm);

	return from != NULL ? from->source : NULL;
}
