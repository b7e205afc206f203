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
	const struct field_table *fields;
	size_t offset; /* of the member of the union */
};

/* A message that is never dropped, and one that the next one replaces. */
#define KEEP(side, member, table) \
	side, false, &table, offsetof(struct msg, member)
#define DROP(side, member, table) \
	side, true, &table, offsetof(struct msg, member)
#define WORKER MSG_TO_WORKER
#define MASTER MSG_TO_MASTER

static const struct msg_desc descs[] = {
	[MSG_STREAM_START] = { "stream.start",
		KEEP(WORKER, stream_start, stream_start_fields) },
	[MSG_STREAM_INPUT] = { "stream.input",
		KEEP(WORKER, stream_input, stream_input_fields) },
	[MSG_STREAM_ANALYZE] = { "stream.analyze",
		KEEP(WORKER, stream_analyze, stream_analyze_fields) },
	[MSG_STREAM_KICK] = { "stream.kick",
		KEEP(WORKER, stream_kick, stream_kick_fields) },
	[MSG_STREAM_RING] = { "stream.ring",
		KEEP(WORKER, type, msg_no_fields) },
	[MSG_STREAM_LINK] = { "stream.link",
		KEEP(WORKER, stream_link, stream_link_fields) },
	[MSG_DELIVER_LISTEN] = { "deliver.listen",
		KEEP(WORKER, deliver_listen, deliver_listen_fields) },
	[MSG_DELIVER_UNLISTEN] = { "deliver.unlisten",
		KEEP(WORKER, deliver_unlisten, deliver_listen_fields) },
	[MSG_DELIVER_MOUNT] = { "deliver.mount",
		KEEP(WORKER, deliver_mount, deliver_mount_fields) },
	[MSG_DELIVER_UNMOUNT] = { "deliver.unmount",
		KEEP(WORKER, deliver_unmount, deliver_mount_fields) },
	[MSG_DELIVER_RENEW] = { "deliver.renew",
		KEEP(WORKER, type, msg_no_fields) },
	[MSG_DELIVER_SETTLE] = { "deliver.settle",
		KEEP(WORKER, type, msg_no_fields) },
	[MSG_DELIVER_LIST] = { "deliver.list",
		KEEP(WORKER, deliver_list, deliver_list_fields) },
	[MSG_DELIVER_KICK] = { "deliver.kick",
		KEEP(WORKER, deliver_kick, deliver_kick_fields) },
	[MSG_DELIVER_TLS] = { "deliver.tls",
		KEEP(WORKER, type, msg_no_fields) },
	[MSG_AUTH_HASH] = { "auth.hash",
		KEEP(WORKER, auth_hash, auth_hash_fields) },
	[MSG_AUTH_VERIFY] = { "auth.verify",
		KEEP(WORKER, auth_verify, auth_verify_fields) },
	[MSG_TLS_CERTIFICATE] = { "tls.certificate",
		KEEP(WORKER, tls_certificate, tls_certificate_fields) },
	[MSG_TLS_LINK] = { "tls.link",
		KEEP(WORKER, type, msg_no_fields) },
	[MSG_TLS_SERVE] = { "tls.serve",
		KEEP(WORKER, type, msg_no_fields) },
	[MSG_SCAN_START] = { "scan.start",
		KEEP(WORKER, scan_start, scan_start_fields) },
	[MSG_SOFTCAM_TEST] = { "softcam.test",
		KEEP(WORKER, softcam_test, softcam_test_fields) },
	[MSG_WORKER_DEBUG] = { "worker.debug",
		KEEP(WORKER, worker_debug, worker_debug_fields) },
	[MSG_WORKER_HELLO] = { "worker.hello",
		KEEP(MASTER, worker_hello, worker_hello_fields) },
	[MSG_WORKER_READY] = { "worker.ready",
		KEEP(MASTER, type, msg_no_fields) },
	[MSG_WORKER_LOG] = { "worker.log",
		DROP(MASTER, worker_log, worker_log_fields) },
	[MSG_STREAM_STATUS] = { "stream.status",
		DROP(MASTER, stream_status, stream_status_fields) },
	[MSG_STREAM_CHOSEN] = { "stream.chosen",
		KEEP(MASTER, stream_chosen, stream_chosen_fields) },
	[MSG_STREAM_SWITCHED] = { "stream.switched",
		DROP(MASTER, stream_switched, stream_switched_fields) },
	[MSG_STREAM_ANALYSIS] = { "stream.analysis",
		DROP(MASTER, stream_analysis, stream_analysis_fields) },
	[MSG_STREAM_RECEIVERS] = { "stream.receivers",
		DROP(MASTER, stream_receivers, stream_receivers_fields) },
	[MSG_DELIVER_STATUS] = { "deliver.status",
		DROP(MASTER, deliver_status, deliver_status_fields) },
	[MSG_DELIVER_VIEWERS] = { "deliver.viewers",
		DROP(MASTER, deliver_viewers, deliver_viewers_fields) },
	[MSG_DELIVER_SESSIONS] = { "deliver.sessions",
		DROP(MASTER, deliver_sessions, deliver_sessions_fields) },
	[MSG_AUTH_RESULT] = { "auth.result",
		KEEP(MASTER, auth_result, auth_result_fields) },
	[MSG_AUTH_STATUS] = { "auth.status",
		DROP(MASTER, auth_status, auth_status_fields) },
	[MSG_TLS_RESULT] = { "tls.result",
		KEEP(MASTER, tls_result, tls_result_fields) },
	[MSG_TLS_STATUS] = { "tls.status",
		DROP(MASTER, tls_status, tls_status_fields) },
	[MSG_SCAN_RECORD] = { "scan.record",
		KEEP(MASTER, scan_record, scan_record_fields) },
	[MSG_SCAN_ANNOUNCEMENT] = { "scan.announcement",
		KEEP(MASTER, scan_announcement, scan_announcement_fields) },
	[MSG_SCAN_STATUS] = { "scan.status",
		DROP(MASTER, scan_status, scan_status_fields) },
	[MSG_SOFTCAM_RESULT] = { "softcam.result",
		KEEP(MASTER, softcam_result, softcam_result_fields) },
	[MSG_QUERIER_STATUS] = { "querier.status",
		DROP(MASTER, querier_status, querier_status_fields) },
};

_Static_assert(ARRAY_LEN(descs) == MSG_COUNT, "a message without a row");

const char *msg_type_name(enum msg_type type)
{
	return descs[type].name;
}

enum msg_side msg_type_side(enum msg_type type)
{
	return descs[type].side;
}

bool msg_type_may_drop(enum msg_type type)
{
	return descs[type].may_drop;
}

size_t msg_fds(const struct msg *m)
{
	switch (m->type) {
	case MSG_STREAM_START:
		return (size_t)m->stream_start.ring +
		       (size_t)m->stream_start.memory;
	case MSG_STREAM_LINK:
		return m->stream_link.ring;
	case MSG_STREAM_RING:
	case MSG_DELIVER_LISTEN:
	case MSG_DELIVER_MOUNT:
	case MSG_DELIVER_TLS:
	case MSG_TLS_LINK:
		return 1;
	case MSG_TLS_CERTIFICATE:
	case MSG_TLS_SERVE:
		return 2;
	default:
		return 0;
	}
}

static int find_type(const char *name, enum msg_side side,
		     enum msg_type *ret, struct errmsg *error)
{
	for (unsigned i = 0; i < MSG_COUNT; i++) {
		if (strcmp(descs[i].name, name) != 0)
			continue;
		if (descs[i].side != side)
			return errmsg_fail(error, -EBADMSG,
					   "%s: is for the other side", name);
		*ret = (enum msg_type)i;
		return 0;
	}
	return errmsg_fail(error, -EBADMSG, "type: \"%.40s\" is not known",
			   name);
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
	return find_type(name, side, &m->type, error);
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
