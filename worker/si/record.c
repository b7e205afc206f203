/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/si/record.h"

#include "common/base/crc32.h"
#include "common/base/util.h"
#include "worker/si/desc.h"
#include "worker/si/json.h"
#include "worker/ts/pmt.h"
#include "worker/ts/section.h"

enum {
	SHORT_HEADER = 3, /* up to section_length */
	HEADER = 8,       /* up to last_section_number */
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
static const char *class_name(enum pid_class class)
{
	switch (class) {
	case PID_VIDEO:
		return "VIDEO";
	case PID_AUDIO:
		return "AUDIO";
	case PID_SUBTITLE:
		return "SUB";
	case PID_TELETEXT:
		return "TTX";
	case PID_AIT:
		return "AIT";
	default:
		return "DATA";
	}
}

static void put_stream(struct bits *b, struct desc_loop program,
		       json_t *streams)
{
	uint8_t type = (uint8_t)bits_take(b, 8);
	uint64_t pid = bits_take(b, 16) & 0x1fff;
	struct desc_loop loop;
	json_t *stream;

	bits_skip(b, 4);
	loop = take_loop(b);
	if (b->cut)
		return;
	stream = si_add_object(streams);
	si_put_uint(stream, "pid", pid);
	(void)json_object_set_new(
		stream, "type_name",
		json_string(class_name(pmt_classify(type, program, loop))));
	si_put_uint(stream, "type_id", type);
	si_put_descriptors(stream, loop);
}

static void put_pmt(struct si_section *s, json_t *record)
{
	struct desc_loop program;
	json_t *streams;

	si_put_uint(record, "pnr", s->extension);
	si_put_uint(record, "pcr", bits_take(&s->body, 16) & 0x1fff);
	bits_skip(&s->body, 4);
	program = take_loop(&s->body);
	si_put_descriptors(record, program);
	streams = si_put_list(record, "streams");
	while (!bits_end(&s->body))
		put_stream(&s->body, program, streams);
}

/* Network information and bouquet association (EN 300 468 5.2.1, 5.2.2). */
static void put_transport(struct bits *b, json_t *streams)
{
	uint64_t tsid = bits_take(b, 16);
	uint64_t onid = bits_take(b, 16);
	struct desc_loop loop;
	json_t *stream;

	bits_skip(b, 4);
	loop = take_loop(b);
	if (b->cut)
		return;
	stream = si_add_object(streams);
	si_put_uint(stream, "tsid", tsid);
	si_put_uint(stream, "onid", onid);
	si_put_descriptors(stream, loop);
}

/* NIT and BAT differ in their first number only. */
static void put_network(struct bits *b, json_t *record)
{
	struct bytes loop;
	struct bits inner;
	json_t *streams;

	bits_skip(b, 4);
	si_put_descriptors(record, take_loop(b));
	bits_skip(b, 4);
	loop = bits_bytes(b, (size_t)bits_take(b, 12));
	inner = bits_of(loop.data, loop.len);
	streams = si_put_list(record, "streams");
	while (!bits_end(&inner))
		put_transport(&inner, streams);
	b->cut |= inner.cut;
}

static void put_nit(struct si_section *s, json_t *record)
{
	si_put_uint(record, "network_id", s->extension);
	put_network(&s->body, record);
}

static void put_bat(struct si_section *s, json_t *record)
{
	si_put_uint(record, "bouquet_id", s->extension);
	put_network(&s->body, record);
}

/* Service description table (EN 300 468 5.2.3). */
static void put_service(struct bits *b, json_t *services)
{
	json_t *service = json_object();
	struct desc_loop loop;

	si_put_uint(service, "sid", bits_take(b, 16));
	bits_skip(b, 6);
	si_put_bool(service, "eit_schedule", bits_take(b, 1) != 0);
	si_put_bool(service, "eit_present_following", bits_take(b, 1) != 0);
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

static void put_sdt(struct si_section *s, json_t *record)
{
	json_t *services;

	si_put_uint(record, "tsid", s->extension);
	si_put_uint(record, "onid", bits_take(&s->body, 16));
	bits_skip(&s->body, 8);
	services = si_put_list(record, "services");
	while (!bits_end(&s->body))
		put_service(&s->body, services);
}

/* Event information table (EN 300 468 5.2.4). */

/* Seconds, from the six decimal digits HHMMSS; nothing if it is undefined. */
static void put_duration(json_t *event, uint64_t bcd)
{
	uint64_t hhmmss = si_bcd(bcd, 24);

	if (bcd != 0xffffff)
		si_put_uint(event, "duration",
			    hhmmss / 10000 * 3600 + hhmmss / 100 % 100 * 60 +
				    hhmmss % 100);
}

static void put_event(struct bits *b, json_t *events)
{
	json_t *event = json_object();
	struct desc_loop loop;

	si_put_uint(event, "event_id", bits_take(b, 16));
	si_put_time(event, "start", bits_take(b, 40));
	put_duration(event, bits_take(b, 24));
	si_put_uint(event, "running_status", bits_take(b, 3));
	si_put_bool(event, "free_ca", bits_take(b, 1) != 0);
	loop = take_loop(b);
	if (b->cut) {
		json_decref(event);
		return;
	}
	si_put_descriptors(event, loop);
	(void)json_array_append_new(events, event);
}

static void put_eit(struct si_section *s, json_t *record)
{
	json_t *events;

	si_put_uint(record, "sid", s->extension);
	si_put_uint(record, "tsid", bits_take(&s->body, 16));
	si_put_uint(record, "onid", bits_take(&s->body, 16));
	si_put_uint(record, "segment_last_section_number",
		    bits_take(&s->body, 8));
	si_put_uint(record, "last_table_id", bits_take(&s->body, 8));
	events = si_put_list(record, "events");
	while (!bits_end(&s->body))
		put_event(&s->body, events);
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
	/* puts the body into the record; body.cut if it ends too early */
	void (*put)(struct si_section *, json_t *record);
} tables[] = {
	{ 0x00, 0x00, "pat", true, true, put_pat },
	{ 0x01, 0x01, "cat", true, true, put_cat },
	{ 0x02, 0x02, "pmt", true, true, put_pmt },
	{ 0x40, 0x41, "nit", true, true, put_nit },
	{ 0x42, 0x42, "sdt", true, true, put_sdt },
	{ 0x46, 0x46, "sdt", true, true, put_sdt },
	{ 0x4a, 0x4a, "bat", true, true, put_bat },
	{ 0x4e, 0x6f, "eit", true, true, put_eit },
	{ 0x70, 0x70, "tdt", false, false, put_tdt },
	{ 0x73, 0x73, "tot", false, true, put_tot },
};

static const struct table *find_table(uint8_t table_id)
{
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		if (table_id >= tables[i].first && table_id <= tables[i].last)
			return &tables[i];
	return NULL;
}

static void put_header(const struct table *t, const uint8_t *section,
		       json_t *record)
{
	struct bits b = bits_of(section, HEADER);

	if (!t->has_header)
		return;
	bits_skip(&b, 42);
	si_put_uint(record, "version", bits_take(&b, 5));
	if (bits_take(&b, 1) == 0)
		si_put_bool(record, "next", true); /* not yet in force */
	si_put_uint(record, "section_number", bits_take(&b, 8));
	si_put_uint(record, "last_section_number", bits_take(&b, 8));
}

static size_t header_len(const struct table *t)
{
	return t->has_header ? HEADER : SHORT_HEADER;
}

/* Room for header and CRC_32, and the length that the header claims. */
static bool is_valid(const struct table *t, const uint8_t *section, size_t len)
{
	if (len < header_len(t) + (t->has_crc ? CRC : 0) ||
	    section_length(section) != len)
		return false;
	if (t->has_header)
		return section_has_syntax(section);
	/* the section layer does not check the CRC_32 of a TOT */
	return !t->has_crc || crc32_mpeg(section, len) == 0;
}

json_t *si_record(const uint8_t *section, size_t len, uint16_t pid)
{
	const struct table *t = len >= SHORT_HEADER
					? find_table(section_table_id(section))
					: NULL;
	struct si_section s = { 0 };
	struct bits crc;
	json_t *record;
	size_t head;

	if (t == NULL || !is_valid(t, section, len))
		return NULL;
	head = header_len(t);
	s.table_id = section_table_id(section);
	if (t->has_header)
		s.extension = (uint16_t)(section[3] << 8 | section[4]);
	s.body = bits_of(section + head, len - head - (t->has_crc ? CRC : 0));

	crc = bits_of(section + len - (t->has_crc ? CRC : 0), CRC);

	record = json_object();
	(void)json_object_set_new(record, "psi", json_string(t->name));
	si_put_uint(record, "table_id", s.table_id);
	si_put_uint(record, "pid", pid);
	put_header(t, section, record);
	if (t->has_crc)
		si_put_uint(record, "crc32", bits_take(&crc, 32));
	t->put(&s, record);
	if (s.body.cut)
		(void)json_object_set_new(
			record, "error",
			json_string("the section ends inside an entry"));
	return record;
}
