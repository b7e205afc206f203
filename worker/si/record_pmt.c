/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Program map table (ISO/IEC 13818-1 2.4.4.8). */
#include "worker/si/table.h"
#include "worker/ts/pmt.h"

static const char *name_of(enum pid_class class)
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
	loop = si_take_loop(b);
	if (b->cut)
		return;
	stream = si_add_object(streams);
	si_put_uint(stream, "pid", pid);
	(void)json_object_set_new(
		stream, "type_name",
		json_string(name_of(pmt_classify(type, program, loop))));
	si_put_uint(stream, "type_id", type);
	si_put_descriptors(stream, loop);
}

void si_pmt(struct si_section *s, json_t *record)
{
	struct desc_loop program;
	json_t *streams;

	si_put_uint(record, "pnr", s->extension);
	si_put_uint(record, "pcr", bits_take(&s->body, 16) & 0x1fff);
	bits_skip(&s->body, 4);
	program = si_take_loop(&s->body);
	si_put_descriptors(record, program);
	streams = si_put_list(record, "streams");
	while (!bits_end(&s->body))
		put_stream(&s->body, program, streams);
}
