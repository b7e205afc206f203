/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of the seconds of a stream, read again. */
#pragma once

#include "master/status/status_stream.h"

#include <criterion/criterion.h>
#include <jansson.h>

static inline json_t *stream_event(const struct status_stream *s, size_t i)
{
	char text[STATUS_EVENT_MAX];
	size_t len = status_stream_event(s, i, text);
	json_error_t why;
	json_t *event = json_loadb(text, len, 0, &why);

	cr_assert_not_null(event, "%s", why.text);
	return event;
}
