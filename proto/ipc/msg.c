/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/ipc/msg.h"

#include "proto/ipc/contract.h"
#include "proto/ipc/msg_desc.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

struct msg_desc {
	const char *name;
	enum msg_side side;
	bool may_drop;
	msg_decode_fn *decode;
	msg_encode_fn *encode;
};

#define ROW(noun, to, drop) to, drop, noun##_decode, noun##_encode

static const struct msg_desc descs[] = {
	[MSG_STREAM_START] = { "stream.start",
		ROW(stream_start, MSG_TO_WORKER, false) },
	[MSG_STREAM_INPUT] = { "stream.input",
		ROW(stream_input, MSG_TO_WORKER, false) },
	[MSG_STREAM_ANALYZE] = { "stream.analyze",
		ROW(stream_analyze, MSG_TO_WORKER, false) },
	[MSG_STREAM_KICK] = { "stream.kick",
		ROW(stream_kick, MSG_TO_WORKER, false) },
	[MSG_STREAM_RING] = { "stream.ring",
		ROW(stream_ring, MSG_TO_WORKER, false) },
	[MSG_STREAM_LINK] = { "stream.link",
		ROW(stream_link, MSG_TO_WORKER, false) },
	[MSG_DELIVER_LISTEN] = { "deliver.listen",
		ROW(deliver_listen, MSG_TO_WORKER, false) },
	[MSG_DELIVER_UNLISTEN] = { "deliver.unlisten",
		ROW(deliver_unlisten, MSG_TO_WORKER, false) },
	[MSG_DELIVER_MOUNT] = { "deliver.mount",
		ROW(deliver_mount, MSG_TO_WORKER, false) },
	[MSG_DELIVER_UNMOUNT] = { "deliver.unmount",
		ROW(deliver_unmount, MSG_TO_WORKER, false) },
	[MSG_DELIVER_RENEW] = { "deliver.renew",
		ROW(deliver_renew, MSG_TO_WORKER, false) },
	[MSG_DELIVER_SETTLE] = { "deliver.settle",
		ROW(deliver_settle, MSG_TO_WORKER, false) },
	[MSG_DELIVER_LIST] = { "deliver.list",
		ROW(deliver_list, MSG_TO_WORKER, false) },
	[MSG_DELIVER_KICK] = { "deliver.kick",
		ROW(deliver_kick, MSG_TO_WORKER, false) },
	[MSG_DELIVER_TLS] = { "deliver.tls",
		ROW(deliver_tls, MSG_TO_WORKER, false) },
	[MSG_AUTH_HASH] = { "auth.hash",
		ROW(auth_hash, MSG_TO_WORKER, false) },
	[MSG_AUTH_VERIFY] = { "auth.verify",
		ROW(auth_verify, MSG_TO_WORKER, false) },
	[MSG_TLS_CERTIFICATE] = { "tls.certificate",
		ROW(tls_certificate, MSG_TO_WORKER, false) },
	[MSG_TLS_LINK] = { "tls.link",
		ROW(tls_link, MSG_TO_WORKER, false) },
	[MSG_TLS_SERVE] = { "tls.serve",
		ROW(tls_serve, MSG_TO_WORKER, false) },
	[MSG_SCAN_START] = { "scan.start",
		ROW(scan_start, MSG_TO_WORKER, false) },
	[MSG_SOFTCAM_TEST] = { "softcam.test",
		ROW(softcam_test, MSG_TO_WORKER, false) },
	[MSG_WORKER_DEBUG] = { "worker.debug",
		ROW(worker_debug, MSG_TO_WORKER, false) },
	[MSG_WORKER_HELLO] = { "worker.hello",
		ROW(worker_hello, MSG_TO_MASTER, false) },
	[MSG_WORKER_READY] = { "worker.ready",
		ROW(worker_ready, MSG_TO_MASTER, false) },
	[MSG_WORKER_LOG] = { "worker.log",
		ROW(worker_log, MSG_TO_MASTER, true) },
	[MSG_STREAM_STATUS] = { "stream.status",
		ROW(stream_status, MSG_TO_MASTER, true) },
	[MSG_STREAM_CHOSEN] = { "stream.chosen",
		ROW(stream_chosen, MSG_TO_MASTER, false) },
	[MSG_STREAM_SWITCHED] = { "stream.switched",
		ROW(stream_switched, MSG_TO_MASTER, true) },
	[MSG_STREAM_ANALYSIS] = { "stream.analysis",
		ROW(stream_analysis, MSG_TO_MASTER, true) },
	[MSG_STREAM_RECEIVERS] = { "stream.receivers",
		ROW(stream_receivers, MSG_TO_MASTER, true) },
	[MSG_DELIVER_STATUS] = { "deliver.status",
		ROW(deliver_status, MSG_TO_MASTER, true) },
	[MSG_DELIVER_VIEWERS] = { "deliver.viewers",
		ROW(deliver_viewers, MSG_TO_MASTER, true) },
	[MSG_DELIVER_SESSIONS] = { "deliver.sessions",
		ROW(deliver_sessions, MSG_TO_MASTER, true) },
	[MSG_AUTH_RESULT] = { "auth.result",
		ROW(auth_result, MSG_TO_MASTER, false) },
	[MSG_AUTH_STATUS] = { "auth.status",
		ROW(auth_status, MSG_TO_MASTER, true) },
	[MSG_TLS_RESULT] = { "tls.result",
		ROW(tls_result, MSG_TO_MASTER, false) },
	[MSG_TLS_STATUS] = { "tls.status",
		ROW(tls_status, MSG_TO_MASTER, true) },
	[MSG_SCAN_RECORD] = { "scan.record",
		ROW(scan_record, MSG_TO_MASTER, false) },
	[MSG_SCAN_ANNOUNCEMENT] = { "scan.announcement",
		ROW(scan_announcement, MSG_TO_MASTER, false) },
	[MSG_SCAN_STATUS] = { "scan.status",
		ROW(scan_status, MSG_TO_MASTER, true) },
	[MSG_SOFTCAM_RESULT] = { "softcam.result",
		ROW(softcam_result, MSG_TO_MASTER, false) },
	[MSG_QUERIER_STATUS] = { "querier.status",
		ROW(querier_status, MSG_TO_MASTER, true) },
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

static int find_type(const char *name, enum msg_side side, enum msg_type *ret,
		     struct errmsg *why)
{
	for (unsigned i = 0; i < MSG_COUNT; i++) {
		if (strcmp(descs[i].name, name) != 0)
			continue;
		if (descs[i].side != side)
			return errmsg_fail(why, -EBADMSG,
					   "%s: from the wrong side", name);
		*ret = (enum msg_type)i;
		return 0;
	}
	return errmsg_fail(why, -EBADMSG, "type: unknown: %.40s", name);
}

static int decode_document(const json_t *document, enum msg_side side,
			   struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(document, why);
	const char *name = read_string(&r, "type", FIELD_WORD_MAX);
	int err;

	if (json_object_get(document, "seq") != NULL)
		m->seq = (uint32_t)read_uint(&r, "seq", 1, UINT32_MAX);
	r.taken++; /* body, which its own reader judges */
	err = read_end(&r);
	if (err == 0)
		err = find_type(name, side, &m->type, why);
	if (err < 0)
		return err;

	err = descs[m->type].decode(json_object_get(document, "body"), m, why);
	if (err < 0)
		errmsg_prefix(why, "%s: ", name);
	return err;
}

int msg_decode(const char *data, size_t len, enum msg_side side,
	       struct msg *ret, struct errmsg *why)
{
	struct msg m = { 0 };
	json_error_t error;
	int err;

	if (len > MSG_SIZE_MAX)
		return errmsg_fail(why, -EBADMSG, "too long");
	m.document = json_loadb(data, len, JSON_REJECT_DUPLICATES, &error);
	if (m.document == NULL)
		return errmsg_fail(why, -EBADMSG, "no JSON: %s", error.text);
	err = decode_document(m.document, side, &m, why);
	if (err < 0) {
		msg_done(&m);
		return err;
	}
	*ret = m;
	return 0;
}

ssize_t msg_encode(const struct msg *m, char *data)
{
	struct json_writer w = { .data = data, .size = MSG_SIZE_MAX };

	assert((unsigned)m->type < MSG_COUNT);
	write_object(&w, NULL);
	write_string(&w, "type", descs[m->type].name);
	if (m->seq != 0)
		write_u64(&w, "seq", m->seq);
	write_object(&w, "body");
	descs[m->type].encode(m, &w);
	write_object_end(&w);
	write_object_end(&w);
	return w.full ? -EMSGSIZE : (ssize_t)w.len;
}

void msg_done(struct msg *m)
{
	json_decref(m->document);
	m->document = NULL;
}
