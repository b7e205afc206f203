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
	size_t i = m->output - 1, n_left = 0;
	size_t n = r->kept[i] ? 0 : json_array_size(r->lists[i]);

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
	r->kept[i] = false;
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

/* True: the receivers of output i come from the previous master, and the worker
 * did not repeat them in time.  They had left before: a worker does not repeat
 * the report that an output has no receivers. */
static bool is_over(const struct receivers *r, size_t i, uint64_t now_ms)
{
	return r->kept[i] && now_ms - r->updated_ms[i] > RECEIVERS_KEPT_MS;
}

unsigned receivers_count(const struct receivers *r, uint64_t now_ms)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(r->lists); i++)
		if (!is_over(r, i, now_ms))
			n += json_array_size(r->lists[i]);
	return (unsigned)n;
}

static bool has(const struct receivers *r, size_t i, uint64_t client)
{
	for (size_t k = 0; k < json_array_size(r->lists[i]); k++)
		if (r->clients[i][k] == client)
			return true;
	return false;
}

bool receivers_has(const struct receivers *r, uint64_t client)
{
	for (size_t i = 0; i < ARRAY_LEN(r->lists); i++)
		if (has(r, i, client))
			return true;
	return false;
}

bool receivers_is_reported(const struct receivers *r, uint64_t client)
{
	for (size_t i = 0; i < ARRAY_LEN(r->lists); i++)
		if (!r->kept[i] && has(r, i, client))
			return true;
	return false;
}

void receivers_list(const struct receivers *r, uint64_t now_ms,
		    json_t *sessions)
{
	json_t *session;
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(r->lists); i++) {
		if (is_over(r, i, now_ms))
			continue;
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
}

/* --- from master to master --- */

json_t *receivers_write(const struct receivers *r)
{
	json_t *all = json_array();

	for (size_t i = 0; i < ARRAY_LEN(r->lists); i++)
		if (json_array_size(r->lists[i]) > 0)
			(void)json_array_append_new(
				all, json_pack("{s:i, s:I, s:O}", "output",
					       (int)i + 1, "updated_ms",
					       (json_int_t)r->updated_ms[i],
					       "list", r->lists[i]));
	return all;
}

/* Returns the client number of a session; 0: the session is not valid. */
static uint64_t read_client(const json_t *session)
{
	json_int_t client = json_integer_value(
		json_object_get(session, "client_id"));

	return client > 0 &&
			       json_is_string(json_object_get(session,
							      "addr")) &&
			       json_is_integer(json_object_get(session,
							       "uptime"))
		       ? (uint64_t)client : 0;
}

static void take(struct receivers *r, size_t i, const char *stream,
		 const json_t *list)
{
	size_t n = json_array_size(list);

	r->lists[i] = json_array();
	r->clients[i] = xcalloc(n, sizeof *r->clients[i]);
	r->kept[i] = true;
	for (size_t k = 0, at = 0; k < n; k++) {
		json_t *session = json_array_get(list, k);
		uint64_t client = read_client(session);

		if (client == 0)
			continue;
		session_set_stream(session, stream);
		(void)json_array_append(r->lists[i], session);
		r->clients[i][at++] = client;
	}
}

void receivers_take(struct receivers *r, const char *stream, const json_t *all,
		    uint64_t now_ms)
{
	const json_t *one;
	size_t at;

	json_array_foreach((json_t *)(uintptr_t)all, at, one) {
		json_int_t i = json_integer_value(
			json_object_get(one, "output")) - 1;
		uint64_t updated_ms = (uint64_t)json_integer_value(
			json_object_get(one, "updated_ms"));
		const json_t *list = json_object_get(one, "list");

		if (i < 0 || i >= (json_int_t)ARRAY_LEN(r->lists) ||
		    r->lists[i] != NULL || json_array_size(list) == 0 ||
		    json_array_size(list) > MSG_RECEIVERS_MAX ||
		    updated_ms > now_ms)
			continue;
		take(r, (size_t)i, stream, list);
		r->updated_ms[i] = updated_ms;
	}
}
