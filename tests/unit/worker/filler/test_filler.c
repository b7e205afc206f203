/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/filler/filler.h"
#include "worker/filler/play.h"

#include "tests/helpers/judge.h"
#include "tests/unit/worker/splice/source.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct psi *psi;
static struct filler *f;
static struct source *a;
static struct judge judge;
static uint64_t now;
static uint64_t packets, pictures, sounds;
static uint8_t picture[1 << 20];
static size_t picture_len;

static void setup(void)
{
	psi = psi_new();
	f = filler_new(psi);
	a = source_new(90000);
	judge_init(&judge);
	now = 1000000 * MS;
}

static void teardown(void)
{
	filler_free(&f);
	psi_free(&psi);
	judge_done(&judge);
	free(a);
}

TestSuite(filler, .init = setup, .fini = teardown);

static void learn(size_t n)
{
	struct ts_run run = source_make(a, n);

	for (size_t i = 0; i < n; i++) {
		struct ts_run one = { run.data + i * TS_PACKET, 1 };

		(void)psi_feed(psi, one.data);
		filler_feed(f, &one, 1);
	}
}

static void note(const uint8_t *p)
{
	size_t at = ts_payload_offset(p);

	if (ts_pid(p) == SOURCE_AUDIO && ts_pusi(p))
		sounds++;
	if (ts_pid(p) != SOURCE_VIDEO || !ts_has_payload(p))
		return;
	if (ts_pusi(p)) {
		cr_assert(ts_random_access(p));
		pictures++;
		picture_len = 0;
		at += PES_HEADER + 5;
	}
	memcpy(picture + picture_len, p + at, TS_PACKET - at);
	picture_len += TS_PACKET - at;
}

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++) {
		packets += runs[i].n;
		judge_take(&judge, runs[i].data, runs[i].n * TS_PACKET,
			   (int64_t)(now / 1000 * 27));
		for (size_t k = 0; k < runs[i].n; k++)
			note(runs[i].data + k * TS_PACKET);
	}
}

static void play(unsigned ms)
{
	for (unsigned i = 0; i < ms / 10; i++) {
		now += 10 * MS;
		filler_run(f, now, on_out, NULL);
		cr_assert_gt(filler_next_ns(f), now);
	}
}

static void assert_flawless(void)
{
	const struct judge *j = &judge;

	cr_assert_eq(j->cc + j->sync + j->crc + j->cut_short, 0, "%s",
		     j->events[0]);
	cr_assert_eq(j->pcr_back + j->pcr_jump, 0, "%s", j->events[0]);
	cr_assert_eq(j->dts_back + j->dts_late, 0, "%s", j->events[0]);
	cr_assert_leq(j->pcr_gap, 27000 * 41);
	cr_assert_lt(j->stray_max - j->stray_min, 27000 * 12);
}

Test(filler, is_not_ready_before_a_whole_picture)
{
	cr_assert_not(filler_is_ready(f));
	learn(1);
	cr_assert_not(filler_is_ready(f));
	learn(20);
	cr_assert_not(filler_is_ready(f), "half a picture");
	learn(180);
	cr_assert(filler_is_ready(f));
}

Test(filler, finds_a_picture_behind_a_pes_header_alone_in_its_packet)
{
	a->header_alone = true;
	learn(60);
	cr_assert(filler_is_ready(f));
	filler_start(f, now);
	play(1000);
	assert_flawless();
	/* an IDR picture behind an access unit delimiter */
	cr_assert_arr_eq(picture, "\0\0\1\x09\x10\0\0\1\x65", 9);
}

/* A picture on the new PID may be far. */
Test(filler, a_picture_stays_when_its_pid_changes)
{
	learn(400);
	a->gop = 100000;
	a->shift = a->pmt_shift = 16;
	a->program++;
	learn(400);
	cr_assert_eq(psi_main_pid(psi), SOURCE_VIDEO + 16);
	cr_assert(filler_is_ready(f));
	filler_start(f, now);
	play(1000);
	assert_flawless();
}

Test(filler, sends_the_last_picture_at_a_steady_rate_with_silence)
{
	learn(2000);
	filler_start(f, now);
	play(10000);
	assert_flawless();
	cr_assert_geq(pictures, 49);
	cr_assert_leq(pictures, 51);
	/* 3 frames of 24 ms to a PES */
	cr_assert_geq(sounds, 137);
	cr_assert_leq(sounds, 142);
	cr_assert_geq(judge.pcr_span, INT64_C(9900) * 27000);
	/* 100 of the tables */
	cr_assert_geq(judge.pmts, 98);
}

Test(filler, repeats_the_picture_byte_for_byte)
{
	static uint8_t sent[1 << 20];
	size_t len = 0;

	learn(2000);
	/* up to the next picture that decoding can begin with, included */
	for (bool in = false;;) {
		struct ts_run run = source_make(a, 1);
		const uint8_t *p = run.data;
		size_t at = ts_payload_offset(p);

		(void)psi_feed(psi, p);
		filler_feed(f, &run, 1);
		if (ts_pid(p) != SOURCE_VIDEO || !ts_has_payload(p))
			continue;
		if (in && ts_pusi(p))
			break;
		if (ts_random_access(p)) {
			in = true;
			at += PES_HEADER + 10;
		}
		if (!in)
			continue;
		memcpy(sent + len, p + at, TS_PACKET - at);
		len += TS_PACKET - at;
	}
	filler_start(f, now);
	play(190);
	cr_assert_eq(pictures, 1);
	cr_assert_eq(picture_len, len);
	cr_assert_arr_eq(picture, sent, len);
}

Test(filler, ignores_a_picture_with_a_loss)
{
	learn(15);
	source_skip(a, 3);
	learn(200);
	cr_assert_not(filler_is_ready(f));
	learn(600);
	cr_assert(filler_is_ready(f));
}

Test(filler, ignores_a_picture_that_is_too_large)
{
	struct ts_run run;

	learn(200);
	cr_assert(filler_is_ready(f));
	filler_free(&f);
	f = filler_new(psi);
	/* a picture that never ends */
	a->gop = 1;
	do {
		run = source_make(a, 1);
	} while (!ts_random_access(run.data));
	filler_feed(f, &run, 1);
	for (size_t i = 0; i < FILLER_PICTURE_MAX / 150; i++) {
		uint8_t p[TS_PACKET];

		memset(p, 0x5a, sizeof p);
		p[0] = TS_SYNC_BYTE;
		p[1] = 0;
		ts_set_pid(p, SOURCE_VIDEO);
		p[3] = (uint8_t)(0x10 | ((run.data[3] + 1 + i) & 0x0f));
		filler_feed(f, &(struct ts_run){ p, 1 }, 1);
	}
	cr_assert_not(filler_is_ready(f));
	filler_start(f, now);
	play(500);
	cr_assert_eq(pictures, 0);
}

Test(filler, skips_missed_time)
{
	uint64_t before;

	learn(2000);
	filler_start(f, now);
	play(1000);
	before = packets;
	now += 3600 * 1000 * MS;
	filler_run(f, now, on_out, NULL);
	cr_assert_lt(packets - before, 300);
	cr_assert_eq(judge.pcr_back + judge.dts_back + judge.cc, 0);
	/* one jump, and then no further one */
	cr_assert_eq(judge.pcr_jump, 1);
	judge.pcr_jump = 0;
	play(2000);
	cr_assert_eq(judge.pcr_jump, 0);
}

Test(filler, a_radio_is_silent)
{
	a->no_audio = false;
	for (int i = 0; i < 1000; i++) {
		struct ts_run run = source_make(a, 1);
		uint8_t *p = a->data;

		/* its tables name no video */
		if (ts_pid(p) == SOURCE_VIDEO && ts_has_payload(p))
			continue;
		(void)psi_feed(psi, p);
		filler_feed(f, &run, 1);
	}
	cr_assert_not(filler_is_ready(f), "it has one, which was not seen");
	filler_start(f, now);
	play(1000);
	cr_assert_eq(pictures, 0);
	cr_assert_gt(sounds, 10);
	assert_flawless();
}

/* --- several programs --- */

static unsigned seen_on[TS_PIDS], clocks_on[TS_PIDS];

static void count_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++) {
		judge_take(&judge, runs[i].data, runs[i].n * TS_PACKET,
			   (int64_t)(now / 1000 * 27));
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			uint64_t pcr;

			seen_on[ts_pid(p)] += ts_pusi(p);
			clocks_on[ts_pid(p)] += ts_pcr(p, &pcr);
		}
	}
}

/* Television with a clock of its own, television with the clock of the first,
 * and radio. */
static void build_programs(struct build *b)
{
	static const struct build_entry programs[] = {
		{ 1, 0x100 }, { 2, 0x200 }, { 3, 0x300 },
	};
	static const struct build_es es[3][2] = {
		{ { 0x1b, 0x101, NULL, 0 }, { 0x03, 0x102, NULL, 0 } },
		{ { 0x1b, 0x201, NULL, 0 }, { 0x03, 0x202, NULL, 0 } },
		{ { 0x03, 0x301, NULL, 0 } },
	};
	static const uint16_t pcr[] = { 0x101, 0x101, 0x301 };
	uint8_t section[1024];

	build_section(b, 0, section, build_pat(section, 0, programs, 3));
	for (size_t i = 0; i < 3; i++)
		build_section(b, programs[i].pid, section,
			      build_pmt(section,
					(struct build_entry){
						programs[i].number, pcr[i] },
					0, es[i], i < 2 ? 2 : 1));
}

static void build_units(struct build *b)
{
	static const uint8_t idr[] = { 0, 0, 1, 0x65, 0x88, 0x84, 0, 0x10 };
	static const uint8_t mp2[] = { 0xff, 0xfd, 0xa4, 0x04, 0, 0, 0, 0 };

	for (int i = 0; i < 3; i++) {
		(void)build_pes(b, 0x101, idr, sizeof idr);
		(void)build_pes(b, 0x201, idr, sizeof idr);
		(void)build_pes(b, 0x102, mp2, sizeof mp2);
		(void)build_pes(b, 0x202, mp2, sizeof mp2);
		(void)build_pes(b, 0x301, mp2, sizeof mp2);
	}
}

Test(filler, replaces_every_program_of_a_multiplex)
{
	struct build *b = build_new();

	build_programs(b);
	build_units(b);
	for (size_t i = 0; i < b->n; i++) {
		struct ts_run one = { build_packet(b, i), 1 };

		(void)psi_feed(psi, one.data);
		filler_feed(f, &one, 1);
	}
	cr_assert(filler_is_ready(f));
	filler_start(f, now);
	for (unsigned i = 0; i < 500; i++) {
		now += 10 * MS;
		filler_run(f, now, count_out, NULL);
	}
	assert_flawless();
	for (uint16_t pid = 0x100; pid <= 0x300; pid += 0x100)
		cr_assert_geq(seen_on[pid], 49u, "PMT on %u", pid);
	for (uint16_t pid = 0x101; pid <= 0x201; pid += 0x100) {
		cr_assert_geq(seen_on[pid], 24u, "%u pictures on %u",
			      seen_on[pid], pid);
		cr_assert_geq(seen_on[pid + 1], 40u, "sound beside %u", pid);
	}
	cr_assert_geq(seen_on[0x301], 40u);
	cr_assert_geq(clocks_on[0x101], 120u);
	cr_assert_eq(clocks_on[0x201], 0u);
	cr_assert_geq(clocks_on[0x301], 120u);
	build_free(b);
}

/* --- tables of the transport stream --- */

/* Counts the packets of a PID that begin a section, and keeps the last. */
struct si_seen {
	unsigned n;
	uint8_t last[TS_PACKET];
};
static struct si_seen si_seen[3]; /* NIT, SDT, EIT */

static void note_si(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			struct si_seen *to;

			if (ts_pid(p) < 0x10 || ts_pid(p) > 0x12 ||
			    !ts_pusi(p))
				continue;
			to = &si_seen[ts_pid(p) - 0x10];
			to->n++;
			memcpy(to->last, p, TS_PACKET);
		}
}

static void learn_si(struct build *b, uint16_t pid, uint8_t table_id,
		     uint8_t version, const char *body)
{
	uint8_t section[1024];
	size_t len = build_table(section, &(struct build_table){
		.table_id = table_id, .extension = 7, .version = version,
		.body = body, .len = strlen(body) });
	struct ts_run run;

	run = (struct ts_run){ build_section(b, pid, section, len), 1 };
	filler_feed(f, &run, 1);
}

Test(filler, repeats_nit_sdt_and_eit)
{
	struct build *b = build_new();

	learn(2000);
	learn_si(b, 0x10, 0x40, 1, "network");
	learn_si(b, 0x11, 0x42, 1, "old");
	learn_si(b, 0x11, 0x42, 2, "new");
	/* of another transport stream */
	learn_si(b, 0x11, 0x46, 1, "other");
	learn_si(b, 0x12, 0x4e, 1, "now");
	/* a schedule is not repeated */
	learn_si(b, 0x12, 0x50, 1, "later");
	filler_start(f, now);
	for (unsigned i = 0; i < 500; i++) {
		now += 10 * MS;
		filler_run(f, now, note_si, NULL);
	}
	/* TR 101 290: each SDT within 2 s; five seconds */
	for (size_t i = 0; i < 3; i++) {
		cr_expect_geq(si_seen[i].n, 5, "%zu: %u", i, si_seen[i].n);
		cr_expect_leq(si_seen[i].n, 6, "%zu: %u", i, si_seen[i].n);
	}
	/* behind header, pointer and 8 bytes of the section */
	cr_expect_arr_eq(si_seen[0].last + 13, "network", 7);
	cr_expect_arr_eq(si_seen[1].last + 13, "new", 3);
	cr_expect_arr_eq(si_seen[2].last + 13, "now", 3);
	build_free(b);
}

Test(filler, tables_with_the_si_are_flawless)
{
	struct build *b = build_new();

	learn(2000);
	learn_si(b, 0x11, 0x42, 1, "service");
	filler_start(f, now);
	play(5000);
	assert_flawless();
	build_free(b);
}

Test(filler, keeps_a_bounded_number_of_sections)
{
	struct build *b = build_new();
	uint8_t section[64];
	struct ts_run run;

	learn(2000);
	for (unsigned i = 0; i < 1000; i++) {
		size_t len = build_table(section, &(struct build_table){
			.table_id = 0x4e, .extension = (uint16_t)i,
			.body = "x", .len = 1 });

		(void)build_section(b, 0x12, section, len);
	}
	run = build_run(b);
	filler_feed(f, &run, 1);
	filler_start(f, now);
	for (unsigned i = 0; i < 200; i++) {
		now += 10 * MS;
		filler_run(f, now, note_si, NULL);
	}
	/* 64 in each of two seconds */
	cr_expect_geq(si_seen[2].n, 127);
	cr_expect_leq(si_seen[2].n, 130);
	build_free(b);
}

static uint64_t part_pts[2]; /* the last ones of video and audio */

static void on_part(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			bool is_audio = ts_pid(p) == SOURCE_AUDIO;
			uint64_t pts;

			cr_assert(is_audio || ts_pid(p) == SOURCE_VIDEO);
			note(p);
			if (!pes_pts(p, &pts))
				continue;
			cr_assert_gt(pts, part_pts[is_audio]);
			part_pts[is_audio] = pts;
		}
}

static void play_part(struct play *p, unsigned ms)
{
	pictures = sounds = 0;
	for (unsigned i = 0; i < ms / 10; i++) {
		now += 10 * MS;
		play_run(p, now, on_part, NULL);
	}
}

Test(filler, a_program_of_several_follows_its_packets_and_pauses)
{
	uint64_t all[TS_PIDS / 64];
	struct play *one;

	memset(all, 0xff, sizeof all);
	cr_assert_null(filler_play(f, a->program, all, 0, now));
	learn(2000);
	cr_assert(filler_pts(f, SOURCE_VIDEO, &part_pts[0]));
	cr_assert(filler_pts(f, SOURCE_AUDIO, &part_pts[1]));
	cr_assert_null(filler_play(f, a->program + 1, all, 0, now));
	one = filler_play(f, a->program, all, source_clock(a), now);
	cr_assert_not_null(one);
	play_part(one, 2000);
	cr_expect(pictures >= 9 && pictures <= 11);
	cr_expect_geq(sounds, 27u);
	play_hold_pictures(one, true, now);
	play_part(one, 300);
	play_part(one, 2000);
	cr_expect_eq(pictures, 0u);
	cr_expect_geq(sounds, 27u);
	/* what it has missed is not sent */
	play_hold_pictures(one, false, now);
	play_part(one, 1000);
	cr_expect(pictures >= 4 && pictures <= 6, "%u", (unsigned)pictures);
	play_free(&one);
}

/* --- many programs --- */

enum { MANY = 40, TRACKS = 2, MANY_PMT = 0x100, MANY_VIDEO = 0x200,
       MANY_AUDIO = 0x300 };

static void put_programs(struct build *ts)
{
	struct build_entry list[MANY];
	uint8_t section[SECTION_PSI_MAX];
	size_t len;

	for (uint16_t k = 0; k < MANY; k++)
		list[k] = (struct build_entry){ (uint16_t)(k + 1),
						(uint16_t)(MANY_PMT + k) };
	len = build_pat(section, 0, list, MANY);
	(void)build_section(ts, TS_PID_PAT, section, len);
	for (uint16_t k = 0; k < MANY; k++) {
		uint16_t audio = (uint16_t)(MANY_AUDIO + TRACKS * k);
		const struct build_es es[] = {
			{ 0x02, (uint16_t)(MANY_VIDEO + k), NULL, 0 },
			{ 0x03, audio, NULL, 0 },
			{ 0x03, (uint16_t)(audio + 1), NULL, 0 } };

		len = build_pmt(section, list[k], 0, es, 1 + TRACKS);
		(void)build_section(ts, list[k].pid, section, len);
	}
}

static void put_units(struct build *ts)
{
	static const uint8_t intra[] = { 0, 0, 1, 0xb3, 0x2d, 2, 0x40, 0x33,
					 0xff, 0xff, 0xe0, 0x18, 0, 0, 1, 0, 0,
					 8, 0, 0 };
	/* layer II, 192 kbit/s, 48 kHz */
	static const uint8_t sound[] = { 0xff, 0xfd, 0xa4, 0, 0, 0, 0, 0 };

	for (uint16_t k = 0; k < MANY; k++)
		(void)build_pes(ts, (uint16_t)(MANY_VIDEO + k), intra,
				sizeof intra);
	for (uint16_t k = 0; k < MANY * TRACKS; k++)
		(void)build_pes(ts, (uint16_t)(MANY_AUDIO + k), sound,
				sizeof sound);
}

Test(filler, of_many_programs_those_of_its_pids_have_pictures_and_all_sound)
{
	uint64_t pids[TS_PIDS / 64] = { 0 }, pts;
	struct build *ts = build_new();

	for (uint16_t k = MANY - 4; k < MANY; k++)
		pids[(MANY_VIDEO + k) / 64] |= UINT64_C(1)
					       << (MANY_VIDEO + k) % 64;
	filler_limit(f, pids);
	put_programs(ts);
	for (size_t i = 0; i < 3; i++)
		put_units(ts);
	for (size_t i = 0; i < ts->n; i++) {
		struct ts_run one = { build_run(ts).data + i * TS_PACKET, 1 };

		(void)psi_feed(psi, one.data);
		filler_feed(f, &one, 1);
	}
	for (uint16_t k = 0; k < MANY; k++)
		cr_expect_eq(filler_has_program(f, (uint16_t)(k + 1)),
			     k >= MANY - 4, "%u", k);
	for (uint16_t k = 0; k < MANY * TRACKS; k++)
		cr_expect(filler_pts(f, (uint16_t)(MANY_AUDIO + k), &pts),
			  "%u", k);
	build_free(ts);
}
