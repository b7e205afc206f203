/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source that moves its PIDs in front of its new PMT loses no packet. */
#include "tests/unit/worker/splice/stage.h"

#include "common/base/buf.h"
#include "common/base/crc32.h"
#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
	TICK_MS = 10,
	TICK = SOURCE_RATE / 1000 * TICK_MS, /* packets of a source */
	MOVE = 0x40,         /* of the PIDs */
	SECOND_SHIFT = 0x400, /* of the second program */
	HOUR = 3600 * 90000,
	TICKS_PER_MS = PCR_HZ / 1000,
};

static struct stage s;
static struct source *a;      /* sends the packets, ... */
static struct source *tables; /* with the PMT of this one */
static struct source *second; /* another program; NULL: none */
static bool hide_pmt;         /* of a */
static bool for_later;        /* the PMT says that it is not current */
static unsigned lost;         /* packets of the PMT */
static uint64_t fed;
static struct buf came;

static void setup(void)
{
	stage_init(&s);
	a = source_new(UINT64_C(10000) * 90000);
	tables = source_new(a->start);
	second = NULL;
	hide_pmt = for_later = false;
	lost = 0;
	fed = 0;
}

static void teardown(void)
{
	stage_done(&s);
	free(a);
	free(tables);
	free(second);
	buf_done(&came);
}

TestSuite(moved_pids, .init = setup, .fini = teardown);

static struct splice_counters counted(void)
{
	struct splice_counters c;

	splice_counters(s.splice, &c);
	return c;
}

static void put_null(uint8_t *p)
{
	memset(p, 0xff, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	p[1] = 0;
	ts_set_pid(p, TS_PID_NULL);
	p[3] = 0x10;
}

/* The PAT of both programs, with the counter of the packet that it replaces. */
static void put_pat(uint8_t *p)
{
	const struct build_entry programs[] = {
		{ a->program, SOURCE_PMT },
		{ second->program, SOURCE_PMT + SECOND_SHIFT },
	};
	uint8_t section[SECTION_PSI_MAX], cc = ts_cc(p);
	size_t len = build_pat(section, 0, programs, 2);

	cc = (uint8_t)((cc - 1) & 0x0f);
	(void)section_pack(section, len, TS_PID_PAT, &cc, p);
}

/* Clears current_next_indicator. */
static void announce(uint8_t *p)
{
	uint8_t *section = p + 5;
	size_t len = (size_t)((section[1] & 0x0f) << 8 | section[2]) - 1;
	uint32_t crc;

	section[5] &= 0xfe;
	crc = crc32_mpeg(section, len);
	for (int i = 0; i < 4; i++)
		section[len + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
}

/* The packets of a tick, one source after the other. */
static size_t make_tick(uint8_t *to, bool hide_pcr)
{
	struct ts_run run = source_make(a, TICK);
	size_t n = run.n;
	uint64_t pcr;

	(void)source_make(tables, TICK);
	memcpy(to, run.data, n * TS_PACKET);
	for (size_t i = 0; i < n; i++) {
		uint8_t *p = to + i * TS_PACKET;

		if (hide_pmt && ts_pid(p) == SOURCE_PMT)
			put_null(p);
		else if (ts_pid(p) == SOURCE_PMT)
			memcpy(p, tables->data + i * TS_PACKET, TS_PACKET);
		else if (hide_pcr && ts_pcr(p, &pcr))
			put_null(p);
		else if (second != NULL && ts_pid(p) == TS_PID_PAT)
			put_pat(p);
	}
	for (size_t i = 0; i < n; i++) {
		uint8_t *p = to + i * TS_PACKET;

		if (ts_pid(p) != SOURCE_PMT)
			continue;
		p[3] = (uint8_t)((p[3] & 0xf0) | ((ts_cc(p) + lost) & 0x0f));
		if (for_later)
			announce(p);
	}
	if (second == NULL)
		return n;
	run = source_make(second, TICK);
	memcpy(to + n * TS_PACKET, run.data, run.n * TS_PACKET);
	for (size_t i = n; i < n + run.n; i++)
		if (ts_pid(to + i * TS_PACKET) == TS_PID_PAT)
			put_null(to + i * TS_PACKET);
	return n + run.n;
}

static void play(unsigned ms, bool hide_pcr)
{
	uint8_t tick[2 * TICK * TS_PACKET];

	for (unsigned i = 0; i < ms / TICK_MS; i++) {
		struct ts_run run = { .data = tick,
				      .n = make_tick(tick, hide_pcr) };

		buf_append(&came, tick, run.n * TS_PACKET);
		fed += run.n;
		stage_wait(&s, TICK_MS);
		splice_turn(s.splice, s.now_ns);
		splice_feed(s.splice, &run, 1, s.now_ns);
	}
}

/* The PIDs move at once, their PMT so much later, and back. */
static void move(unsigned late_ms, bool hide_pcr)
{
	for (int i = 0; i < 2; i++) {
		a->shift ^= MOVE;
		play(MIN(late_ms, 150U), hide_pcr);
		play(late_ms - MIN(late_ms, 150U), false);
		tables->shift = a->shift;
		play(2500 - late_ms, false);
	}
}

static const unsigned lates_ms[] = { 20, 90, 150, 300, 500, 890 };

/* The DTS of a unit is behind the clock, by less than two seconds. */
static void assert_timely(const uint8_t *p, uint64_t pcr, size_t n)
{
	struct pes_times at;
	int64_t lead;

	if (!pes_times(p, &at))
		return;
	lead = wrap_diff(pes_time(p + at.dts), pcr / 300, PES_TIME_WRAP);
	cr_assert(lead > 0 && lead < 2 * 90000, "packet %zu, PID %u: %+jd ms",
		  n, ts_pid(p), (intmax_t)lead / 90);
}

/* Of all PIDs but those of the second program. */
static void assert_one_clock(unsigned most_ms)
{
	const int64_t most = most_ms * (int64_t)TICKS_PER_MS;
	uint64_t pcr, last = 0;
	size_t n = 0;

	for (size_t at = 0; at < s.n; at += TS_PACKET) {
		const uint8_t *p = s.data + at;
		int64_t step;

		if (ts_pid(p) >= SECOND_SHIFT)
			continue;
		if (n > 0)
			assert_timely(p, last, at / TS_PACKET);
		if (!ts_pcr(p, &pcr))
			continue;
		step = wrap_diff(pcr, last, PCR_WRAP);
		cr_assert(n++ == 0 || (step > 0 && step <= most),
			  "packet %zu, PID %u: PCR %+jd ms", at / TS_PACKET,
			  ts_pid(p), (intmax_t)step / TICKS_PER_MS);
		last = pcr;
	}
	cr_assert_gt(n, 0);
}

static void assert_whole(uint64_t dropped, unsigned most_ms)
{
	const struct judge *j = &s.judge;

	cr_assert_eq(counted().dropped, dropped, "%ju packets were dropped",
		     (uintmax_t)(counted().dropped - dropped));
	cr_assert_leq(fed - s.packets, TICK);
	cr_assert_eq(j->cc + j->pcr_back + j->dts_back + j->discontinuities, 0,
		     "%s", j->n_events > 0 ? j->events[0] : "");
	assert_one_clock(most_ms);
}

Test(moved_pids, a_relay_sends_them_as_they_came)
{
	play(2000, false);
	for (size_t i = 0; i < ARRAY_LEN(lates_ms); i++)
		move(lates_ms[i], false);
	cr_assert_eq(counted().cuts, 0);
	assert_whole(0, 100);
	cr_assert_eq(memcmp(s.data, buf_head(&came), s.n), 0);
}

Test(moved_pids, a_relay_needs_no_pcr_beside_them)
{
	play(2000, false);
	for (size_t i = 0; i < ARRAY_LEN(lates_ms); i++)
		move(lates_ms[i], true);
	cr_assert_eq(counted().cuts, 0);
	assert_whole(0, 250);
	cr_assert_eq(memcmp(s.data, buf_head(&came), s.n), 0);
}

/* PIDs whose PMT is announced and not yet in force. */
Test(moved_pids, a_table_for_later_is_no_other_source)
{
	play(2000, false);
	a->shift ^= MOVE;
	tables->shift = a->shift;
	for_later = true;
	lost = 1;
	play(150, true);
	for_later = false;
	play(2000, false);
	cr_assert_eq(counted().cuts, 0);
	cr_assert_eq(counted().dropped, 0);
}

/* The PCRs stay where they were: the sound moves alone. */
Test(moved_pids, a_relay_whose_pcrs_stay_sends_them_as_they_came)
{
	play(2000, false);
	for (size_t i = 0; i < ARRAY_LEN(lates_ms); i++) {
		a->same_audio ^= true;
		move(lates_ms[i], false);
		tables->same_audio = a->same_audio;
	}
	cr_assert_eq(counted().cuts, 0);
	assert_whole(0, 100);
}

/* While its PMT is late, and beside a PID with PCRs that no table names. */
Test(moved_pids, a_loss_behind_the_move_stays_visible)
{
	a->same_audio = true;
	play(2000, false);
	a->shift ^= MOVE;
	play(2 * SPLICE_DOUBT_MS, false);
	cr_assert_eq(s.judge.cc, 0);
	for (uint64_t i = 1; i <= 5; i++) {
		/* packets of both, and less than sixteen of each */
		source_skip(a, 20);
		source_skip(tables, 20);
		play(2 * SPLICE_DOUBT_MS, false);
		cr_assert_geq(s.judge.cc, i);
	}
	cr_assert_eq(counted().cuts, 0);
}

/* In the time in which a gap may be that of an encoder that was restarted. */
Test(moved_pids, a_loss_beside_the_move_is_counted)
{
	for (unsigned ms = 40; ms < SPLICE_DOUBT_MS; ms += 10) {
		teardown();
		setup();
		a->same_audio = true;
		play(2000, false);
		a->shift ^= MOVE;
		play(ms, false);
		cr_assert_eq(s.judge.cc, 0, "%u ms", ms);
		/* a picture, and more */
		source_skip(a, 40);
		source_skip(tables, 40);
		play(2 * SPLICE_DOUBT_MS, false);
		cr_expect_geq(s.judge.cc, 1u, "%u ms", ms);
		cr_expect_eq(counted().cuts, 0, "%u ms", ms);
	}
}

/* The times of a program are moved since its clock jumped. */
static void jump(struct source **p)
{
	struct source *was = *p;

	*p = source_new((source_clock(was) + HOUR) % PES_TIME_WRAP);
	(*p)->shift = was->shift;
	(*p)->pmt_shift = was->pmt_shift;
	(*p)->program = was->program;
	free(was);
	play(3000, false);
}

Test(moved_pids, behind_a_jump_they_keep_the_offset_of_the_program)
{
	uint64_t dropped;

	play(2000, false);
	jump(&a);
	cr_assert_gt(counted().cuts, 0);
	dropped = counted().dropped;
	fed = s.packets;
	judge_done(&s.judge);
	judge_init(&s.judge);
	s.n = 0;
	for (size_t i = 0; i < ARRAY_LEN(lates_ms); i++)
		move(lates_ms[i], false);
	assert_whole(dropped, 100);
}

static void add_second(void)
{
	second = source_new(a->start + 5 * HOUR);
	second->program = 2;
	second->shift = second->pmt_shift = SECOND_SHIFT;
	source_skip(second, 50);
}

Test(moved_pids, a_relay_of_a_multiplex_sends_them_as_they_came)
{
	add_second();
	play(2000, false);
	/* packets of the second program arrived before its PMT */
	cr_assert_eq(counted().cuts, 0);
	for (size_t i = 0; i < ARRAY_LEN(lates_ms); i++)
		move(lates_ms[i], false);
	cr_assert_eq(counted().cuts, 0);
	assert_whole(0, 100);
	cr_assert_eq(memcmp(s.data, buf_head(&came), s.n), 0);
}

/* The first clock of the splice is that of the second program. */
Test(moved_pids, in_a_multiplex_each_has_the_offset_of_its_program)
{
	uint64_t dropped;

	add_second();
	hide_pmt = true;
	play(300, true);
	hide_pmt = false;
	play(2000, false);
	jump(&second);
	dropped = counted().dropped;
	fed = s.packets;
	judge_done(&s.judge);
	judge_init(&s.judge);
	s.n = 0;
	for (size_t i = 0; i < ARRAY_LEN(lates_ms); i++)
		move(lates_ms[i], false);
	assert_whole(dropped, 100);
}

/* --- another source, as behind a socket that was bound again --- */

/* No PES and no PCR of the other PIDs goes out before tables list them. */
static void assert_no_leak(size_t from)
{
	bool listed = false;
	struct pes_times at;
	uint64_t pcr;

	for (; from < s.n; from += TS_PACKET) {
		const uint8_t *p = s.data + from;
		bool moved = ts_pid(p) == SOURCE_VIDEO + MOVE ||
			     ts_pid(p) == SOURCE_AUDIO + MOVE;

		listed |= ts_pid(p) == SOURCE_PMT + MOVE;
		cr_assert(listed || !moved ||
				  !(ts_pcr(p, &pcr) || pes_times(p, &at)),
			  "packet %zu, PID %u", from / TS_PACKET, ts_pid(p));
	}
	cr_assert(listed);
}

static void replace(int64_t clock, unsigned silent_ms, size_t skip)
{
	struct source *b = source_new((uint64_t)(
		(int64_t)source_clock(a) + clock));
	size_t from = s.n;

	b->program = 7;
	b->shift = b->pmt_shift = MOVE;
	b->first_cc = 5;
	source_skip(b, skip);
	stage_wait(&s, silent_ms);
	stage_play(&s, b, 1500);
	assert_no_leak(from);
	free(b);
}

Test(moved_pids, another_source_waits_for_its_tables)
{
	static const int64_t clocks[] = { HOUR, -HOUR, 5 * 90000, -3 * 90000,
					  90000 };
	static const unsigned silences[] = { 0, 30, 200, 3000 };
	static const size_t skips[] = { 0, 2, 40, 97 };

	for (size_t i = 0; i < ARRAY_LEN(clocks) * 16; i++) {
		teardown();
		setup();
		play(2000, false);
		replace(clocks[i / 16], silences[i % 4], skips[i / 4 % 4]);
	}
}
