/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/si/record.h"

#include "common/base/crc32.h"
#include "common/base/util.h"
#include "worker/si/desc.h"
#include "worker/si/eit.h"
#include "worker/si/json.h"
#include "worker/ts/pmt.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

enum {
	SHORT_HEADER = 3, /* bytes up to section_length */
	HEADER = 8,       /* bytes up to last_section_number */
	CRC = 4,
};

struct si_section {
	uint8_t table_id;
	uint16_t extension; /* table_id_extension */
	struct bits body;   /* behind the header, before the CRC_32 */
};

/* Takes a descriptor loop and the twelve bits of length before it. */
static struct desc_loop take_loop(struct bits *b)
{
	struct bytes bytes = bits_bytes(b, (size_t)bits_take(b, 12));

	return (struct desc_loop){ bytes.data, bytes.len };
}

/* Program association table (ISO/IEC 13818-1 2.4.4.3). */
static void put_pat(struct si_section *s, json_t *record)
{
	json_t *programs;

	si_put_uint(record, "tsid", s->extension);
	programs = si_put_list(record, "programs");
	while (!bits_end(&s->body)) {
		uint64_t number = bits_take(&s->body, 16);
		uint64_t pid = bits_take(&s->body, 16) & 0x1fff;
		json_t *program;

		if (s->body.cut)
			return;
		if (number == 0) {
			si_put_uint(record, "network_pid", pid);
			continue;
		}
		program = si_add_object(programs);
		si_put_uint(program, "pnr", number);
		si_put_uint(program, "pid", pid);
	}
}

/* Conditional access table (ISO/IEC 13818-1 2.4.4.6). */
static void put_cat(struct si_section *s, json_t *record)
{
	struct bytes rest = bits_rest(&s->body);

	si_put_descriptors(record, (struct desc_loop){ rest.data, rest.len });
}

/* Program map table (ISO/IEC 13818-1 2.4.4.8). */
static void put_pmt(struct si_section *s, json_t *record)
{
	static const char *const names[] = {
		[PID_VIDEO] = "VIDEO", [PID_AUDIO] = "AUDIO",
		[PID_SUBTITLE] = "SUB", [PID_TELETEXT] = "TTX",
		[PID_AIT] = "AIT", [PID_DATA] = "DATA", [PID_OTHER] = "DATA",
	};
	struct desc_loop program;
	json_t *streams;

	si_put_uint(record, "pnr", s->extension);
	si_put_uint(record, "pcr", bits_take(&s->body, 16) & 0x1fff);
	bits_skip(&s->body, 4);
	program = take_loop(&s->body);
	si_put_descriptors(record, program);
	streams = si_put_list(record, "streams");
	while (!bits_end(&s->body)) {
		uint8_t type = (uint8_t)bits_take(&s->body, 8);
		uint64_t pid = bits_take(&s->body, 16) & 0x1fff;
		struct desc_loop loop;
		json_t *stream;

		bits_skip(&s->body, 4);
		loop = take_loop(&s->body);
		if (s->body.cut)
			return;
		stream = si_add_object(streams);
		si_put_uint(stream, "pid", pid);
		si_put_string(stream, "type_name",
			      names[pmt_classify(type, program, loop)]);
		si_put_uint(stream, "type_id", type);
		si_put_descriptors(stream, loop);
	}
}

/* Network information and bouquet association (EN 300 468 5.2.1, 5.2.2). */
static void put_network(struct si_section *s, json_t *record)
{
	struct bits *b = &s->body;
	struct bytes transports;
	struct bits inner;
	json_t *streams;

	si_put_uint(record,
		    s->table_id == BAT_TABLE_ID ? "bouquet_id" : "network_id",
		    s->extension);
	bits_skip(b, 4);
	si_put_descriptors(record, take_loop(b));
	bits_skip(b, 4);
	transports = bits_bytes(b, (size_t)bits_take(b, 12));
	inner = bits_of(transports.data, transports.len);
	streams = si_put_list(record, "streams");
	while (!bits_end(&inner)) {
		uint64_t tsid = bits_take(&inner, 16);
		uint64_t onid = bits_take(&inner, 16);
		struct desc_loop loop;
		json_t *stream;

		bits_skip(&inner, 4);
		loop = take_loop(&inner);
		if (inner.cut)
			break;
		stream = si_add_object(streams);
		si_put_uint(stream, "tsid", tsid);
		si_put_uint(stream, "onid", onid);
		si_put_descriptors(stream, loop);
	}
	b->cut |= inner.cut;
}

/* Service description table (EN 300 468 5.2.3). */
static void put_sdt(struct si_section *s, json_t *record)
{
	struct bits *b = &s->body;
	json_t *services;

	si_put_uint(record, "tsid", s->extension);
	si_put_uint(record, "onid", bits_take(b, 16));
	bits_skip(b, 8);
	services = si_put_list(record, "services");
	while (!bits_end(b)) {
		json_t *service = json_object();
		struct desc_loop loop;

		si_put_uint(service, "sid", bits_take(b, 16));
		bits_skip(b, 6);
		si_put_bool(service, "eit_schedule", bits_take(b, 1) != 0);
		si_put_bool(service, "eit_present_following",
			    bits_take(b, 1) != 0);
		si_put_uint(service, "running_status", bits_take(b, 3));
		si_put_bool(service, "free_ca", bits_take(b, 1) != 0);
		loop = take_loop(b);
		if (b->cut) {
			json_decref(service);
			return;
		}
		si_put_descriptors(service, loop);
		(void)json_array_append_new(services, service);
	}
}

/* Event information table (EN 300 468 5.2.4). */
static void put_eit(struct si_section *s, json_t *record)
{
	struct bits *b = &s->body;
	struct eit_event e;
	json_t *events;

	si_put_uint(record, "sid", s->extension);
	si_put_uint(record, "tsid", bits_take(b, 16));
	si_put_uint(record, "onid", bits_take(b, 16));
	si_put_uint(record, "segment_last_section_number", bits_take(b, 8));
	si_put_uint(record, "last_table_id", bits_take(b, 8));
	events = si_put_list(record, "events");
	while (eit_next(b, &e)) {
		json_t *event = si_add_object(events);

		si_put_uint(event, "event_id", e.id);
		if (e.has_start)
			si_put_uint(event, "start", (uint64_t)e.start_s);
		if (e.has_duration)
			si_put_uint(event, "duration", e.duration_s);
		si_put_uint(event, "running_status", e.running);
		si_put_bool(event, "free_ca", e.free_ca);
		si_put_descriptors(event, e.descriptors);
	}
}

/* Time and date, time offset (EN 300 468 5.2.5, 5.2.6). */
static void put_tdt(struct si_section *s, json_t *record)
{
	si_put_time(record, "utc", bits_take(&s->body, 40));
}

static void put_tot(struct si_section *s, json_t *record)
{
	si_put_time(record, "utc", bits_take(&s->body, 40));
	bits_skip(&s->body, 4);
	si_put_descriptors(record, take_loop(&s->body));
}

/* ISO/IEC 13818-1 table 2-31, EN 300 468 table 2 */
static const struct table {
	uint8_t first, last; /* table_id */
	const char *name;
	bool has_header; /* the long one */
	bool has_crc;
	/* puts the body into the record; sets body.cut if it ends early */
	void (*put)(struct si_section *, json_t *record);
} tables[] = {
	{ 0x00, 0x00, "pat", true, true, put_pat },
	{ 0x01, 0x01, "cat", true, true, put_cat },
	{ 0x02, 0x02, "pmt", true, true, put_pmt },
	{ 0x40, 0x41, "nit", true, true, put_network },
	{ 0x42, 0x42, "sdt", true, true, put_sdt },
	{ 0x46, 0x46, "sdt", true, true, put_sdt },
	{ 0x4a, 0x4a, "bat", true, true, put_network },
	{ 0x4e, 0x6f, "eit", true, true, put_eit },
	{ 0x70, 0x70, "tdt", false, false, put_tdt },
	{ 0x73, 0x73, "tot", false, true, put_tot },
};

json_t *si_record(const uint8_t *section, size_t len, uint16_t pid)
{
	const struct table *t = tables, *end = tables + ARRAY_LEN(tables);
	size_t head, tail;
	struct si_section s = { 0 };
	struct bits header, crc;
	json_t *record;

	if (len < SHORT_HEADER)
		return NULL;
	s.table_id = section_table_id(section);
	while (t < end && (s.table_id < t->first || s.table_id > t->last))
		t++;
	if (t == end)
		return NULL;
	head = t->has_header ? HEADER : SHORT_HEADER;
	tail = t->has_crc ? CRC : 0;
	if (len < head + tail || section_length(section) != len)
		return NULL;
	/* the section layer does not check the CRC_32 of a TOT */
	if (t->has_header ? !section_has_syntax(section)
			  : t->has_crc && crc32_mpeg(section, len) != 0)
		return NULL;

	header = bits_of(section, head);
	s.body = bits_of(section + head, len - head - tail);
	crc = bits_of(section + len - tail, tail);
	record = json_object();
	si_put_string(record, "psi", t->name);
	si_put_uint(record, "table_id", s.table_id);
	si_put_uint(record, "pid", pid);
	if (t->has_header) {
		bits_skip(&header, 24);
		s.extension = (uint16_t)bits_take(&header, 16);
		bits_skip(&header, 2);
		si_put_uint(record, "version", bits_take(&header, 5));
		if (bits_take(&header, 1) == 0)
			/* the table is not in force yet */
			si_put_bool(record, "next", true);
		si_put_uint(record, "section_number", bits_take(&header, 8));
		si_put_uint(record, "last_section_number",
			    bits_take(&header, 8));
	}
	if (t->has_crc)
		si_put_uint(record, "crc32", bits_take(&crc, 32));
	t->put(&s, record);
	if (s.body.cut)
		si_put_string(record, "error",
			      "the section ends inside an entry");
	return record;
}
