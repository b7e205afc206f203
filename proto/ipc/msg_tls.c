/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What master and tls say to each other. */
#include "proto/ipc/msg_desc.h"

int tls_certificate_decode(const json_t *body, struct msg *m,
			   struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->tls_certificate.use = read_bool(&r, "use");
	return read_end(&r);
}

void tls_certificate_encode(const struct msg *m, struct json_writer *w)
{
	write_bool(w, "use", m->tls_certificate.use);
}

int tls_link_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	(void)m;
	return read_end(&r);
}

void tls_link_encode(const struct msg *m, struct json_writer *w)
{
	(void)m, (void)w;
}

int tls_serve_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	(void)m;
	return read_end(&r);
}

void tls_serve_encode(const struct msg *m, struct json_writer *w)
{
	(void)m, (void)w;
}

int tls_result_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->tls_result = (struct msg_tls_result){
		.ok = read_bool(&r, "ok"),
		.field = read_string(&r, "field", FIELD_WORD_MAX),
		.why = read_string(&r, "why", FIELD_TEXT_MAX),
	};
	return read_end(&r);
}

void tls_result_encode(const struct msg *m, struct json_writer *w)
{
	write_bool(w, "ok", m->tls_result.ok);
	write_string(w, "field", m->tls_result.field);
	write_string(w, "why", m->tls_result.why);
}

int tls_status_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->tls_status = (struct msg_tls_status){
		.connections = read_u32(&r, "connections"),
		.handshakes = read_u64(&r, "handshakes"),
		.failed = read_u64(&r, "failed"),
	};
	return read_end(&r);
}

void tls_status_encode(const struct msg *m, struct json_writer *w)
{
	write_u64(w, "connections", m->tls_status.connections);
	write_u64(w, "handshakes", m->tls_status.handshakes);
	write_u64(w, "failed", m->tls_status.failed);
}
