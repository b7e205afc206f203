/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What master and auth say to each other. */
#include "proto/ipc/msg_desc.h"

int auth_hash_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->auth_hash.password = read_string(&r, "password", FIELD_ANY_MAX);
	return read_end(&r);
}

void auth_hash_encode(const struct msg *m, struct json_writer *w)
{
	write_string(w, "password", m->auth_hash.password);
}

int auth_verify_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->auth_verify = (struct msg_auth_verify){
		.password = read_string(&r, "password", FIELD_ANY_MAX),
		.hash = read_string(&r, "hash", FIELD_ANY_MAX),
	};
	return read_end(&r);
}

void auth_verify_encode(const struct msg *m, struct json_writer *w)
{
	write_string(w, "password", m->auth_verify.password);
	write_string(w, "hash", m->auth_verify.hash);
}

int auth_result_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->auth_result = (struct msg_auth_result){
		.ok = read_bool(&r, "ok"),
		.hash = read_string(&r, "hash", FIELD_TEXT_MAX),
	};
	return read_end(&r);
}

void auth_result_encode(const struct msg *m, struct json_writer *w)
{
	write_bool(w, "ok", m->auth_result.ok);
	write_string(w, "hash", m->auth_result.hash);
}

int auth_status_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->auth_status.jobs = read_u64(&r, "jobs");
	return read_end(&r);
}

void auth_status_encode(const struct msg *m, struct json_writer *w)
{
	write_u64(w, "jobs", m->auth_status.jobs);
}
