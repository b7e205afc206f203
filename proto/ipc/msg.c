/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/ipc/msg.h"

#include "common/base/alloc.h"
#include "proto/ipc/contract.h"
#include "proto/ipc/msg_tables.h"
#include "proto/spec/field_parse.h"
#include "proto/wire/json_reader.h"
#include "proto/wire/json_writer.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

struct msg_desc {
	const char *name;
	enum msg_side side;
	bool may_drop;
	unsigned char n_fds;
	const struct field_table *fields;
	size_t offset; /* offset of the member in struct msg */
};

#define KEPT false
#define REPLACED true

#define TO_WORKER(type, member, name, n_fds) \
	[MSG_##type] = { name, MSG_TO_WORKER, false, n_fds, &member##_fields, \
			 offsetof(struct msg, member) },
#define TO_WORKER_EMPTY(type, name, n_fds) \
	[MSG_##type] = { name, MSG_TO_WORKER, false, n_fds, &no_fields, 0 },
#define TO_MASTER(type, member, name, may_drop) \
	[MSG_##type] = { name, MSG_TO_MASTER, may_drop, 0, &member##_fields, \
			 offsetof(struct msg, member) },
#define TO_MASTER_EMPTY(type, name, may_drop) \
	[MSG_##type] = { name, MSG_TO_MASTER, may_drop, 0, &no_fields, 0 },

static const struct field_table no_fields = { .flags = FIELD_STRICT };
static const struct msg_desc descs[] = {
	MSG_CATALOGUE_TO_WORKER(TO_WORKER, TO_WORKER_EMPTY)
	MSG_CATALOGUE_TO_MASTER(TO_MASTER, TO_MASTER_EMPTY)
};

const char *msg_type_name(enum msg_type type)
{
	return descs[type].name;
}

bool msg_type_may_drop(enum msg_type type)
{
	return descs[type].may_drop;
}

size_t msg_fds(const struct msg *m)
{
	if (m->type == MSG_STREAM_START)
		return (size_t)m->stream_start.ring +
		       (size_t)m->stream_start.memory;
	if (m->type == MSG_STREAM_LINK)
		return m->stream_link.ring;
	if (m->type == MSG_CAS_EMMG)
		return m->cas_emmg.error != NULL ? 0 : 1u + m->cas_emmg.udp;
	if (m->type == MSG_EPG_START)
		return (size_t)m->epg_start.saved +
		       (m->epg_start.dictionary > 0);
	if (m->type == MSG_EPG_STREAM)
		return m->epg_stream.ring;
	if (m->type == MSG_DELIVER_PICTURE)
		return m->deliver_picture.len > 0;
	if (m->type == MSG_DELIVER_PAGE)
		return m->deliver_page.status == 200;
	return descs[m->type].n_fds;
}

/* Finds the type among those from first to end. */
static bool find_type(const char *name, enum msg_type first, enum msg_type end,
		      enum msg_type *ret)
{
	for (enum msg_type type = first; type < end; type++)
		if (strcmp(descs[type].name, name) == 0) {
			*ret = type;
			return true;
		}
	return false;
}

static int take_type(struct json_reader *r, enum msg_side side, struct msg *m,
		     struct errmsg *error)
{
	const enum msg_type begin = side == MSG_TO_MASTER ? MSG_WORKER_HELLO
							  : (enum msg_type)0;
	const enum msg_type end = side == MSG_TO_MASTER ? MSG_COUNT
							: MSG_WORKER_HELLO;
	const char *name = json_read(r).text;

	if (name == NULL)
		return errmsg_fail(error, -EBADMSG, "type: is missing");
	if (find_type(name, begin, end, &m->type))
		return 0;
	if (find_type(name, (enum msg_type)0, MSG_COUNT, &m->type))
		return errmsg_fail(error, -EBADMSG,
				   "%s: is for the other side", name);
	return errmsg_fail(error, -EBADMSG, "type: \"%.40s\" is not known",
			   name);
}

/* Reads the members of a message into m; 0, or -EBADMSG. */
static int take_members(struct json_reader *r, enum msg_side side,
			struct msg *m, struct errmsg *error)
{
	bool has_type = false, has_body = false;
	const struct msg_desc *d;
	struct json_value v;
	const char *key;
	int err = 0;

	if (json_read(r).kind != JSON_KIND_OBJECT)
		return errmsg_fail(error, -EBADMSG, "is not an object");
	while (err == 0 && (key = json_read_key(r)) != NULL) {
		if (strcmp(key, "type") == 0 && !has_type) {
			err = take_type(r, side, m, error);
			has_type = true;
		} else if (strcmp(key, "seq") == 0 && m->seq == 0) {
			v = json_read(r);
			if (v.kind != JSON_KIND_INTEGER || v.integer < 1 ||
			    v.integer > UINT32_MAX)
				err = errmsg_fail(error, -EBADMSG, "seq: is "
						  "not between 1 and %u",
						  UINT32_MAX);
			else
				m->seq = (uint32_t)v.integer;
		} else if (strcmp(key, "body") == 0 && has_type && !has_body) {
			d = &descs[m->type];
			if (field_parse(d->fields, r, &m->trees,
					(char *)m + d->offset, error) != 0) {
				errmsg_prefix(error, "%s: ", d->name);
				err = -EBADMSG;
			}
			has_body = true;
		} else {
			return errmsg_fail(error, -EBADMSG, "is not an object "
					   "of type, seq and body");
		}
	}
	json_read_end(r);
	if (err < 0)
		return err;
	if (r->error != NULL)
		return errmsg_fail(error, -EBADMSG, "is not JSON: %s",
				   r->error);
	return has_body ? 0 : errmsg_fail(error, -EBADMSG, "body: is missing");
}

int msg_decode(const char *data, size_t len, enum msg_side side,
	       struct msg *ret, struct errmsg *error)
{
	struct json_reader r;
	int err;

	if (len > MSG_SIZE_MAX)
		return errmsg_fail(error, -EBADMSG, "is longer than %d bytes",
				   MSG_SIZE_MAX);
	ret->seq = 0;
	ret->trees = NULL;
	ret->text = xmalloc(len + 1);
	memcpy(ret->text, data, len);
	ret->text[len] = '\0';
	json_reader_init(&r, ret->text, len);
	err = take_members(&r, side, ret, error);
	if (err < 0)
		msg_done(ret);
	return err;
}

static ssize_t encode(const struct msg *m, unsigned skip, char *data)
{
	struct json_writer w = { .data = data, .size = MSG_SIZE_MAX };
	const struct msg_desc *d = &descs[m->type];

	write_object(&w, NULL);
	write_string(&w, "type", d->name);
	if (m->seq != 0)
		write_u64(&w, "seq", m->seq);
	write_object(&w, "body");
	field_write(d->fields, (const char *)m + d->offset, skip, &w);
	write_object_end(&w);
	write_object_end(&w);
	return w.full ? -EMSGSIZE : (ssize_t)w.len;
}

ssize_t msg_encode(const struct msg *m, char *data)
{
	ssize_t len;

	assert((unsigned)m->type < MSG_COUNT);
	len = encode(m, 0, data);
	return len != -EMSGSIZE ? len : encode(m, FIELD_SPARE, data);
}

void msg_done(struct msg *m)
{
	/* the message may contain a password */
	free_wiped(m->text);
	m->text = NULL;
	json_decref(m->trees);
	m->trees = NULL;
}
