/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What master and deliver say to each other. */
#include "proto/ipc/msg_desc.h"

#include <errno.h>

static int address_decode(const json_t *body, struct msg_deliver_listen *l,
			  struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	l->address = read_string(&r, "address", FIELD_ANY_MAX);
	return read_end(&r);
}

int deliver_listen_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	return address_decode(body, &m->deliver_listen, why);
}

void deliver_listen_encode(const struct msg *m, struct json_writer *w)
{
	write_string(w, "address", m->deliver_listen.address);
}

int deliver_unlisten_decode(const json_t *body, struct msg *m,
			    struct errmsg *why)
{
	return address_decode(body, &m->deliver_unlisten, why);
}

void deliver_unlisten_encode(const struct msg *m, struct json_writer *w)
{
	write_string(w, "address", m->deliver_unlisten.address);
}

static int mount_decode(const json_t *body, struct msg_deliver_mount *mount,
			struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	*mount = (struct msg_deliver_mount){
		.address = read_string(&r, "address", FIELD_ANY_MAX),
		.path = read_string(&r, "path", FIELD_ANY_MAX),
		.stream = read_string(&r, "stream", FIELD_ANY_MAX),
		.tls = read_bool(&r, "tls"),
	};
	return read_end(&r);
}

static void mount_encode(const struct msg_deliver_mount *mount,
			 struct json_writer *w)
{
	write_string(w, "address", mount->address);
	write_string(w, "path", mount->path);
	write_string(w, "stream", mount->stream);
	write_bool(w, "tls", mount->tls);
}

int deliver_mount_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	return mount_decode(body, &m->deliver_mount, why);
}

void deliver_mount_encode(const struct msg *m, struct json_writer *w)
{
	mount_encode(&m->deliver_mount, w);
}

int deliver_unmount_decode(const json_t *body, struct msg *m,
			   struct errmsg *why)
{
	return mount_decode(body, &m->deliver_unmount, why);
}

void deliver_unmount_encode(const struct msg *m, struct json_writer *w)
{
	mount_encode(&m->deliver_unmount, w);
}

static int empty_decode(const json_t *body, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	return read_end(&r);
}

int deliver_renew_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	(void)m;
	return empty_decode(body, why);
}

void deliver_renew_encode(const struct msg *m, struct json_writer *w)
{
	(void)m, (void)w;
}

int deliver_settle_decode(const json_t *body, struct msg *m,
			  struct errmsg *why)
{
	(void)m;
	return empty_decode(body, why);
}

void deliver_settle_encode(const struct msg *m, struct json_writer *w)
{
	(void)m, (void)w;
}

int deliver_tls_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	(void)m;
	return empty_decode(body, why);
}

void deliver_tls_encode(const struct msg *m, struct json_writer *w)
{
	(void)m, (void)w;
}

int deliver_status_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->deliver_status = (struct msg_deliver_status){
		.viewers = read_u32(&r, "viewers"),
		.bytes = read_u64(&r, "bytes"),
		.cut = read_u64(&r, "cut"),
	};
	return read_end(&r);
}

void deliver_status_encode(const struct msg *m, struct json_writer *w)
{
	const struct msg_deliver_status *status = &m->deliver_status;

	write_u64(w, "viewers", status->viewers);
	write_u64(w, "bytes", status->bytes);
	write_u64(w, "cut", status->cut);
}

int deliver_viewers_decode(const json_t *body, struct msg *m,
			   struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->deliver_viewers = (struct msg_deliver_viewers){
		.address = read_string(&r, "address", FIELD_WORD_MAX),
		.path = read_string(&r, "path", FIELD_TEXT_MAX),
		.stream = read_string(&r, "stream", FIELD_TEXT_MAX),
		.viewers = read_u32(&r, "viewers"),
		.bytes = read_u64(&r, "bytes"),
		.cut = read_u64(&r, "cut"),
	};
	return read_end(&r);
}

void deliver_viewers_encode(const struct msg *m, struct json_writer *w)
{
	const struct msg_deliver_viewers *v = &m->deliver_viewers;

	write_string(w, "address", v->address);
	write_string(w, "path", v->path);
	write_string(w, "stream", v->stream);
	write_u64(w, "viewers", v->viewers);
	write_u64(w, "bytes", v->bytes);
	write_u64(w, "cut", v->cut);
}

int deliver_list_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->deliver_list.after = read_u64(&r, "after");
	return read_end(&r);
}

void deliver_list_encode(const struct msg *m, struct json_writer *w)
{
	write_u64(w, "after", m->deliver_list.after);
}

int deliver_kick_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->deliver_kick.client = read_u64(&r, "client");
	return read_end(&r);
}

void deliver_kick_encode(const struct msg *m, struct json_writer *w)
{
	write_u64(w, "client", m->deliver_kick.client);
}

static int session_decode(const json_t *value, struct msg_session *s,
			  uint64_t after, struct errmsg *why)
{
	struct msg_reader r = read_begin(value, why);

	*s = (struct msg_session){
		.client = read_uint(&r, "client", after + 1, INT64_MAX),
		.stream = read_string(&r, "stream", FIELD_WORD_MAX),
		.peer = read_string(&r, "peer", FIELD_WORD_MAX),
		.uptime_s = read_u64(&r, "uptime"),
	};
	return read_end(&r);
}

int deliver_sessions_decode(const json_t *body, struct msg *m,
			    struct errmsg *why)
{
	struct msg_deliver_sessions *sessions = &m->deliver_sessions;
	struct msg_reader r = read_begin(body, why);
	const json_t *list = read_list(&r, "list", MSG_SESSIONS_MAX);
	uint64_t after = 0;
	int err;

	sessions->more = read_bool(&r, "more");
	err = read_end(&r);
	sessions->n = json_array_size(list);
	for (size_t i = 0; i < sessions->n && err == 0; i++) {
		err = session_decode(json_array_get(list, i),
				     &sessions->list[i], after, why);
		after = sessions->list[i].client;
	}
	if (err == 0 && sessions->more && sessions->n == 0)
		return errmsg_fail(why, -EBADMSG, "more: after nobody");
	return err;
}

void deliver_sessions_encode(const struct msg *m, struct json_writer *w)
{
	const struct msg_deliver_sessions *sessions = &m->deliver_sessions;

	write_list(w, "list");
	for (size_t i = 0; i < sessions->n; i++) {
		const struct msg_session *s = &sessions->list[i];

		write_object(w, NULL);
		write_u64(w, "client", s->client);
		write_string(w, "stream", s->stream);
		write_string(w, "peer", s->peer);
		write_u64(w, "uptime", s->uptime_s);
		write_object_end(w);
	}
	write_list_end(w);
	write_bool(w, "more", sessions->more);
}
