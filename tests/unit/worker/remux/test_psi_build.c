/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The selection from a PMT, the new PIDs, and the tables made of it. */
#include "worker/remux/psi_build.h"

#include "common/base/crc32.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct ids same_ids = { .tsid = 7, .new_tsid = 7,
				     .pnr = 1, .new_pnr = 1 };

/* Video with PCR, two audio, AC-3, subtitles, teletext, SCTE 35, ID3, an AIT,
 * private PES. */
static const struct build_es rich[] = {
	{ 0x1b, 0x101, NULL, 0 },
	{ 0x03, 0x102, "\x0a\x04" "eng\x00", 6 },
	{ 0x03, 0x103, "\x0a\x04" "rus\x00", 6 },
	{ 0x06, 0x104, "\x6a\x01\x00\x0a\x04" "eng\x00", 9 },
	{ 0x06, 0x105, "\x59\x08" "ger\x10\x00\x01\x00\x02", 10 },
	{ 0x06, 0x106, "\x56\x05" "fra\x09\x00", 7 },
	{ 0x86, 0x107, "\x05\x04" "CUEI", 6 },
	{ 0x15, 0x108, "\x26\x00", 2 },
	{ 0x05, 0x109, "\x6f\x03\x00\x10\xe1", 5 },
	{ 0x06, 0x10a, "\x80\x02\x01\x02", 4 },
};

struct made {
	struct selection sel;
	struct pid_plan plan;
	uint8_t section[1024];
	size_t len;
	struct pmt pmt;
	struct pmt_omitted omitted;
};

static void make(struct made *m, const struct remux_options *o,
		 const uint8_t *source, size_t len)
{
	struct pmt_content content = {
		.options = o, .selection = &m->sel, .plan = &m->plan,
		.ids = &same_ids, .pmt_pid = 0x100,
	};

	cr_assert_eq(selection_make(&m->sel, o, source, len), 0);
	pid_plan_init(&m->plan, NULL);
	pid_plan_map(&m->plan, o, &m->sel, 0x100);
	pid_plan_keep(&m->plan, o, &m->sel, 0x100);
	if (o->hbbtv_url[0] != '\0')
		pid_plan_add_ait(&m->plan, o);
	pid_plan_move(&m->plan, o, &m->sel, 0x100);
	m->len = pmt_build(&content, m->section, &m->omitted);
	cr_assert_gt(m->len, 0);
	cr_assert_eq(crc32_mpeg(m->section, m->len), 0);
	cr_assert_eq(pmt_decode(m->section, m->len, &m->pmt), 0);
}

static size_t rich_pmt(uint8_t *ret)
{
	return build_pmt(ret, (struct build_entry){ 1, 0x101 }, 3, rich,
			 ARRAY_LEN(rich));
}

static void make_rich(struct made *m, const struct remux_options *o)
{
	static uint8_t source[1024];

	make(m, o, source, rich_pmt(source));
}

/* "101 102 …", hex. */
static const char *pids(const struct made *m)
{
	static char text[256];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < m->pmt.n_streams; i++)
		len += (size_t)snprintf(text + len, sizeof text - len,
					"%s%x", i > 0 ? " " : "",
					m->pmt.streams[i].pid);
	return text;
}

static void ask(struct remux_options *o, const char *maps)
{
	struct errmsg why = { 0 };

	cr_assert_eq(remux_maps_read(o, maps, &why), 0, "%s", why.text);
}

Test(psi_build, leaves_private_data_out_and_nothing_else)
{
	struct remux_options o = { 0 };
	static struct made m;

	make_rich(&m, &o);
	cr_expect_str_eq(pids(&m), "101 102 103 104 105 106 107");
	o.pass_data = true;
	make_rich(&m, &o);
	cr_expect_str_eq(pids(&m),
			 "101 102 103 104 105 106 107 108 109 10a");
}

Test(psi_build, keeps_every_descriptor_as_it_is)
{
	struct remux_options o = { .pass_data = true };
	static struct made m;

	make_rich(&m, &o);
	for (size_t i = 0; i < ARRAY_LEN(rich); i++) {
		struct desc_loop loop = m.pmt.streams[i].descriptors;

		cr_assert_eq(m.pmt.streams[i].type, rich[i].type);
		cr_assert_eq(loop.len, rich[i].desc_len);
		if (loop.len > 0)
			cr_assert_arr_eq(loop.data, rich[i].desc, loop.len);
	}
	cr_assert_eq(m.pmt.pcr_pid, 0x101);
}

Test(psi_build, private_data_that_is_named_stays)
{
	static struct made m;
	struct remux_options o = { 0 };

	ask(&o, "ait=500");
	make_rich(&m, &o);
	cr_expect_str_eq(pids(&m), "101 102 103 104 105 106 107 1f4");

	o = (struct remux_options){ 0 };
	ask(&o, "264=600"); /* 0x108 */
	make_rich(&m, &o);
	cr_expect_str_eq(pids(&m), "101 102 103 104 105 106 107 258");

	o = (struct remux_options){ 0 };
	pid_set_add(&o.keep, 0x101);
	pid_set_add(&o.keep, 0x10a);
	make_rich(&m, &o);
	cr_expect_str_eq(pids(&m), "101 10a");
}

Test(psi_build, filter_and_order_select_and_sort_streams)
{
	struct remux_options o = {
		.n_order = 3, .order = { 0x106, 0x103, 0x999 },
	};
	static struct made m;

	pid_set_add(&o.drop, 0x104);
	make_rich(&m, &o);
	cr_expect_str_eq(pids(&m), "106 103 101 102 105 107");
}

Test(psi_build, every_form_of_map_finds_its_stream)
{
	static const struct {
		const char *maps, *pids;
	} cases[] = {
		{ "video=32", "20 102 103 104 105 106 107" },
		{ "audio=48, audio=49, audio=50, audio=51",
		  "101 30 31 32 105 106 107" },
		{ "audio.rus=48", "101 102 30 104 105 106 107" },
		{ "rus=48, ger=49", "101 102 30 104 31 106 107" },
		{ "ac3=48", "101 102 103 30 105 106 107" },
		{ "sub=48, ttx=49", "101 102 103 104 30 31 107" },
		{ "257=48", "30 102 103 104 105 106 107" },
		/* the narrower one selects first, whatever its place */
		{ "audio=48, audio.eng=49", "101 31 30 104 105 106 107" },
		{ "audio=48, ac3=49, 258=50", "101 32 30 31 105 106 107" },
		{ "pcr=48", "30 102 103 104 105 106 107" },
		{ "pcr=48, video=49", "31 102 103 104 105 106 107" },
		/* a stream with the PID of a map gets another PID */
		{ "video=258", "102 20 103 104 105 106 107" },
		{ "video=258, audio=257", "102 101 103 104 105 106 107" },
		{ "pmt=257", "20 102 103 104 105 106 107" },
	};
	static struct made m;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct remux_options o = { 0 };

		ask(&o, cases[i].maps);
		make_rich(&m, &o);
		cr_expect_str_eq(pids(&m), cases[i].pids, "%s: %s",
				 cases[i].maps, pids(&m));
	}
}

Test(psi_build, no_two_streams_ever_share_a_pid)
{
	static struct made m;

	for (uint16_t to = 0x100; to < 0x10c; to++) {
		struct remux_options o = { .pass_data = true };
		uint64_t seen[TS_PIDS / 64] = { 0 };
		char text[64];

		(void)snprintf(text, sizeof text, "audio.rus=%u, sub=%u", to,
			       to + 1);
		ask(&o, text);
		make_rich(&m, &o);
		seen[m.plan.out[0x100] >> 6] |=
			UINT64_C(1) << (m.plan.out[0x100] & 63);
		for (size_t i = 0; i < m.pmt.n_streams; i++) {
			uint16_t pid = m.pmt.streams[i].pid;

			cr_assert_not(seen[pid >> 6] >> (pid & 63) & 1, "%s",
				      text);
			seen[pid >> 6] |= UINT64_C(1) << (pid & 63);
		}
	}
}

Test(psi_build, the_pcr_pid_follows_its_stream)
{
	struct remux_options o = { 0 };
	static struct made m;

	ask(&o, "video=32");
	make_rich(&m, &o);
	cr_expect_eq(m.pmt.pcr_pid, 32);

	o = (struct remux_options){ .set_pcr_pid = 0x102 };
	make_rich(&m, &o);
	cr_expect_eq(m.pmt.pcr_pid, 0x102);
	cr_expect_not(m.sel.pcr_alone);

	/* its stream is dropped, its PCR is not */
	o = (struct remux_options){ 0 };
	pid_set_add(&o.drop, 0x101);
	make_rich(&m, &o);
	cr_expect_eq(m.pmt.pcr_pid, 0x101);
	cr_expect(m.sel.pcr_alone && m.sel.pcr_strip);
}

Test(psi_build, replaces_or_adds_the_language)
{
	struct remux_options o = {
		.n_languages = 4,
		.languages = { { 0x101, "und" }, { 0x102, "lat" },
			       { 0x105, "pol" }, { 0x106, "cze" } },
	};
	static struct made m;

	make_rich(&m, &o);
	cr_assert_eq(m.pmt.streams[0].descriptors.len, 6);
	cr_assert_arr_eq(m.pmt.streams[0].descriptors.data,
			 "\x0a\x04" "und\x00", 6);
	cr_assert_arr_eq(m.pmt.streams[1].descriptors.data,
			 "\x0a\x04" "lat\x00", 6);
	cr_assert_arr_eq(m.pmt.streams[4].descriptors.data,
			 "\x59\x08" "pol\x10\x00\x01\x00\x02", 10);
	cr_assert_arr_eq(m.pmt.streams[5].descriptors.data,
			 "\x56\x05" "cze\x09\x00", 7);
}

/* --- conditional access --- */

static const struct build_es scrambled[] = {
	{ 0x1b, 0x101, "\x09\x04\x01\x00\xe1\x50", 6 },
	{ 0x03, 0x102, "\x09\x06\x0b\x00\xe1\x51\xaa\xbb", 8 },
};

static size_t scrambled_pmt(uint8_t *ret)
{
	return build_pmt(ret, (struct build_entry){ 1, 0x101 }, 0, scrambled,
			 ARRAY_LEN(scrambled));
}

Test(psi_build, ca_goes_out_only_when_asked_for)
{
	struct remux_options o = { 0 };
	uint8_t source[1024];
	size_t len = scrambled_pmt(source);
	static struct made m;

	make(&m, &o, source, len);
	cr_expect_eq(m.pmt.streams[0].descriptors.len, 0);
	cr_expect_eq(m.plan.out[0x150], PID_PLAN_NONE);

	o.pass_ca = true;
	make(&m, &o, source, len);
	cr_assert_eq(m.pmt.streams[1].descriptors.len, 8);
	cr_assert_arr_eq(m.pmt.streams[1].descriptors.data,
			 scrambled[1].desc, 8);
	cr_expect_eq(m.plan.out[0x150], 0x150);

	/* 337 is 0x151; the descriptor follows */
	ask(&o, "337=1000");
	pid_set_add(&o.drop_ca, 0x150);
	make(&m, &o, source, len);
	cr_expect_eq(m.pmt.streams[0].descriptors.len, 0);
	cr_expect_eq(m.plan.out[0x150], PID_PLAN_NONE);
	cr_expect_eq(m.plan.out[0x151], 1000);
	cr_assert_arr_eq(m.pmt.streams[1].descriptors.data,
			 "\x09\x06\x0b\x00\xe3\xe8\xaa\xbb", 8);
}

Test(psi_build, the_cat_names_the_emm_pids_that_go_out)
{
	static const uint8_t body[] = "\x09\x04\x01\x00\xe2\x00"
				      "\x09\x05\x0b\x00\xe2\x01\x77"
				      "\xc0\x01\x05";
	struct remux_options o = { .pass_ca = true };
	uint8_t source[1024], made[1024];
	size_t len = build_table(source, &(struct build_table){
		.table_id = 1, .extension = 0xffff, .version = 9,
		.body = body, .len = sizeof body - 1,
	});
	static struct pid_plan plan;
	struct desc_loop loop;

	ask(&o, "513=900");
	pid_set_add(&o.drop_ca, 0x200);
	pid_plan_init(&plan, NULL);
	pid_plan_add(&plan, &o, 0x201);
	len = cat_build(&o, &plan, source, len, made);
	cr_assert_gt(len, 0);
	cr_assert(cat_loop(made, len, &loop));
	cr_assert_eq(crc32_mpeg(made, len), 0);
	cr_assert_eq(loop.len, 10);
	cr_assert_arr_eq(loop.data, "\x09\x05\x0b\x00\xe3\x84\x77\xc0\x01\x05",
			 10);
	cr_assert_eq(cat_build(&o, &plan, source, len - 1, made), 0);
}

Test(psi_build, an_ait_of_the_option_replaces_that_of_the_source)
{
	struct remux_options o = {
		.pass_data = true, .hbbtv_url = "http://a/",
	};
	static struct made m;
	const struct pmt_stream *last;

	ask(&o, "ait=700");
	make_rich(&m, &o);
	cr_expect_str_eq(pids(&m),
			 "101 102 103 104 105 106 107 108 10a 2bc");
	last = &m.pmt.streams[m.pmt.n_streams - 1];
	cr_assert_eq(last->class, PID_AIT);
	cr_assert_arr_eq(last->descriptors.data, "\x6f\x03\x80\x10\xe0", 5);
}

Test(psi_build, a_full_pmt_stays_whole_when_more_is_asked_than_fits)
{
	static const char filling[] = "\xa0\xfa"; /* 250 bytes follow */
	struct build_es streams[PMT_STREAMS_MAX];
	struct remux_options o = {
		.n_languages = 3,
		.languages = { { 0x101, "eng" }, { 0x102, "eng" },
			       { 0x103, "eng" } },
		.hbbtv_url = "http://a/",
	};
	uint8_t source[1024];
	char desc[252] = "";
	static struct made m;
	size_t len;

	memcpy(desc, filling, 2);
	for (size_t i = 0; i < 3; i++)
		streams[i] = (struct build_es){ 0x1b, (uint16_t)(0x101 + i),
						desc, sizeof desc };
	streams[3] = (struct build_es){ 0x03, 0x104, desc, 0 };
	/* exactly 1,024 bytes */
	streams[3].desc_len = 1024 - 16 - 3 * (5 + 252) - 5;
	desc[1] = (char)250;
	len = build_pmt(source, (struct build_entry){ 1, 0x101 }, 0, streams,
			3);
	cr_assert_eq(len, 1024 - 5 - streams[3].desc_len);
	make(&m, &o, source, len);
	cr_assert_leq(m.len, 1024);
	cr_assert_geq(m.pmt.n_streams, 3);
	cr_assert_eq(m.pmt.streams[0].descriptors.len, 252 + 6);
}

/* Private descriptors of the program precede all streams. */
Test(psi_build, private_descriptors_leave_their_room_to_streams)
{
	static const struct build_es es[] = {
		{ 0x1b, 0x101, "\x52\x01\x01", 3 },
		{ 0x0f, 0x102, "\x0a\x04" "eng\x00", 6 },
		{ 0x0f, 0x103, NULL, 0 },
		{ 0x06, 0x104, "\x56\x05" "eng\x08\x88", 7 },
		{ 0x86, 0x105, "\xa1\x01\x00", 3 },
	};
	enum { ALL = 5 * 5 + 3 + 6 + 7 + 3 };
	struct remux_options o = {
		.n_languages = 2,
		.languages = { { 0x101, "eng" }, { 0x103, "eng" } },
		.hbbtv_url = "http://a/",
	};
	uint8_t source[1024], body[1024] = { 0xe1, 0x01 };
	static struct made m;
	size_t at = 4, n = 1024 - 16 - ALL, len;

	body[2] = (uint8_t)(0xf0 | n >> 8);
	body[3] = (uint8_t)n;
	for (size_t left = n; left > 0;) {
		size_t step = MIN(left, 200U);

		body[at] = 0xfe;
		body[at + 1] = (uint8_t)(step - 2);
		at += step;
		left -= step;
	}
	for (size_t i = 0; i < ARRAY_LEN(es); i++) {
		body[at++] = es[i].type;
		body[at++] = (uint8_t)(0xe0 | es[i].pid >> 8);
		body[at++] = (uint8_t)es[i].pid;
		body[at++] = 0xf0;
		body[at++] = (uint8_t)es[i].desc_len;
		if (es[i].desc_len > 0)
			memcpy(body + at, es[i].desc, es[i].desc_len);
		at += es[i].desc_len;
	}
	len = build_table(source, &(struct build_table){
		.table_id = 2, .extension = 1, .body = body, .len = at });
	cr_assert_eq(len, 1024);
	make(&m, &o, source, len);
	cr_expect_str_eq(pids(&m), "101 102 103 104 105 20");
	for (size_t i = 0; i < ARRAY_LEN(es); i++)
		cr_expect_eq(m.pmt.streams[i].descriptors.len,
			     es[i].desc_len + (i % 2 == 0 && i < 3 ? 6 : 0),
			     "%zu", i);
	/* as many as have room stay */
	cr_expect_eq(m.omitted.n_descriptors, 1);
	cr_expect_eq(m.omitted.tags[0], 0xfe);
	cr_expect_eq(m.omitted.n_streams, 0);
	cr_expect_not(m.omitted.ait);
	cr_expect_gt(m.len, 1024 - 200);
}

/* --- PAT --- */

static struct pat_program many[600];

Test(psi_build, a_long_pat_has_several_sections)
{
	struct pat_content c = {
		.tsid = 0x1234, .network_pid = 0x10, .programs = many,
		.n_programs = 600,
	};
	uint8_t section[1024];
	size_t seen = 0;

	for (size_t i = 0; i < 600; i++)
		many[i] = (struct pat_program){ (uint16_t)(i + 1),
						(uint16_t)(0x100 + i) };
	cr_assert_eq(pat_build_sections(&c), 3);
	for (size_t i = 0; i < 3; i++) {
		size_t len = pat_build(&c, i, section);
		struct pat pat;

		cr_assert_leq(len, 1024);
		cr_assert_eq(crc32_mpeg(section, len), 0);
		cr_assert_eq(pat_decode(section, len, &pat), 0);
		cr_assert_eq(pat.tsid, 0x1234);
		cr_assert_eq(pat.section_number, i);
		cr_assert_eq(pat.last_section_number, 2);
		cr_assert_eq(pat.network_pid, i == 0 ? 0x10 : 0);
		for (size_t k = 0; k < pat.n_programs; k++, seen++)
			cr_assert_eq(pat.programs[k].number, seen + 1);
	}
	cr_assert_eq(seen, 600);
	cr_assert_eq(pat_build(&c, 3, section), 0);
}

Test(psi_build, an_empty_pat_is_a_pat)
{
	struct pat_content c = { .tsid = 5 };
	uint8_t section[1024];
	size_t len = pat_build(&c, 0, section);
	struct pat pat;

	cr_assert_eq(len, 12);
	cr_assert_eq(pat_decode(section, len, &pat), 0);
	cr_assert_eq(pat.n_programs, 0);
	section_set_version(section, len, 31);
	cr_assert_eq(crc32_mpeg(section, len), 0);
	cr_assert_eq(pat_decode(section, len, &pat), 0);
	cr_assert_eq(pat.version, 31);
	cr_assert(pat.current);
}
