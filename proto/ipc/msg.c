/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/ipc/msg.h"

#include "proto/ipc/contract.h"
#include "proto/ipc/msg_tables.h"
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
	return descs[m->type].n_fds;
}

/* Reads everything but the body; 0, or -EBADMSG. */
static int decode_head(const json_t *document, enum msg_side side,
		       struct msg *m, struct errmsg *error)
{
	const char *name = json_string_value(json_object_get(document,
							     "type"));
	const json_t *seq = json_object_get(document, "seq");
	json_int_t n = json_integer_value(seq);

	if (name == NULL)
		return errmsg_fail(error, -EBADMSG, "type: is missing");
	if (seq != NULL && (n < 1 || n > UINT32_MAX))
		return errmsg_fail(error, -EBADMSG,
				   "seq: is not between 1 and %u", UINT32_MAX);
	m->seq = (uint32_t)n;
	if (!json_is_object(json_object_get(document, "body")))
		return errmsg_fail(error, -EBADMSG, "body: is not an object");
	if (json_object_size(document) != 2 + (size_t)(seq != NULL))
		return errmsg_fail(error, -EBADMSG,
				   "is not an object of type, seq and body");
	for (unsigned i = 0; i < MSG_COUNT; i++) {
		if (strcmp(descs[i].name, name) != 0)
			continue;
		if (descs[i].side != side)
			return errmsg_fail(error, -EBADMSG,
					   "%s: is for the other side", name);
		m->type = (enum msg_type)i;
		return 0;
	}
	return errmsg_fail(error, -EBADMSG, "type: \"%.40s\" is not known",
			   name);
}

int msg_decode(const char *data, size_t len, enum msg_side side,
	       struct msg *ret, struct errmsg *error)
{
	struct msg m = { 0 };
	json_error_t json;
	const struct msg_desc *d;
	int r;

	if (len > MSG_SIZE_MAX)
		return errmsg_fail(error, -EBADMSG, "is longer than %d bytes",
				   MSG_SIZE_MAX);
	m.document = json_loadb(data, len, JSON_REJECT_DUPLICATES, &json);
	if (m.document == NULL)
		return errmsg_fail(error, -EBADMSG, "is not JSON: %s",
				   json.text);
	r = decode_head(m.document, side, &m, error);
	d = &descs[m.type];
	if (r == 0 &&
	    field_read(d->fields, json_object_get(m.document, "body"),
		       (char *)&m + d->offset, error) < 0) {
		errmsg_prefix(error, "%s: ", d->name);
		r = -EBADMSG;
	}
	if (r < 0)
		msg_done(&m);
	else
		*ret = m;
	return r;
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
	json_decref(m->document);
	m->document = NULL;
}
