/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes the state of a stream in words, and its errors with their times. */
#include "common/base/alloc.h"
#include "common/base/errmsg.h"
#include "master/status/status_set.h"
#include "master/status/status_stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- errors --- */

void status_error_set(struct status_error *e, const char *text, int64_t now_s)
{
	char *copy = xstrdup(text);

	if (text != NULL &&
	    (e->text == NULL || !errmsg_is_alike(e->text, text)))
		e->since_s = now_s;
	free(e->text);
	e->text = copy;
}

void status_error_add(json_t *o, const struct status_error *e)
{
	if (e->text == NULL)
		return;
	set_text(o, "error", e->text);
	if (e->since_s > 0)
		set_int(o, "error_since", (uint64_t)e->since_s);
}

/* An error, and the Unix time since when it lasts; 0: not known. */
struct cause {
	const char *text; /* NULL: none */
	int64_t since_s;
};

/* Returns the error of an input, or the reason why it is down; text NULL:
 * neither. */
static struct cause cause_of(const struct msg_input_status *in)
{
	struct cause c = { 0 };

	if (in == NULL)
		return c;
	if (in->error != NULL && in->error[0] != '\0')
		c.text = in->error;
	else if (in->state == INPUT_DOWN && in->reason != NULL &&
		 in->reason[0] != '\0')
		c.text = in->reason;
	if (c.text != NULL)
		c.since_s = (int64_t)in->fault_s;
	return c;
}

static const struct msg_input_status *active_of(const struct status_stream *s)
{
	for (size_t i = 0; i < s->last.n_inputs && !s->silent; i++)
		if (s->last.inputs[i].active)
			return &s->last.inputs[i];
	return NULL;
}

static bool is_on_air(const struct status_stream *s)
{
	return s->enabled && !s->silent && status_stream_sum(s, 1).onair;
}

/* Returns the error of a stream: absence, the reason why there is no report;
 * if NULL, the error of the active input, even if that is on air; if none, why
 * the stream is off air, preferably the error of the last active input.  Text
 * NULL: the stream is on air, disabled or waiting. */
static struct cause stream_cause(const struct status_stream *s,
				 const char *absence)
{
	struct cause c = { .text = absence };

	if (absence == NULL)
		c = cause_of(active_of(s));
	if (c.text != NULL || !s->enabled || s->waiting || is_on_air(s))
		return c;
	c = cause_of(status_stream_input(s, s->position));
	for (size_t i = 1; i <= s->n_inputs && c.text == NULL; i++)
		c = cause_of(status_stream_input(s, i));
	if (c.text == NULL && s->n_inputs == 0)
		c.text = "no input is configured";
	if (c.text == NULL)
		c.text = "the input was not on air yet";
	return c;
}

static void set_cause(struct status_error *e, struct cause c, int64_t now_s)
{
	status_error_set(e, c.text, c.since_s > 0 ? MIN(c.since_s, now_s)
						  : now_s);
}

void status_stream_note_errors(struct status_stream *s,
			       const struct stream_proc_info *info,
			       int64_t now_s)
{
	struct errmsg absence;
	bool absent = status_stream_absence(s, info, &absence);

	/* before the first report, the errors of the previous master stay */
	if (!s->silent && s->last.n_inputs == 0 && s->n_inputs > 0)
		return;
	if (!s->enabled || s->waiting || is_on_air(s))
		s->off_s = 0;
	else if (s->off_s == 0)
		s->off_s = now_s;
	for (size_t i = 0; i < s->n_inputs; i++) {
		const struct msg_input_status *in =
			status_stream_input(s, i + 1);
		struct cause c = { 0 };

		if (absent && i + 1 == s->position)
			c.text = absence.text;
		else if (in != NULL && in->error != NULL &&
			 in->error[0] != '\0')
			c = cause_of(in);
		set_cause(&s->input_errors[i], c, now_s);
	}
	for (size_t i = s->n_inputs; i < ARRAY_LEN(s->input_errors); i++)
		status_error_set(&s->input_errors[i], NULL, now_s);
	set_cause(&s->error, stream_cause(s, absent ? absence.text : NULL),
		  now_s);
}

/* --- words --- */

/* The details in brackets after the state. */
struct details {
	char text[160];
	size_t len;
};

static void detail(struct details *d, const char *format, ...)
	PRINTF_LIKE(2, 3);

static void detail(struct details *d, const char *format, ...)
{
	const char *gap = d->len > 0 ? "; " : " (";
	va_list args;
	int n;

	n = snprintf(d->text + d->len, sizeof d->text - d->len, "%s", gap);
	d->len = MIN(d->len + (size_t)n, sizeof d->text - 1);
	va_start(args, format);
	n = vsnprintf(d->text + d->len, sizeof d->text - d->len, format, args);
	va_end(args);
	d->len = MIN(d->len + (size_t)n, sizeof d->text - 1);
}

static void add_damping(struct details *d,
			const struct msg_input_status *in, time_t now)
{
	time_t end = now + (time_t)in->damped_s;
	struct tm local;
	char clock[24];

	/* with the time zone, because clients may be in another one */

	if (localtime_r(&end, &local) != NULL &&
	    strftime(clock, sizeof clock, "%H:%M %Z", &local) > 0)
		detail(d, "input %u is damped until %s", in->position, clock);
}

/* Adds the active input if it is not the first one, and each earlier input to
 * which the stream may not switch back yet (damping). */
static void add_choice(struct details *d, const struct status_stream *s,
		       time_t now)
{
	const struct msg_input_status *in = active_of(s);

	if (in == NULL)
		return;
	if (in->position > 1 && in->reason != NULL &&
	    strcmp(in->reason, "manual") == 0)
		detail(d, "input %u, chosen by hand", in->position);
	else if (in->position > 1)
		detail(d, "input %u, backup", in->position);
	/* damping delays only the first input and those in front of the active
	 * one */
	for (size_t i = 1; i < MAX(in->position, 2U); i++) {
		const struct msg_input_status *before =
			status_stream_input(s, i);

		if (before != NULL && before->damped_s > 0)
			add_damping(d, before, now);
	}
}

void status_stream_words(const struct status_stream *s,
			 const struct stream_proc_info *info, time_t now,
			 struct errmsg *ret)
{
	const char *state = info->state != NULL ? info->state : "stopped";
	struct details d = { .len = 0 };
	bool on_air = is_on_air(s);

	if (!s->enabled) {
		errmsg_set(ret, "disabled");
		return;
	}
	if (s->waiting) {
		errmsg_set(ret, "waiting for a viewer");
		return;
	}
	if (on_air)
		add_choice(&d, s, now);
	else if (s->silent && (s->fault != NULL ||
			       strcmp(state, "running") != 0))
		detail(&d, "%s", s->fault != NULL ? "not started" : state);
	if (!s->silent && s->last.filler)
		detail(&d, "filler %splays", on_air ? "still " : "");
	if (on_air && s->n_outputs > 0 &&
	    status_stream_count_mute(s) == s->n_outputs)
		detail(&d, s->n_outputs > 1 ? "no output sends"
					    : "the output does not send");
	errmsg_set(ret, "%s%s%s", on_air ? "on air" : "OFF AIR", d.text,
		   d.len > 0 ? ")" : "");
}

void status_stream_add_words(json_t *o, const struct status_stream *s,
			     const struct stream_proc_info *info)
{
	struct errmsg words;

	status_stream_words(s, info, time(NULL), &words);
	set_text(o, "state", words.text);
	status_error_add(o, &s->error);
	if (s->off_s > 0)
		set_int(o, "off_since", (uint64_t)s->off_s);
}
