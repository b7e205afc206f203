/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The alarm events of one stream, as texts to compare. */
#pragma once

#include "master/config/stream_conf.h"
#include "master/status/status_stream.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct msg_input_status playing = {
	.position = 1, .active = true, .open = true,
};

/* The event without its time, or "" when there is none. */
static inline const char *next_alarm(struct status_stream *s, uint64_t now_ms)
{
	static char text[256];
	json_t *event = status_stream_alarm(s, now_ms);
	char *dump;

	if (event == NULL)
		return "";
	cr_assert_gt(json_integer_value(json_object_get(event, "time")), 0);
	(void)json_object_del(event, "time");
	(void)json_object_del(event, "scope");
	(void)json_object_del(event, "channel_id");
	dump = json_dumps(event, JSON_COMPACT);
	(void)snprintf(text, sizeof text, "%s", dump);
	for (char *c = text; *c != '\0'; c++)
		if (*c == '"')
			*c = '\'';
	free(dump);
	json_decref(event);
	return text;
}

static inline void set_stream(struct status_stream *s, const json_t *stream)
{
	struct stream_conf *conf = stream_conf_new(stream);

	status_stream_set(s, conf, NULL);
	stream_conf_free(&conf);
}
