/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/receivers.h"

#include "common/base/alloc.h"
#include "master/streams/session_format.h"

#include <stdlib.h>

struct msg_session receiver_session(const char *stream,
				    const struct msg_receiver *r)
{
	return (struct msg_session){
		.client = r->client,
		.stream = stream,
		.peer = r->peer,
		.uptime_s = r->uptime_s,
		.login = r->login != NULL ? r->login : "",
		.agent = "",
		.protocol = "srt",
		.bytes = r->bytes,
	};
}

size_t receivers_left(const struct receivers *r,
		      const struct msg_stream_receivers *m, uint64_t *ret)
{
	size_t i = m->output - 1, n = json_array_size(r->lists[i]), n_left = 0;

	for (size_t k = 0; k < n; k++) {
		size_t at = 0;

		while (at < m->n && m->list[at].client != r->clients[i][k])
			at++;
		if (at == m->n)
			ret[n_left++] = r->clients[i][k];
	}
	return n_left;
}

static void clear(struct receivers *r, size_t i)
{
	json_decref(r->lists[i]);
	r->lists[i] = NULL;
	free(r->clients[i]);
	r->clients[i] = NULL;
}

void receivers_update(struct receivers *r, const char *stream,
		      const struct msg_stream_receivers *m, uint64_t now_ms)
{
	size_t i = m->output - 1;

	clear(r, i);
	if (m->n == 0)
		return;
	r->lists[i] = json_array();
	r->clients[i] = xcalloc(m->n, sizeof *r->clients[i]);
	r->updated_ms[i] = now_ms;
	for (size_t k = 0; k < m->n; k++) {
		const struct msg_session s =
			receiver_session(stream, &m->list[k]);

		r->clients[i][k] = s.client;
		(void)json_array_append_new(r->lists[i], session_format(&s));
	}
}

void receivers_clear(struct receivers *r)
{
	for (size_t i = 0; i < ARRAY_LEN(r->lists); i++)
		clear(r, i);
}

void receivers_rename(struct receivers *r, const char *stream)
{
	json_t *session;
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(r->lists); i++)
		json_array_foreach(r->lists[i], k, session)
			session_set_stream(session, stream);
}

unsigned receivers_count(const struct receivers *r)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(r->lists); i++)
		n += json_array_size(r->lists[i]);
	return (unsigned)n;
}

bool receivers_has(const struct receivers *r, uint64_t client)
{
	for (size_t i = 0; i < ARRAY_LEN(r->lists); i++) {
		size_t n = json_array_size(r->lists[i]);

		for (size_t k = 0; k < n; k++)
			if (r->clients[i][k] == client)
				return true;
	}
	return false;
}

void receivers_list(const struct receivers *r, uint64_t now_ms,
		    json_t *sessions)
{
	json_t *session;
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(r->lists); i++)
		json_array_foreach(r->lists[i], k, session) {
			json_t *copy = json_copy(session);
			json_int_t uptime = json_integer_value(
				json_object_get(copy, "uptime"));

			uptime += (json_int_t)((now_ms - r->updated_ms[i]) /
					       1000);
			(void)json_object_set_new(copy, "uptime",
						  json_integer(uptime));
			(void)json_array_append_new(sessions, copy);
		}
}
