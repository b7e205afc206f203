/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every worker says and is told. */
#include "proto/ipc/msg_desc.h"

#include <errno.h>

int worker_hello_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->worker_hello = (struct msg_worker_hello){
		.proto = read_u32(&r, "proto"),
		.build = read_string(&r, "build", FIELD_WORD_MAX),
		.role = read_string(&r, "role", FIELD_WORD_MAX),
	};
	return read_end(&r);
}

void worker_hello_encode(const struct msg *m, struct json_writer *w)
{
	const struct msg_worker_hello *hello = &m->worker_hello;

	write_u64(w, "proto", hello->proto);
	write_string(w, "build", hello->build);
	write_string(w, "role", hello->role);
}

int worker_ready_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	(void)m;
	return read_end(&r);
}

void worker_ready_encode(const struct msg *m, struct json_writer *w)
{
	(void)m, (void)w;
}

int worker_log_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);
	struct msg_worker_log *line = &m->worker_log;
	const char *level = read_string(&r, "level", FIELD_WORD_MAX);
	int err;

	line->component = read_string(&r, "component", FIELD_WORD_MAX);
	line->text = read_string(&r, "text", FIELD_TEXT_MAX);
	err = read_end(&r);
	if (err == 0 && log_level_parse(level, &line->level) < 0)
		err = errmsg_fail(why, -EBADMSG, "level: unknown: %s", level);
	return err;
}

void worker_log_encode(const struct msg *m, struct json_writer *w)
{
	const struct msg_worker_log *line = &m->worker_log;

	write_string(w, "level", log_level_format(line->level));
	write_string(w, "component", line->component);
	write_string(w, "text", line->text);
}

int worker_debug_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->worker_debug.on = read_bool(&r, "on");
	return read_end(&r);
}

void worker_debug_encode(const struct msg *m, struct json_writer *w)
{
	write_bool(w, "on", m->worker_debug.on);
}
