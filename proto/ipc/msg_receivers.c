/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What master and stream say of the receivers of an output that listens. */
#include "proto/ipc/msg_desc.h"

int stream_kick_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->stream_kick.client = read_u64(&r, "client");
	return read_end(&r);
}

void stream_kick_encode(const struct msg *m, struct json_writer *w)
{
	write_u64(w, "client", m->stream_kick.client);
}

static int receiver_decode(const json_t *value, struct msg_receiver *ret,
			   struct errmsg *why)
{
	struct msg_reader r = read_begin(value, why);

	*ret = (struct msg_receiver){
		.client = read_uint(&r, "client", MSG_RECEIVER_BIT,
				    2 * MSG_RECEIVER_BIT - 1),
		.peer = read_string(&r, "peer", FIELD_WORD_MAX),
		.uptime_s = read_u64(&r, "uptime"),
	};
	return read_end(&r);
}

int stream_receivers_decode(const json_t *body, struct msg *m,
			    struct errmsg *why)
{
	struct msg_stream_receivers *s = &m->stream_receivers;
	struct msg_reader r = read_begin(body, why);
	const json_t *list;
	int err;

	s->output = (unsigned)read_uint(&r, "output", 1, MSG_OUTPUTS_MAX);
	list = read_list(&r, "list", MSG_RECEIVERS_MAX);
	err = read_end(&r);
	s->n = json_array_size(list);
	for (size_t i = 0; i < s->n && err == 0; i++) {
		err = receiver_decode(json_array_get(list, i), &s->list[i],
				      why);
		if (err < 0)
			errmsg_prefix(why, "list[%zu].", i);
	}
	return err;
}

void stream_receivers_encode(const struct msg *m, struct json_writer *w)
{
	const struct msg_stream_receivers *s = &m->stream_receivers;

	write_u64(w, "output", s->output);
	write_list(w, "list");
	for (size_t i = 0; i < s->n; i++) {
		write_object(w, NULL);
		write_u64(w, "client", s->list[i].client);
		write_string(w, "peer", s->list[i].peer);
		write_u64(w, "uptime", s->list[i].uptime_s);
		write_object_end(w);
	}
	write_list_end(w);
}
