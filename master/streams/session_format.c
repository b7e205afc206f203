/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/session_format.h"

void session_set_stream(json_t *session, const char *stream)
{
	(void)json_object_set_new(session, "channel_id", json_string(stream));
}

/* Adds a text to a session; NULL or "" adds no member. */
static void set_text(json_t *session, const char *key, const char *text)
{
	if (text != NULL && text[0] != '\0')
		(void)json_object_set_new(session, key, json_string(text));
}

json_t *session_format(const struct msg_session *s)
{
	json_t *session = json_object();

	(void)json_object_set_new(session, "client_id",
				  json_integer((json_int_t)s->client));
	session_set_stream(session, s->stream);
	(void)json_object_set_new(session, "addr", json_string(s->peer));
	(void)json_object_set_new(session, "uptime",
				  json_integer((json_int_t)s->uptime_s));
	set_text(session, "login", s->login);
	set_text(session, "agent", s->agent);
	set_text(session, "protocol", s->protocol);
	if (s->bytes > 0)
		(void)json_object_set_new(session, "bytes",
					  json_integer((json_int_t)s->bytes));
	return session;
}
