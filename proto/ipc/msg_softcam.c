/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What master and softcam say to each other. */
#include "proto/ipc/msg_desc.h"

int softcam_test_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->softcam_test = (struct msg_softcam_test){
		.host = read_string(&r, "host", FIELD_ANY_MAX),
		.port = (unsigned)read_uint(&r, "port", 1, 65535),
	};
	return read_end(&r);
}

void softcam_test_encode(const struct msg *m, struct json_writer *w)
{
	write_string(w, "host", m->softcam_test.host);
	write_u64(w, "port", m->softcam_test.port);
}

int softcam_result_decode(const json_t *body, struct msg *m,
			  struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->softcam_result.error = read_string(&r, "error", FIELD_TEXT_MAX);
	return read_end(&r);
}

void softcam_result_encode(const struct msg *m, struct json_writer *w)
{
	write_string(w, "error", m->softcam_result.error);
}
