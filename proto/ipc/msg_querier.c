/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What querier says to the master. */
#include "proto/ipc/msg_desc.h"

static int querier_decode(const json_t *item, struct msg_querier *q,
			  struct errmsg *why)
{
	struct msg_reader r = read_begin(item, why);

	*q = (struct msg_querier){
		.interface = (unsigned)read_uint(&r, "interface", 1,
						 INT32_MAX),
		.mld = read_bool(&r, "mld"),
		.version = (unsigned)read_uint(&r, "version", 1, 3),
		.address = read_string(&r, "address", FIELD_WORD_MAX),
		.interval_s = read_u32(&r, "interval"),
		.age_ms = read_u64(&r, "age"),
	};
	return read_end(&r);
}

static void querier_encode(const struct msg_querier *q, struct json_writer *w)
{
	write_object(w, NULL);
	write_u64(w, "interface", q->interface);
	write_bool(w, "mld", q->mld);
	write_u64(w, "version", q->version);
	write_string(w, "address", q->address);
	write_u64(w, "interval", q->interval_s);
	write_u64(w, "age", q->age_ms);
	write_object_end(w);
}

int querier_status_decode(const json_t *body, struct msg *m,
			  struct errmsg *why)
{
	struct msg_querier_status *s = &m->querier_status;
	struct msg_reader r = read_begin(body, why);
	const json_t *list;
	int err;

	s->igmp_error = read_string_maybe(&r, "igmp_error", FIELD_TEXT_MAX);
	s->mld_error = read_string_maybe(&r, "mld_error", FIELD_TEXT_MAX);
	s->listening_ms = read_u64(&r, "listening");
	list = read_list(&r, "queriers", MSG_QUERIERS_MAX);
	err = read_end(&r);
	s->n = json_array_size(list);
	for (size_t i = 0; i < s->n && err == 0; i++) {
		err = querier_decode(json_array_get(list, i), &s->list[i],
				     why);
		if (err < 0)
			errmsg_prefix(why, "queriers[%zu].", i);
	}
	return err;
}

void querier_status_encode(const struct msg *m, struct json_writer *w)
{
	const struct msg_querier_status *s = &m->querier_status;

	write_string(w, "igmp_error", s->igmp_error);
	write_string(w, "mld_error", s->mld_error);
	write_u64(w, "listening", s->listening_ms);
	write_list(w, "queriers");
	for (size_t i = 0; i < s->n; i++)
		querier_encode(&s->list[i], w);
	write_list_end(w);
}
