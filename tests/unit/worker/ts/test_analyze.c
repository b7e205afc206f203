/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/analyze.h"

#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
	VIDEO = 0x101,
	AUDIO = 0x102,
	DATA = 0x333, /* in no table */
	/* packets of payload in a second at the limit with video */
	LIMIT = ANALYZE_LIMIT_VIDEO_KBPS * 1000 / (188 * 8) + 1,
};

struct rig {
	struct analyze *analyze;
	struct build *build;
	size_t fed;
	struct analyze_report report;
};

static struct rig rig_new(struct analyze_config config)
{
	return (struct rig){ .analyze = analyze_new(&config),
			     .build = build_new() };
}

static void rig_done(struct rig *rig)
{
	analyze_free(&rig->analyze);
	cr_assert_null(rig->analyze);
	build_free(rig->build);
}

/* Feeds the packets that were built since the last call and ends the second. */
static void second(struct rig *rig)
{
	struct ts_run run = build_run(rig->build);

	run.data += rig->fed * TS_PACKET;
	run.n -= rig->fed;
	rig->fed = rig->build->n;
	analyze_feed(rig->analyze, run);
	analyze_every_second(rig->analyze, 1000, &rig->report);
}

/* A second of a good program: tables, pictures, sound. */
static void build_good(struct build *b)
{
	build_tables(b);
	for (int i = 0; i < 25; i++) {
		build_pes(b, VIDEO, "\0\0\1\x09", 4);
		for (int k = 0; k < 8; k++)
			build_payload(b, VIDEO, (uint8_t)k);
		build_pes(b, AUDIO, "xx", 2);
	}
}

Test(analyze, silence_is_not_on_air)
{
	struct rig rig = rig_new((struct analyze_config){ 0 });

	second(&rig);
	cr_assert(!rig.report.onair && !rig.report.scrambled);
	cr_assert_eq(rig.report.packets, 0);
	cr_assert_eq(rig.report.bitrate_kbps, 0);
	rig_done(&rig);
}

Test(analyze, reports_a_good_second)
{
	struct rig rig = rig_new((struct analyze_config){ .cc_limit = 1 });
	const struct analyze_report *r = &rig.report;

	build_good(rig.build);
	for (int i = 0; i < 100; i++)
		build_null(rig.build);
	second(&rig);
	cr_assert(r->onair);
	cr_assert(r->has_pat && r->has_pmt);
	cr_assert_eq(r->packets, 2 + 25 * 10 + 100);
	cr_assert_eq(r->bitrate_kbps, 352 * 188 * 8 / 1000);
	cr_assert_eq(r->payload_kbps, 252 * 188 * 8 / 1000);
	cr_assert_eq(r->cc_error + r->pes_error + r->sc_error + r->tei +
		     r->psi_error, 0);
	cr_assert_eq(r->video_count, 1);
	cr_assert_eq(r->audio_count, 1);

	/* the next second starts at zero and keeps the tables */
	second(&rig);
	cr_assert_eq(r->packets, 0);
	cr_assert(r->has_pmt && !r->onair);
	rig_done(&rig);
}

Test(analyze, computes_the_bitrate_over_the_elapsed_time)
{
	struct rig rig = rig_new((struct analyze_config){ 0 });
	struct analyze_report r;

	build_good(rig.build);
	analyze_feed(rig.analyze, build_run(rig.build));
	analyze_every_second(rig.analyze, 500, &r);
	cr_assert_eq(r.bitrate_kbps, 252 * 188 * 8 / 500);
	rig_done(&rig);
}

/* Damages one packet of the second. */
static void plant_drop(struct build *b, size_t at)
{
	memmove(build_packet(b, at), build_packet(b, at + 1),
		(b->n - at - 1) * TS_PACKET);
	b->n--;
}

static void plant_duplicate(struct build *b, size_t at)
{
	b->n++;
	memmove(build_packet(b, at + 1), build_packet(b, at),
		(b->n - at - 1) * TS_PACKET);
}

static void plant_triple(struct build *b, size_t at)
{
	plant_duplicate(b, at);
	plant_duplicate(b, at);
}

static void plant_swap(struct build *b, size_t at)
{
	uint8_t tmp[TS_PACKET];

	memcpy(tmp, build_packet(b, at), TS_PACKET);
	memcpy(build_packet(b, at), build_packet(b, at + 1), TS_PACKET);
	memcpy(build_packet(b, at + 1), tmp, TS_PACKET);
}

static void plant_tei(struct build *b, size_t at)
{
	build_packet(b, at)[1] |= 0x80;
}

static void plant_tei_in_counter(struct build *b, size_t at)
{
	plant_tei(b, at);
	build_packet(b, at)[3] ^= 0x08;
}

/* Moves the packet to another PID of the stream. */
static void plant_tei_in_pid(struct build *b, size_t at)
{
	plant_tei(b, at);
	build_packet(b, at)[2] ^= (uint8_t)(VIDEO ^ AUDIO);
}

static void plant_tei_of_null(struct build *b, size_t at)
{
	plant_tei(b, at);
	build_packet(b, at)[1] |= 0x1f;
	build_packet(b, at)[2] = 0xff;
}

static void plant_scrambling(struct build *b, size_t at)
{
	build_packet(b, at)[3] |= 0xc0;
}

/* at is a payload packet: makes it the start of an invalid PES packet */
static void plant_pes(struct build *b, size_t at)
{
	build_packet(b, at)[1] |= 0x40;
}

Test(analyze, counts_exactly_the_injected_errors)
{
	static const struct {
		const char *what;
		void (*plant)(struct build *, size_t at);
		unsigned cc, pes, sc, tei; /* of each fault */
	} faults[] = {
		{ "drop", plant_drop, 1, 0, 0, 0 },
		{ "duplicate", plant_duplicate, 0, 0, 0, 0 },
		{ "triple", plant_triple, 1, 0, 0, 0 },
		{ "swap", plant_swap, 3, 0, 0, 0 },
		{ "corrupt", plant_tei, 0, 0, 0, 1 },
		{ "corrupt counter", plant_tei_in_counter, 0, 0, 0, 1 },
		{ "corrupt PID", plant_tei_in_pid, 0, 0, 0, 1 },
		{ "corrupt PID of null", plant_tei_of_null, 0, 0, 0, 1 },
		{ "scramble", plant_scrambling, 0, 0, 1, 0 },
		{ "PES start", plant_pes, 0, 1, 0, 0 },
	};

	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		for (unsigned n = 0; n < 6; n++) {
			struct rig rig = rig_new((struct analyze_config){ 0 });
			const struct analyze_report *r = &rig.report;

			build_good(rig.build);
			for (unsigned k = 0; k < n; k++)
				faults[i].plant(rig.build, 5 + k * 20);
			second(&rig);
			cr_expect_eq(r->cc_error, n * faults[i].cc,
				     "%u × %s: cc_error %u", n, faults[i].what,
				     r->cc_error);
			cr_expect_eq(r->pes_error, n * faults[i].pes,
				     "%u × %s: pes_error %u", n,
				     faults[i].what, r->pes_error);
			cr_expect_eq(r->sc_error, n * faults[i].sc);
			cr_expect_eq(r->tei, n * faults[i].tei);
			cr_expect_eq(r->scrambled, n * faults[i].sc > 0);
			rig_done(&rig);
		}
	}
}

static void put_payload(struct build *b, uint16_t pid, int n)
{
	for (int i = 0; i < n; i++)
		build_payload(b, pid, 1);
}

static void put_bad_pes(struct build *b, uint16_t pid, int n)
{
	for (int i = 0; i < n; i++)
		build_payload(b, pid, 1)[1] |= 0x40;
}

struct onair_case {
	const char *what;
	struct analyze_config config;
	bool no_tables;
	int good;         /* video packets */
	int bad_video, bad_audio, bad_data; /* wrong PES starts */
	int scrambled_video, scrambled_data;
	int gaps;         /* continuity errors */
	int damaged, damaged_nulls; /* transport_error_indicator */
	bool onair;
};

static const struct onair_case onair_cases[] = {
	{ .what = "good", .good = LIMIT, .onair = true },
	{ .what = "too little", .good = LIMIT - 3 },
	{ .what = "little, but so wanted", .good = 5, .onair = true,
	  .config = { .bitrate_limit_kbps = 8 } },
	{ .what = "less than wanted", .good = LIMIT,
	  .config = { .bitrate_limit_kbps = 1000 } },
	{ .what = "no tables", .good = LIMIT, .no_tables = true },
	{ .what = "2 PES errors on each PID", .good = LIMIT, .bad_video = 2,
	  .bad_audio = 2, .onair = true },
	{ .what = "3 PES errors on video", .good = LIMIT, .bad_video = 3 },
	{ .what = "3 PES errors on audio", .good = LIMIT, .bad_audio = 3 },
	{ .what = "data is no PES", .good = LIMIT, .bad_data = 9,
	  .onair = true },
	{ .what = "scrambled video", .good = LIMIT, .scrambled_video = 1 },
	{ .what = "scrambled data", .good = LIMIT, .scrambled_data = 9,
	  .onair = true },
	{ .what = "gaps without a limit", .good = LIMIT, .gaps = 20,
	  .onair = true },
	{ .what = "gaps under the limit", .good = LIMIT, .gaps = 4,
	  .config = { .cc_limit = 5 }, .onair = true },
	{ .what = "gaps at the limit", .good = LIMIT, .gaps = 5,
	  .config = { .cc_limit = 5 } },
	{ .what = "damaged packets without a limit", .good = LIMIT,
	  .damaged = 20, .onair = true },
	{ .what = "damaged packets under the limit", .good = LIMIT,
	  .damaged = 2, .gaps = 2, .damaged_nulls = 9,
	  .config = { .cc_limit = 5 }, .onair = true },
	{ .what = "damaged packets at the limit", .good = LIMIT,
	  .damaged = 3, .gaps = 2, .config = { .cc_limit = 5 } },
	{ .what = "not analyzed", .good = 15, .no_tables = true, .gaps = 9,
	  .scrambled_video = 2, .config = { .no_analyze = true, .cc_limit = 1 },
	  .onair = true },
	{ .what = "not analyzed, too little", .good = 5,
	  .config = { .no_analyze = true } },
};

static void put_case(struct build *b, const struct onair_case *c)
{
	if (!c->no_tables)
		build_tables(b);
	put_payload(b, VIDEO, c->good);
	put_bad_pes(b, VIDEO, c->bad_video);
	put_bad_pes(b, AUDIO, c->bad_audio);
	put_bad_pes(b, DATA, c->bad_data);
	for (int i = 0; i < c->scrambled_video; i++)
		build_payload(b, VIDEO, 1)[3] |= 0x80;
	for (int i = 0; i < c->scrambled_data; i++)
		build_payload(b, DATA, 1)[3] |= 0x80;
	for (int i = 0; i < c->gaps; i++) {
		put_payload(b, VIDEO, 1);
		b->cc[VIDEO] = (b->cc[VIDEO] + 1) & 0x0f;
		put_payload(b, VIDEO, 1);
	}
	for (int i = 0; i < c->damaged; i++)
		build_payload(b, VIDEO, 1)[1] |= 0x80;
	for (int i = 0; i < c->damaged_nulls; i++) {
		build_null(b);
		build_packet(b, b->n - 1)[1] |= 0x80;
	}
}

Test(analyze, decides_which_input_is_on_air)
{
	for (size_t i = 0; i < sizeof onair_cases / sizeof *onair_cases;
	     i++) {
		const struct onair_case *c = &onair_cases[i];
		struct rig rig = rig_new(c->config);

		put_case(rig.build, c);
		second(&rig);
		cr_expect_eq(rig.report.onair, c->onair, "%s", c->what);
		rig_done(&rig);
	}
}

Test(analyze, the_limit_without_video_is_lower)
{
	static const struct build_entry entry = { 1, 0x100 };
	static const struct build_es radio = { 0x03, AUDIO, "", 0 };
	uint8_t section[1024];

	for (int extra = 0; extra < 2; extra++) {
		struct rig rig = rig_new((struct analyze_config){ 0 });
		size_t len = build_pat(section, 0, &entry, 1);

		build_section(rig.build, TS_PID_PAT, section, len);
		len = build_pmt(section, (struct build_entry){ 1, 0x1fff }, 0,
				&radio, 1);
		build_section(rig.build, 0x100, section, len);
		/* 16 kbit/s are 10.6 packets */
		put_payload(rig.build, AUDIO, 8 + extra);
		for (int i = 0; i < 50; i++)
			build_null(rig.build);
		second(&rig);
		cr_expect_eq(rig.report.onair, extra == 1);
		rig_done(&rig);
	}
}

/* Ends the second and judges it; the owner keeps the time. */
static enum analyze_fault judged(struct rig *rig, unsigned *missing_ms)
{
	second(rig);
	analyze_judge_av(&rig->report, 1000, missing_ms);
	cr_expect_eq(rig->report.onair, rig->report.fault == ANALYZE_FINE);
	return rig->report.fault;
}

Test(analyze, without_the_pids_of_video_and_audio_it_is_off_air)
{
	struct rig rig = rig_new((struct analyze_config){ 0 });
	unsigned missing_ms = ANALYZE_NO_AV_MS;

	/* a source that never had them */
	build_tables(rig.build);
	put_payload(rig.build, DATA, LIMIT);
	cr_expect_eq(judged(&rig, &missing_ms), ANALYZE_NO_AV);
	build_good(rig.build);
	cr_expect_eq(judged(&rig, &missing_ms), ANALYZE_FINE);
	/* one second proves nothing */
	put_payload(rig.build, DATA, LIMIT);
	cr_expect_eq(judged(&rig, &missing_ms), ANALYZE_FINE);
	put_payload(rig.build, DATA, LIMIT);
	cr_expect_eq(judged(&rig, &missing_ms), ANALYZE_NO_AV);
	/* one of both is enough */
	put_payload(rig.build, DATA, LIMIT);
	put_payload(rig.build, AUDIO, 1);
	cr_expect_eq(judged(&rig, &missing_ms), ANALYZE_FINE);
	/* tables alone are a low bitrate, and this is the reason */
	build_tables(rig.build);
	cr_expect_eq(judged(&rig, &missing_ms), ANALYZE_NO_AV);
	cr_expect_eq(judged(&rig, &missing_ms), ANALYZE_SILENT);
	rig_done(&rig);
}

Test(analyze, a_program_that_lists_no_video_and_audio_misses_none)
{
	static const struct build_entry entry = { 1, 0x100 };
	static const struct build_es data = { 0x06, DATA, "", 0 };
	struct rig rig = rig_new((struct analyze_config){ 0 });
	unsigned missing_ms = ANALYZE_NO_AV_MS;
	uint8_t section[1024];
	size_t len = build_pat(section, 0, &entry, 1);

	build_section(rig.build, TS_PID_PAT, section, len);
	len = build_pmt(section, (struct build_entry){ 1, 0x1fff }, 0, &data,
			1);
	build_section(rig.build, 0x100, section, len);
	put_payload(rig.build, DATA, LIMIT);
	cr_expect_eq(judged(&rig, &missing_ms), ANALYZE_FINE);
	rig_done(&rig);
}

Test(analyze, an_error_of_one_second_does_not_count_in_the_next)
{
	struct rig rig = rig_new((struct analyze_config){ .cc_limit = 1 });

	build_good(rig.build);
	put_bad_pes(rig.build, VIDEO, 5);
	build_payload(rig.build, VIDEO, 1)[3] |= 0x80;
	rig.build->cc[VIDEO] = (rig.build->cc[VIDEO] + 3) & 0x0f;
	put_payload(rig.build, VIDEO, 1);
	second(&rig);
	cr_assert(!rig.report.onair && rig.report.scrambled);
	cr_assert_eq(rig.report.cc_error, 1);
	cr_assert_eq(rig.report.pes_error, 5);
	build_good(rig.build);
	put_bad_pes(rig.build, VIDEO, 2);
	second(&rig);
	cr_assert(rig.report.onair && !rig.report.scrambled);
	cr_assert_eq(rig.report.cc_error, 0);
	rig_done(&rig);
}

Test(analyze, counts_broken_tables)
{
	struct rig rig = rig_new((struct analyze_config){ 0 });

	build_good(rig.build);
	build_tables(rig.build);
	build_packet(rig.build, rig.build->n - 1)[20] ^= 1;
	second(&rig);
	cr_assert_eq(rig.report.psi_error, 1);
	cr_assert(rig.report.onair);
	second(&rig);
	cr_assert_eq(rig.report.psi_error, 0);
	rig_done(&rig);
}

Test(analyze, only_counts_packets_without_sync_byte)
{
	for (int no_analyze = 0; no_analyze < 2; no_analyze++) {
		struct rig rig = rig_new((struct analyze_config){
			.no_analyze = no_analyze });

		build_tables(rig.build);
		build_packet(rig.build, 0)[0] = 0x48;
		build_null(rig.build)[0] = 0x48;
		second(&rig);
		cr_expect_eq(rig.report.packets, 3);
		cr_expect_eq(rig.report.payload_kbps, rig.report.bitrate_kbps);
		cr_expect(!rig.report.has_pat);
		rig_done(&rig);
	}
}

Test(analyze, a_pes_start_that_does_not_fit_is_no_error)
{
	struct rig rig = rig_new((struct analyze_config){ 0 });

	build_good(rig.build);
	for (unsigned len = 181; len <= 183; len++) {
		uint8_t *p = build_payload(rig.build, VIDEO, 7);

		p[1] |= 0x40;
		p[3] |= 0x20;
		p[4] = (uint8_t)len;
		p[5] = 0;
	}
	second(&rig);
	cr_assert_eq(rig.report.pes_error, 0);
	rig_done(&rig);
}

Test(analyze, a_reset_begins_with_another_source)
{
	struct rig rig = rig_new((struct analyze_config){ 0 });

	build_good(rig.build);
	second(&rig);
	put_payload(rig.build, VIDEO, 100);
	analyze_feed(rig.analyze, build_run(rig.build));
	analyze_reset(rig.analyze);
	rig.build->cc[VIDEO] = (rig.build->cc[VIDEO] + 5) & 0x0f;
	rig.fed = rig.build->n;
	put_payload(rig.build, VIDEO, 1);
	second(&rig);
	cr_assert_eq(rig.report.packets, 1);
	cr_assert_eq(rig.report.cc_error, 0);
	cr_assert(!rig.report.has_pat);
	cr_assert_eq(rig.report.video_count, 0);
	rig_done(&rig);
}
