/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/receivers.h"

#include "master/streams/session_format.h"

void receivers_update(struct receivers *r, const char *stream,
		      const struct msg_stream_receivers *m, uint64_t now_ms)
{
	size_t i = m->output - 1;

	json_decref(r->lists[i]);
	r->lists[i] = NULL;
	if (m->n == 0)
		return;
	r->lists[i] = json_array();
	r->updated_ms[i] = now_ms;
	for (size_t k = 0; k < m->n; k++)
		(void)json_array_append_new(
			r->lists[i],
			session_format(&(struct msg_session){
				.client = m->list[k].client,
				.stream = stream,
				.peer = m->list[k].peer,
				.uptime_s = m->list[k].uptime_s,
			}));
}

void receivers_clear(struct receivers *r)
{
	for (size_t i = 0; i < ARRAY_LEN(r->lists); i++) {
		json_decref(r->lists[i]);
		r->lists[i] = NULL;
	}
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
	const json_t *session;
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(r->lists); i++)
		json_array_foreach(r->lists[i], k, session)
			if ((uint64_t)json_integer_value(json_object_get(
				    session, "client_id")) == client)
				return true;
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
