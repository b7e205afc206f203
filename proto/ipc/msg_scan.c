/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What master and scan say to each other. */
#include "proto/ipc/msg_desc.h"

int scan_start_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->scan_start.address = read_string(&r, "address", FIELD_ANY_MAX);
	return read_end(&r);
}

void scan_start_encode(const struct msg *m, struct json_writer *w)
{
	write_string(w, "address", m->scan_start.address);
}

int scan_record_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->scan_record.record = read_object(&r, "record");
	return read_end(&r);
}

void scan_record_encode(const struct msg *m, struct json_writer *w)
{
	write_json(w, "record", m->scan_record.record);
}

int scan_announcement_decode(const json_t *body, struct msg *m,
			     struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->scan_announcement = (struct msg_scan_announcement){
		.place = (uint32_t)read_uint(&r, "place", 0,
					     SCAN_PLACES_MAX - 1),
		.iface = read_string(&r, "iface", FIELD_WORD_MAX),
		.sender = read_string(&r, "sender", FIELD_WORD_MAX),
		.name = read_string(&r, "name", FIELD_TEXT_MAX),
		.input = read_string(&r, "input", FIELD_TEXT_MAX),
		.note = read_string(&r, "note", FIELD_TEXT_MAX),
	};
	return read_end(&r);
}

void scan_announcement_encode(const struct msg *m, struct json_writer *w)
{
	const struct msg_scan_announcement *a = &m->scan_announcement;

	write_u64(w, "place", a->place);
	write_string(w, "iface", a->iface);
	write_string(w, "sender", a->sender);
	write_string(w, "name", a->name);
	write_string(w, "input", a->input);
	write_string(w, "note", a->note);
}

int scan_status_decode(const json_t *body, struct msg *m, struct errmsg *why)
{
	struct msg_reader r = read_begin(body, why);

	m->scan_status = (struct msg_scan_status){
		.packets = read_u64(&r, "packets"),
		.error = read_string_maybe(&r, "error", FIELD_TEXT_MAX),
	};
	return read_end(&r);
}

void scan_status_encode(const struct msg *m, struct json_writer *w)
{
	write_u64(w, "packets", m->scan_status.packets);
	write_string(w, "error", m->scan_status.error);
}
