/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/tables.h"

#include "common/base/util.h"
#include "proto/si/descriptors.h"
#include "proto/si/json.h"
#include "proto/si/pid_class.h"
#include "proto/si/splice_info.h"
#include "proto/si/vct.h"

/* --- PAT (ISO/IEC 13818-1 2.4.4.3) --- */

static void run_program(struct codec *c, const void *arg)
{
	(void)arg;
	(void)codec_uint(c, "pnr", 16);
	codec_reserved(c, 3);
	(void)codec_uint(c, "pid", 13);
}

static void read_programs(struct codec *c)
{
	json_t *list = si_put_list(c->object, "programs");

	while (!bits_end(&c->in)) {
		uint64_t number = bits_take(&c->in, 16);
		uint64_t pid = bits_take(&c->in, 16) & 0x1fff;
		json_t *program;

		if (c->in.cut)
			return;
		if (number == 0) {
			si_put_uint(c->object, "network_pid", pid);
			continue;
		}
		program = si_add_object(list);
		si_put_uint(program, "pnr", number);
		si_put_uint(program, "pid", pid);
	}
}

static void run_pat(struct codec *c)
{
	if (!c->encode) {
		read_programs(c);
		return;
	}
	if (codec_has(c, "network_pid")) {
		(void)codec_bits(c, 16, 0);
		codec_reserved(c, 3);
		(void)codec_uint(c, "network_pid", 13);
	}
	codec_list(c, "programs", run_program, NULL);
}

/* --- PMT (ISO/IEC 13818-1 2.4.4.8) --- */

/* While reading, returns the loop of descriptors whose reserved bits and length
 * begin at `at'; while writing, an empty loop. */
static struct desc_loop peek_loop(const struct codec *c, struct bits at)
{
	struct bytes loop;

	if (c->encode)
		return (struct desc_loop){ NULL, 0 };
	bits_skip(&at, 4);
	loop = bits_bytes(&at, (size_t)bits_take(&at, 12));
	return (struct desc_loop){ loop.data, loop.len };
}

static void run_stream(struct codec *c, const void *program)
{
	const struct desc_loop *of_program = program;
	static const char *const names[] = {
		[PID_VIDEO] = "VIDEO", [PID_AUDIO] = "AUDIO",
		[PID_SUBTITLE] = "SUB", [PID_TELETEXT] = "TTX",
		[PID_AIT] = "AIT", [PID_DATA] = "DATA", [PID_OTHER] = "DATA",
	};
	uint8_t type = (uint8_t)codec_uint(c, "type_id", 8);
	struct bits at;

	codec_reserved(c, 3);
	(void)codec_uint(c, "pid", 13);
	at = c->in;
	codec_descriptor_loop(c);
	if (!c->encode)
		si_put_string(c->object, "type_name",
			      names[pmt_classify(type, *of_program,
						 peek_loop(c, at))]);
}

static void run_pmt(struct codec *c)
{
	struct desc_loop program;
	struct bits at;

	codec_reserved(c, 3);
	(void)codec_uint(c, "pcr", 13);
	at = c->in;
	codec_descriptor_loop(c);
	program = peek_loop(c, at);
	codec_list(c, "streams", run_stream, &program);
}

/* --- NIT and BAT (EN 300 468 5.2.1, 5.2.2) --- */

static void run_transport(struct codec *c, const void *arg)
{
	(void)arg;
	(void)codec_uint(c, "tsid", 16);
	(void)codec_uint(c, "onid", 16);
	codec_descriptor_loop(c);
}

static void run_network(struct codec *c)
{
	struct codec_scope scope;

	codec_descriptor_loop(c);
	codec_reserved(c, 4);
	scope = codec_begin(c, 12);
	codec_list(c, "streams", run_transport, NULL);
	codec_end(c, &scope, "streams");
}

/* --- SDT (EN 300 468 5.2.3) --- */

static void run_service(struct codec *c, const void *arg)
{
	struct codec_scope scope;

	(void)arg;
	(void)codec_uint(c, "sid", 16);
	codec_reserved(c, 6);
	(void)codec_flag(c, "eit_schedule");
	(void)codec_flag(c, "eit_present_following");
	(void)codec_uint(c, "running_status", 3);
	(void)codec_flag(c, "free_ca");
	scope = codec_begin(c, 12);
	codec_descriptors(c);
	codec_end(c, &scope, "descriptors");
}

static void run_sdt(struct codec *c)
{
	(void)codec_uint(c, "onid", 16);
	codec_reserved(c, 8);
	codec_list(c, "services", run_service, NULL);
}

/* --- EIT (EN 300 468 5.2.4) --- */

static void run_event(struct codec *c, const void *arg)
{
	uint64_t bits = UINT64_MAX, s;
	struct codec_scope scope;
	uint32_t duration_s;

	(void)arg;
	(void)codec_uint(c, "event_id", 16);
	codec_time(c, "start");
	if (codec_has(c, "duration")) {
		s = codec_given(c, "duration", 359999);
		bits = si_to_bcd(s / 3600 * 10000 + s / 60 % 60 * 100 + s % 60);
	}
	bits = codec_bits(c, 24, bits);
	if (!c->encode && si_duration(bits, &duration_s))
		si_put_uint(c->object, "duration", duration_s);
	(void)codec_uint(c, "running_status", 3);
	(void)codec_flag(c, "free_ca");
	scope = codec_begin(c, 12);
	codec_descriptors(c);
	codec_end(c, &scope, "descriptors");
}

static void run_eit(struct codec *c)
{
	(void)codec_uint(c, "tsid", 16);
	(void)codec_uint(c, "onid", 16);
	(void)codec_uint(c, "segment_last_section_number", 8);
	(void)codec_uint(c, "last_table_id", 8);
	codec_list(c, "events", run_event, NULL);
}

/* --- TDT and TOT (EN 300 468 5.2.5, 5.2.6) --- */

static void run_tdt(struct codec *c)
{
	codec_time(c, "utc");
}

static void run_tot(struct codec *c)
{
	codec_time(c, "utc");
	codec_descriptor_loop(c);
}

const struct si_table si_tables[] = {
	{ 0x00, 0x00, "pat", "tsid", true, true, false, run_pat },
	{ 0x01, 0x01, "cat", NULL, true, true, false, codec_descriptors },
	{ 0x02, 0x02, "pmt", "pnr", true, true, false, run_pmt },
	{ 0x40, 0x41, "nit", "network_id", true, true, true, run_network },
	{ 0x42, 0x42, "sdt", "tsid", true, true, true, run_sdt },
	{ 0x46, 0x46, "sdt", "tsid", true, true, true, run_sdt },
	{ 0x4a, 0x4a, "bat", "bouquet_id", true, true, true, run_network },
	{ 0x4e, 0x6f, "eit", "sid", true, true, true, run_eit },
	{ 0x70, 0x70, "tdt", NULL, false, false, true, run_tdt },
	{ 0x73, 0x73, "tot", NULL, false, true, true, run_tot },
	{ 0xc8, 0xc8, "vct", "tsid", true, true, true, run_tvct },
	{ 0xc9, 0xc9, "vct", "tsid", true, true, true, run_cvct },
	{ 0xfc, 0xfc, "splice", NULL, false, true, false, run_splice_info },
};

const size_t si_tables_n = ARRAY_LEN(si_tables);
