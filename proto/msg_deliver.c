/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What master and deliver say to each other. */
#include "proto/msg_desc.h"

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

void deliver_listen_encode(const struct msg *m, struct msg_writer *w)
{
	write_string(w, "address", m->deliver_listen.address);
}

int deliver_unlisten_decode(const json_t *body, struct msg *m,
			    struct errmsg *why)
{
	return address_decode(body, &m->deliver_unlisten, why);
}

void deliver_unlisten_encode(const struct msg *m, struct msg_writer *w)
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
	};
	return read_end(&r);
}

static void mount_encode(const struct msg_deliver_mount *mount,
			 struct msg_writer *w)
{
	write_string(w, "address", mount->address);
	write_string(w, "path", mount->path);
	write_string(w, "stream", mount->stream);
}

int deliver_mount_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	return mount_decode(body, &m->deliver_mount, why);
}

void deliver_mount_encode(const struct msg *m, struct msg_writer *w)
{
	mount_encode(&m->deliver_mount, w);
}

int deliver_unmount_decode(const json_t *body, struct msg *m,
			   struct errmsg *why)
{
	return mount_decode(body, &m->deliver_unmount, why);
}

void deliver_unmount_encode(const struct msg *m, struct msg_writer *w)
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

void deliver_renew_encode(const struct msg *m, struct msg_writer *w)
{
	(void)m, (void)w;
}

int deliver_settle_decode(const json_t *body, struct msg *m,
			  struct errmsg *why)
{
	(void)m;
	return empty_decode(body, why);
}

void deliver_settle_encode(const struct msg *m, struct msg_writer *w)
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

void deliver_status_encode(const struct msg *m, struct msg_writer *w)
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

void deliver_viewers_encode(const struct msg *m, struct msg_writer *w)
{
	const struct msg_deliver_viewers *v = &m->deliver_viewers;

	write_string(w, "address", v->address);
	write_string(w, "path", v->path);
	write_string(w, "stream", v->stream);
	write_u64(w, "viewers", v->viewers);
	write_u64(w, "bytes", v->bytes);
	write_u64(w, "cut", v->cut);
}
