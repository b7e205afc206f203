/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets of PIDs that no table in force names. */
#include "tests/unit/rounds.h"
#include "tests/unit/worker/splice/stage.h"

#include "common/base/buf.h"
#include "common/base/crc32.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/pes_head.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	GHOST = 0x700, /* a PID that no table names */
	HOUR = 3600 * 90000,
	SLACK_MS = 900, /* beyond a pause: until tables come */
	PLAY_MS = 1500, /* of each encoder: more than two groups of pictures */
};

#define START (UINT64_C(10000) * 90000)

static struct stage s;
static struct source *a, *b;

static void setup(void)
{
	stage_init(&s);
	a = source_new(START);
	b = NULL;
}

static void teardown(void)
{
	stage_done(&s);
	free(a);
	free(b);
}

TestSuite(foreign, .init = setup, .fini = teardown);

static struct splice_counters counted(void)
{
	struct splice_counters c;

	splice_counters(s.splice, &c);
	return c;
}

/* The clock of a receiver that accepts it on any PID. */
static void assert_one_clock(unsigned pause_ms, const char *what)
{
	const int64_t most = (int64_t)(pause_ms + SLACK_MS);
	uint64_t pcr, last = 0;
	bool known = false;
	struct pes_reader reader = { 0 };

	for (size_t at = 0; at < s.n; at += TS_PACKET) {
		const uint8_t *p = s.data + at;
		struct pes_stamps unit;

		if (ts_pcr(p, &pcr)) {
			int64_t step = wrap_diff(pcr, last, PCR_WRAP);

			cr_assert(!known || (step > 0 && step <= most * 27000),
				  "%s: packet %zu, PID %u: PCR %+jd ms", what,
				  at / TS_PACKET, ts_pid(p),
				  (intmax_t)step / 27000);
			known = true;
			last = pcr;
		}
		if (pes_reader_take(&reader, p, &unit) == PES_READ && known) {
			int64_t lead = wrap_diff(unit.dts, last / 300,
						 PES_TIME_WRAP);

			cr_assert(lead > -90 * SLACK_MS &&
					  lead < 90 * (2000 + most),
				  "%s: packet %zu, PID %u: DTS %+jd ms", what,
				  at / TS_PACKET, ts_pid(p),
				  (intmax_t)lead / 90);
		}
	}
}

/* An encoder that was started again, `skip` packets behind its first tables:
 * other PIDs. */
struct again {
	int64_t clock;  /* 90 kHz, off the one before */
	unsigned silent_ms;
	size_t skip;
	uint8_t first_cc;
	uint16_t pmt_shift;
	unsigned tables_every;
	bool same_audio;
};

static void play_again(const struct again *how, uint16_t shift)
{
	struct source *next = source_new(
		(uint64_t)((int64_t)source_clock(a) + how->clock));

	next->head = a->head;
	next->shift = shift;
	next->pmt_shift = how->pmt_shift;
	next->first_cc = how->first_cc;
	next->same_audio = how->same_audio;
	next->tables_every = how->tables_every;
	source_skip(next, how->skip);
	stage_wait(&s, how->silent_ms);
	free(a);
	a = next;
	stage_play(&s, a, PLAY_MS);
}

static void there_and_back(const struct again *how)
{
	char what[96];
	struct again back = *how;
	const unsigned least_ms = 4 * PLAY_MS - 3 * SLACK_MS;

	(void)snprintf(what, sizeof what,
		       "%jd s, silent %u ms, skip %zu, cc %u, tables %u %u, %d",
		       (intmax_t)how->clock / 90000, how->silent_ms, how->skip,
		       how->first_cc, how->pmt_shift, how->tables_every,
		       how->same_audio);
	stage_play(&s, a, PLAY_MS);
	play_again(how, 0x40);
	back.clock = -how->clock;
	back.pmt_shift = 0;
	play_again(&back, 0);
	play_again(how, 0x40);
	assert_one_clock(how->silent_ms, what);
	cr_assert_eq(s.judge.pcr_back + s.judge.dts_back, 0, "%s", what);
	cr_assert_eq(s.judge.discontinuities, 0, "%s", what);
	cr_assert_eq(s.judge.cc, 0, "%s: %s", what, s.judge.events[0]);
	/* only packets before tables and before a picture that decoding can
	 * begin with are dropped */
	cr_assert_gt(s.judge.units,
		     least_ms / 40 + least_ms / (SOURCE_AUDIO_FRAMES * 24),
		     "%s: %ju units", what, (uintmax_t)s.judge.units);
}

static void next_case(void)
{
	stage_again(&s);
	source_again(a, START);
	free(b);
	b = NULL;
}

/*
 * An encoder whose clock differs by `clock` from that of the previous one.
 * Each two of silence, place in the interval of tables and the four flags occur
 * in every combination.
 */
static void come_back(int64_t clock)
{
	static const unsigned silences[] = { 0, 30, 200, 2000 };
	static const size_t skips[] = { 0, 1, 3, 7, 40, 96 };

	for (unsigned i = 0; i < 4 * 6 * 4; i++) {
		unsigned silence = i % 4, skip = i / 4 % 6;
		unsigned flags = i / 24 << 2 | (silence + skip) % 4;

		next_case();
		there_and_back(&(struct again){
			.clock = clock,
			.silent_ms = silences[silence],
			.skip = skips[skip],
			.first_cc = flags & 1 ? 9 : 0,
			.pmt_shift = flags & 2 ? 0x40 : 0,
			.tables_every = flags & 4 ? 400 : 100,
			.same_audio = flags & 8,
		});
	}
}

Test(foreign, an_encoder_that_restarts_with_other_pids_and_a_clock_ahead)
{
	come_back(3000 * 90000);
}

Test(foreign, an_encoder_that_restarts_with_other_pids_and_a_clock_behind)
{
	come_back(-HOUR);
}

Test(foreign, an_encoder_that_restarts_with_other_pids_and_the_same_clock)
{
	come_back(0);
}

Test(foreign, an_encoder_that_restarts_with_other_pids_5_s_later)
{
	come_back(5 * 90000);
}

/* head: the bytes of a PES in its first packet. */
static void restart_split(size_t head, size_t skip)
{
	char what[48];

	next_case();
	a->head = head;
	stage_play(&s, a, PLAY_MS);
	play_again(&(struct again){
			   .clock = 5 * 90000,
			   .silent_ms = 30,
			   .skip = skip,
			   .pmt_shift = 0x40,
			   .tables_every = 400,
		   }, 0x40);
	(void)snprintf(what, sizeof what, "%zu bytes, skip %zu", head, skip);
	assert_one_clock(30, what);
	cr_assert_eq(s.judge.pcr_back + s.judge.dts_back, 0, "%s", what);
}

Test(foreign, an_encoder_whose_headers_are_split_restarts_with_other_pids)
{
	for (size_t skip = 0; skip < 100; skip += ROUNDS_DIVISOR) {
		restart_split(1, skip);  /* no stream_id ... */
		restart_split(5, skip);  /* ... and no flags */
		restart_split(7, skip);
		restart_split(8, skip);  /* the flags and no time */
		restart_split(16, skip); /* the PTS alone */
	}
}

/* --- packets of the same source continue unchanged, late perhaps --- */

static struct buf came;

/* In ticks of 10 ms; edit may change the input. */
static void play_edited(unsigned ms, void (*edit)(uint8_t *, size_t))
{
	for (unsigned i = 0; i < ms / 10; i++) {
		struct ts_run run = source_make(a, 10);

		if (edit != NULL)
			edit(a->data, run.n);
		buf_append(&came, run.data, run.n * TS_PACKET);
		stage_wait(&s, 10);
		splice_turn(s.splice, s.now_ns);
		splice_feed(s.splice, &run, 1, s.now_ns);
		cr_assert_geq(s.n + SPLICE_DOUBT_MS * TS_PACKET, buf_len(&came),
			      "kept back for too long");
	}
}

static void assert_as_it_came(void)
{
	cr_assert_eq(counted().cuts, 0);
	cr_assert_gt(s.n, 0);
	cr_assert_leq(buf_len(&came) - s.n, 40 * TS_PACKET);
	cr_assert_eq(memcmp(s.data, buf_head(&came), s.n), 0);
	buf_done(&came);
}

/* PAT or PMT: other content each time, behind a loss. */
static void change_table(uint8_t *data, size_t n, uint16_t pid)
{
	static unsigned times;

	for (size_t i = 0; i < n; i++) {
		uint8_t *p = data + i * TS_PACKET;
		size_t len = 3 + (size_t)((p[6] & 0x0f) << 8 | p[7]);
		uint32_t crc;

		if (ts_pid(p) != pid)
			continue;
		times++;
		ts_set_cc(p, (times * 3) & 15);
		p[10] = (uint8_t)(0xc1 | (times & 31) << 1);
		crc = crc32_mpeg(p + 5, len - 4);
		for (size_t k = 0; k < 4; k++)
			p[5 + len - 4 + k] = (uint8_t)(crc >> (24 - 8 * k));
	}
}

static void change_pmt(uint8_t *data, size_t n)
{
	change_table(data, n, SOURCE_PMT);
}

static void change_pat(uint8_t *data, size_t n)
{
	change_table(data, n, TS_PID_PAT);
}

Test(foreign, a_source_whose_pmt_changes_during_a_loss_is_the_same)
{
	a->tables_every = 31;
	play_edited(4000, change_pmt);
	assert_as_it_came();
}

Test(foreign, a_source_whose_pat_changes_during_a_loss_is_the_same)
{
	a->tables_every = 31;
	play_edited(4000, change_pat);
	assert_as_it_came();
}

/* In the place of null packets: a PCR of another clock. */
static void put_ghost(uint8_t *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t *p = data + i * TS_PACKET;

		if (ts_pid(p) != TS_PID_NULL)
			continue;
		ts_set_pid(p, GHOST);
		p[3] = 0x20;
		p[4] = 183;
		p[5] = 0x10;
		ts_set_pcr(p, (source_clock(a) + HOUR) * 300);
	}
}

Test(foreign, packets_that_no_table_names_pass_beside_the_program)
{
	play_edited(1000, NULL);
	play_edited(SPLICE_DOUBT_MS, put_ghost);
	/* it was read by now */
	for (int i = 0; i < 100; i++) {
		play_edited(10, put_ghost);
		cr_assert_eq(s.n, buf_len(&came));
	}
	assert_as_it_came();
	stage_assert_flawless(&s);
}

/* In the place of null packets: PCRs of the same clock, as those of another
 * program whose tables are late. */
static void put_twin(uint8_t *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t *p = data + i * TS_PACKET;
		uint64_t ticks = (n - i) * (90000 / SOURCE_RATE);

		if (ts_pid(p) != TS_PID_NULL)
			continue;
		ts_set_pid(p, GHOST);
		p[3] = 0x20;
		p[4] = 183;
		p[5] = 0x10;
		ts_set_pcr(p, (source_clock(a) - ticks) * 300);
	}
}

Test(foreign, a_loss_beside_another_program_of_the_same_clock_is_counted)
{
	enum { PLACES = 40, STEP = 30 };
	unsigned hidden = 0;

	/* at any place of a picture, so long behind the first PCR; 0: before */
	for (unsigned i = 0; i < PLACES * SPLICE_DOUBT_MS / STEP; i++) {
		unsigned place = i % PLACES, ms = i / PLACES * STEP;

		next_case();
		source_skip(a, place);
		play_edited(600, NULL);
		play_edited(ms, put_twin);
		cr_assert_eq(s.judge.cc, 0, "%u, %u ms", place, ms);
		/* a picture, and more */
		source_skip(a, 40);
		play_edited(200, put_twin);
		cr_expect(ms == 0 || s.judge.cc > 0, "%u, %u ms", place, ms);
		cr_expect_eq(counted().cuts > 0, s.judge.cc == 0,
			     "%u, %u ms", place, ms);
		hidden += s.judge.cc == 0;
		buf_done(&came);
	}
	/* where the tables, and no pictures, come in front of the first PCR,
	 * the packets are those of a restart */
	cr_expect_leq(hidden, 3u, "%u", hidden);
}

/* In the place of null packets: sections. */
static void put_section(uint8_t *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t *p = data + i * TS_PACKET;

		if (ts_pid(p) != TS_PID_NULL)
			continue;
		ts_set_pid(p, GHOST);
		p[1] |= 0x40;
		p[3] = 0x10;
		p[4] = 0;
		p[5] = 0x80;
	}
}

Test(foreign, unlisted_tables_are_not_delayed)
{
	play_edited(1000, NULL);
	for (int i = 0; i < 100; i++) {
		play_edited(10, put_section);
		cr_assert_eq(s.n, buf_len(&came));
	}
	assert_as_it_came();
}

/* Before the PMT lists it. */
Test(foreign, sound_that_is_added_loses_nothing)
{
	a->no_audio = true;
	source_skip(a, 3);
	play_edited(1000, NULL);
	a->no_audio = false;
	a->sounds = a->pictures * SOURCE_FRAME / (SOURCE_AUDIO_FRAMES * 2160);
	play_edited(1000, NULL);
	assert_as_it_came();
	cr_assert_eq(s.judge.cc + s.judge.pcr_back + s.judge.dts_back, 0);
}

/* Plays a, with the PMT of b in the place of its own. */
static void play_tables_of_b(unsigned ms)
{
	for (unsigned i = 0; i < ms / 10; i++) {
		struct ts_run run = source_make(a, 10);

		(void)source_make(b, 10);
		for (size_t k = 0; k < run.n; k++) {
			uint8_t *p = a->data + k * TS_PACKET;

			if (ts_pid(p) == SOURCE_PMT)
				memcpy(p, b->data + k * TS_PACKET, TS_PACKET);
		}
		buf_append(&came, run.data, run.n * TS_PACKET);
		stage_wait(&s, 10);
		splice_turn(s.splice, s.now_ns);
		splice_feed(s.splice, &run, 1, s.now_ns);
	}
}

/* The PIDs of video and sound move, and back. */
Test(foreign, pids_that_move_behind_their_pmt_lose_nothing)
{
	b = source_new(a->start);
	play_tables_of_b(2000);
	for (int i = 0; i < 4; i++) {
		b->shift ^= 0x40;
		play_tables_of_b(250);
		a->shift = b->shift;
		play_tables_of_b(1530);
	}
	assert_as_it_came();
	cr_assert_eq(s.judge.cc + s.judge.pcr_back + s.judge.dts_back, 0);
}

Test(foreign, without_a_clock_nothing_is_kept_back)
{
	a->no_pcr = true;
	play_edited(1000, NULL);
	for (int i = 0; i < 100; i++) {
		play_edited(10, put_ghost);
		cr_assert_eq(s.n, buf_len(&came));
	}
	assert_as_it_came();
}

/* A PCR of another clock, on a PID of its own. */
static void make_pcr(uint8_t *p, unsigned pid)
{
	memset(p, 0xff, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	ts_set_pid(p, (uint16_t)pid);
	p[1] &= 0x1f;
	p[3] = 0x20;
	p[4] = 183;
	p[5] = 0x10;
	ts_set_pcr(p, (source_clock(a) + HOUR) * 300);
}

/* The next packet of the sound; those in front of it are sent. */
static const uint8_t *next_sound(void)
{
	for (;;) {
		struct ts_run run = source_make(a, 1);

		if (ts_pid(run.data) == SOURCE_AUDIO)
			return run.data;
		stage_wait(&s, 1);
		splice_feed(s.splice, &run, 1, s.now_ns);
	}
}

/* Judging each by reading all that follow would take minutes. */
Test(foreign, thousands_of_unlisted_clocks_take_little_time, .timeout = 300)
{
	enum { CLOCKS = 6000, FIRST = 0x200 };
	uint8_t *data = malloc((size_t)CLOCKS * TS_PACKET);
	struct ts_run many = { .data = data, .n = CLOCKS }, sound;
	clock_t begin;

	stage_play(&s, a, PLAY_MS);
	sound = (struct ts_run){ .data = next_sound(), .n = 1 };
	for (unsigned i = 0; i < CLOCKS; i++)
		make_pcr(data + (size_t)i * TS_PACKET, FIRST + i);
	begin = clock();
	splice_feed(s.splice, &many, 1, s.now_ns);
	splice_feed(s.splice, &sound, 1, s.now_ns);
	stage_wait(&s, 2 * SPLICE_DOUBT_MS);
	splice_turn(s.splice, s.now_ns);
	cr_assert_lt(clock() - begin, CLOCKS_PER_SEC, "%.1f s",
		     (double)(clock() - begin) / CLOCKS_PER_SEC);
	cr_assert_eq(counted().cuts, 0);
	free(data);
}
