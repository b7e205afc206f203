/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A clock that jumps in front of any unit, before its first PCR: each PTS and
 * DTS keeps its distance to the PCR, and no packet is lost.
 */
#include "tests/unit/worker/splice/stage.h"

#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/splice/stamps.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { TWIN_PMT = 0x300, TWIN_PCR = 0x301, TWIN_SOUND = 0x302 };
enum { TWIN_STEP = 2160 }; /* 90 kHz, of its sounds */
enum { GOP = 13, JUMP_MS = 500, MOST_MS = 32000, DISCONTINUITY = 0x80 };

/* The unit in front of which the clock jumps. */
enum unit { KEY, P, FIRST_B, SECOND_B, AUDIO, UNITS };

static const char *const names[UNITS] = { "key", "P", "first B", "second B",
					  "audio" };

static struct stage s;
static struct source *a;
static struct stamps_move by; /* of the times that are fed */
static bool announce;         /* with the next PCR */
static bool twin; /* another program has a clock that does not jump */
static bool twin_sounds; /* it has sounds */
static bool twin_jumps;  /* with the first program */
static uint8_t twin_cc, twin_sound_cc;
static uint64_t twin_due; /* 90 kHz: the next of its sounds */
static unsigned twin_lead_ms; /* from its clock to the PTS of its sounds */
static uint8_t *fed;          /* all packets, before their times are moved */
static size_t n_fed;

static void setup(void)
{
	stage_init(&s);
	a = source_new(UINT64_C(5000000000));
	a->gop = GOP;
	a->reordered = true;
	by = (struct stamps_move){ 0 };
	twin = twin_sounds = twin_jumps = false;
	twin_cc = twin_sound_cc = 0;
	twin_due = 0;
	twin_lead_ms = 300;
	fed = malloc((size_t)MOST_MS * TS_PACKET);
	cr_assert_not_null(fed);
	n_fed = 0;
}

static void teardown(void)
{
	stage_done(&s);
	free(a);
	free(fed);
}

TestSuite(jump_units, .init = setup, .fini = teardown);

static bool begins(const uint8_t *p, enum unit unit)
{
	unsigned picture = (a->pictures + GOP - 1) % GOP;
	enum unit is = picture == 0 ? KEY : P + (picture + 2) % 3;

	if (!ts_pusi(p))
		return false;
	if (unit == AUDIO)
		return ts_pid(p) == SOURCE_AUDIO;
	return ts_pid(p) == SOURCE_VIDEO && is == unit;
}

static void put_table(uint8_t *p, uint16_t pid, const uint8_t *section,
		      size_t len, uint8_t *cc)
{
	cr_assert_eq(section_pack(section, len, pid, cc, p), 1);
}

/* A packet with a PES of the other program. */
static void put_twin_sound(uint8_t *p)
{
	static const uint8_t head[] = { 0, 0, 1, 0xc0, 0, 178, 0x80, 0x80, 5,
					0x21, 0, 1, 0, 1 };

	p[1] = 0x40;
	ts_set_pid(p, TWIN_SOUND);
	p[3] = 0x10;
	ts_set_cc(p, twin_sound_cc++ & 0x0f);
	memset(p + 4, 0xff, TS_PACKET - 4);
	memcpy(p + 4, head, sizeof head);
	pes_set_time(p + 4 + 9,
		     (twin_due + twin_lead_ms * 90) % PES_TIME_WRAP);
	twin_due += TWIN_STEP;
}

static bool twin_sound_is_due(void)
{
	uint64_t now = source_clock(a);

	if (twin_due + 10 * TWIN_STEP < now)
		twin_due = now;
	return twin_sounds && twin_due <= now;
}

/* Adds another program to the PAT, and in the place of null packets its PMT,
 * its PCRs and its sounds.  True: the packet is one of its own. */
static bool put_twin(uint8_t *p)
{
	const struct build_entry programs[] = { { 1, SOURCE_PMT },
						{ 2, TWIN_PMT } };
	const struct build_entry pmt = { 2, TWIN_PCR };
	const struct build_es es = { .type = 0x03, .pid = TWIN_SOUND,
				     .desc = "" };
	uint8_t section[1024], cc = (ts_cc(p) + 15U) & 0x0f;
	size_t len;

	if (ts_pid(p) == TS_PID_PAT) {
		len = build_pat(section, 0, programs, 2);
		put_table(p, TS_PID_PAT, section, len, &cc);
	}
	if (ts_pid(p) != TS_PID_NULL)
		return false;
	if (a->packets % 4 == 0) {
		len = build_pmt(section, pmt, 0, &es, 1);
		put_table(p, TWIN_PMT, section, len, &twin_cc);
		return true;
	}
	if (twin_sound_is_due()) {
		put_twin_sound(p);
		return true;
	}
	ts_set_pid(p, TWIN_PCR);
	p[3] = 0x20;
	p[4] = TS_PACKET - 5;
	p[5] = 0x10;
	ts_set_pcr(p, source_clock(a) * 300);
	return true;
}

/* Feeds the packet that was made last. */
static void feed(void)
{
	const bool own = !twin || !put_twin(a->data);
	const struct ts_run run = { .data = a->data, .n = 1 };
	uint64_t pcr;

	cr_assert_lt(n_fed, (size_t)MOST_MS);
	memcpy(fed + n_fed++ * TS_PACKET, a->data, TS_PACKET);
	if (own || twin_jumps)
		stamps_move(a->data, by);
	if (announce && own && ts_pcr(a->data, &pcr)) {
		a->data[5] |= DISCONTINUITY;
		announce = false;
	}
	stage_wait(&s, 1);
	splice_turn(s.splice, s.now_ns);
	splice_feed(s.splice, &run, 1, s.now_ns);
}

static void play(unsigned ms)
{
	for (unsigned i = 0; i < ms; i++) {
		(void)source_make(a, 1);
		feed();
	}
}

/* The clock jumps in front of the next such unit. */
static void jump(enum unit unit, int64_t ms, bool announced)
{
	do {
		(void)source_make(a, 1);
		if (begins(a->data, unit))
			break;
		feed();
	} while (true);
	by.times += (uint64_t)(ms * 90 + 7) + PES_TIME_WRAP;
	by.clock = by.times %= PES_TIME_WRAP;
	announce = announced;
	feed();
	play(JUMP_MS);
}

/* By how much PTS, DTS and PCR of an output packet differ from those that
 * would continue the source, at most; 90 kHz. */
static int64_t offset(const uint8_t *in, const uint8_t *out)
{
	struct pes_times i, o;
	uint64_t pcr, pcr_out;
	int64_t most = 0;

	if (pes_times(in, &i) && pes_times(out, &o)) {
		int64_t pts = wrap_diff(pes_time(out + o.pts),
					pes_time(in + i.pts), PES_TIME_WRAP);
		int64_t dts = wrap_diff(pes_time(out + o.dts),
					pes_time(in + i.dts), PES_TIME_WRAP);

		most = MAX(llabs(pts), llabs(dts));
	}
	if (ts_pcr(in, &pcr) && ts_pcr(out, &pcr_out))
		most = MAX(most, llabs(wrap_diff(pcr_out, pcr, PCR_WRAP)) /
					 300);
	return most;
}

/* The output is the source as it would be without a jump. */
static void judge(enum unit unit)
{
	const struct judge *j = &s.judge;

	cr_assert_eq(s.packets, n_fed, "%s: %zu packets, not %zu",
		     names[unit], (size_t)s.packets, n_fed);
	for (size_t i = 0; i < n_fed; i++) {
		int64_t is = offset(fed + i * TS_PACKET,
				    s.data + i * TS_PACKET);

		cr_assert_leq(is, 90, "%s: %jd ms at packet %zu", names[unit],
			      (intmax_t)is / 90, i);
	}
	cr_assert_eq(j->dts_back + j->pcr_back + j->pcr_jump +
			     j->discontinuities + j->cc,
		     0, "%s: %s", names[unit],
		     j->n_events > 0 ? j->events[0] : "announced");
}

static const int64_t steps_ms[] = { 300, -300, 500, -500, 2000, -3000,
				    13 * 3600000, -13 * 3600000 };

Test(jump_units, each_unit_keeps_its_distance_to_the_pcr)
{
	for (unsigned unit = 0; unit < UNITS; unit++) {
		teardown();
		setup();
		play(1000);
		for (size_t i = 0; i < 2 * ARRAY_LEN(steps_ms); i++)
			jump((enum unit)unit, steps_ms[i / 2], i % 2);
		judge((enum unit)unit);
	}
}

/* Sounds that the source leaves out make a unit wait for its PCR in vain.  The
 * next one that leaves its clock waits nevertheless. */
Test(jump_units, a_unit_that_waited_in_vain_does_not_hide_a_jump)
{
	play(1000);
	for (size_t i = 0; i < 2 * ARRAY_LEN(steps_ms); i++) {
		a->sounds += 2;
		play(300);
		jump(AUDIO, steps_ms[i / 2], i % 2);
	}
	judge(AUDIO);
}

/* Its own PCRs decide, not those of another program that come first. */
Test(jump_units, beside_another_program_each_unit_waits_for_its_own_clock)
{
	twin = true;
	play(1000);
	for (size_t i = 0; i < 2 * ARRAY_LEN(steps_ms); i++)
		jump(AUDIO, steps_ms[i / 2], i % 2);
	judge(AUDIO);
}

Test(jump_units, a_jump_of_one_program_costs_no_unit_of_another)
{
	twin = twin_sounds = true;
	play(1000);
	for (size_t i = 0; i < 2 * ARRAY_LEN(steps_ms); i++)
		jump(AUDIO, steps_ms[i / 2], i % 2);
	judge(AUDIO);
}

/* Units of the other program may be dropped up to its PCR, which waits for a
 * null packet, up to 0.1 s. */
Test(jump_units, programs_that_jump_together_have_no_fault)
{
	const struct judge *j = &s.judge;

	twin = twin_sounds = twin_jumps = true;
	for (unsigned unit = 0; unit < UNITS; unit++) {
		play(1000);
		for (size_t i = 0; i < ARRAY_LEN(steps_ms); i++)
			jump((enum unit)unit, steps_ms[i], false);
	}
	cr_assert_eq(j->dts_back + j->pcr_back + j->discontinuities + j->cc +
			     j->dts_late,
		     0, "%s", j->n_events > 0 ? j->events[0] : "announced");
	cr_assert_gt(s.packets + 200, n_fed, "%zu of %zu packets",
		     (size_t)s.packets, n_fed);
}

/* From packet i of those that were fed on, or backwards: the next one that
 * begins a unit of this PID. */
static size_t find_unit(size_t i, uint16_t pid, int step)
{
	const uint8_t *p = fed + i * TS_PACKET;

	while (ts_pid(p) != pid || !ts_pusi(p))
		p += step * TS_PACKET;
	return (size_t)(p - fed) / TS_PACKET;
}

/* By how much the output moves the unit that begins in packet i, 90 kHz. */
static int64_t shift_of(size_t i)
{
	enum { BEHIND_TIMES = 4 + 2 + 19 };
	const uint8_t *in = fed + i * TS_PACKET, *out = s.data + s.n;
	struct pes_times at;

	do {
		cr_assert_gt(out, s.data, "packet %zu does not go out", i);
		out -= TS_PACKET;
	} while (ts_pid(out) != ts_pid(in) || !ts_pusi(out) ||
		 memcmp(in + BEHIND_TIMES, out + BEHIND_TIMES,
			TS_PACKET - BEHIND_TIMES) != 0);
	cr_assert(pes_times(in, &at));
	return wrap_diff(pes_time(out + at.dts), pes_time(in + at.dts),
			 PES_TIME_WRAP);
}

static void expect_same(int64_t is, int64_t was, const char *what, int64_t ms)
{
	cr_expect_leq(llabs(is - was), 90, "%jd ms: %s is moved by %jd ms",
		      (intmax_t)ms, what, (intmax_t)(is - was) / 90);
}

/* Is the next packet of video or PCR one that begins a picture? */
static bool picture_is_next(void)
{
	const uint64_t n = a->packets;

	return (40 - n % 40) % 40 + 2 < (35 - n % 30) % 30;
}

/* Feeds at once: a sound, the first one of its PID behind lost packets, and the
 * packets that follow, a picture in front of a PCR, whose clock has jumped. */
static void jump_behind_loss(int64_t ms)
{
	enum { LOST = 400, BATCH = 150 };
	uint8_t *data = malloc((size_t)BATCH * TS_PACKET);
	const struct ts_run run = { .data = data, .n = BATCH };
	const size_t sound = n_fed;
	size_t before, picture;
	unsigned lost = 0;

	cr_assert_not_null(data);
	do {
		(void)source_make(a, 1);
		lost++;
	} while (lost < LOST || !begins(a->data, AUDIO) || !picture_is_next());
	for (unsigned i = 0; i < BATCH; i++) {
		if (i == 1)
			by.times = by.clock = (by.times + PES_TIME_WRAP +
					       (uint64_t)(ms * 90)) %
					      PES_TIME_WRAP;
		memcpy(fed + n_fed++ * TS_PACKET, a->data, TS_PACKET);
		stamps_move(a->data, by);
		memcpy(data + i * TS_PACKET, a->data, TS_PACKET);
		if (i + 1 < BATCH)
			(void)source_make(a, 1);
	}
	stage_wait(&s, lost + BATCH);
	splice_feed(s.splice, &run, 1, s.now_ns);
	free(data);
	play(1000);
	before = find_unit(sound - 1, SOURCE_AUDIO, -1);
	picture = find_unit(sound, SOURCE_VIDEO, 1);
	expect_same(shift_of(sound), shift_of(before), "the sound", ms);
	expect_same(shift_of(picture),
		    shift_of(find_unit(picture + 1, SOURCE_VIDEO, 1)),
		    "the picture", ms);
}

Test(jump_units, a_unit_behind_lost_packets_keeps_its_time)
{
	static const int64_t jumps_ms[] = { -2000, -700, 900, 60000, -60000 };

	play(1000);
	for (size_t i = 0; i < ARRAY_LEN(jumps_ms); i++)
		jump_behind_loss(jumps_ms[i]);
	cr_assert_eq(s.judge.dts_back + s.judge.pcr_back + s.judge.dts_late,
		     0, "%s", s.judge.events[0]);
}

/* A switch to a source whose units are less ahead of its clock moved them. */
Test(jump_units, a_unit_behind_lost_packets_keeps_its_lift)
{
	struct source *before = source_new(1000);
	int64_t lift;

	before->lead_ms = 1600;
	a->gop = 4;
	stage_play(&s, before, 1000);
	free(before);
	splice_cut(s.splice, NULL, false, s.now_ns);
	play(3000);
	lift = (int64_t)s.state->clocks[0].lift / 90;
	cr_assert_geq(lift, 700, "%jd ms", (intmax_t)lift);
	jump_behind_loss(-lift - 150);
}

/* Sounds that the other program leaves out make one of its units wait for its
 * PCR in vain. */
Test(jump_units, a_unit_of_another_program_that_waited_hides_no_jump)
{
	twin = true;
	play(1000);
	for (size_t i = 0; i < 2 * ARRAY_LEN(steps_ms); i++) {
		twin_sounds = true;
		play(40);
		twin_lead_ms += 300;
		play(20);
		twin_sounds = false;
		jump(AUDIO, steps_ms[i / 2], i % 2);
	}
	judge(AUDIO);
}

static size_t count_sounds(const uint8_t *p, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++, p += TS_PACKET)
		sum += ts_pid(p) == TWIN_SOUND && ts_pusi(p);
	return sum;
}

/* The source enters again, without PCRs of its main program, whose clock jumps
 * before they come. */
Test(jump_units, a_wrong_phase_of_one_program_costs_no_unit_of_another)
{
	struct switch_point *entry = switch_point_new(NULL);
	const struct ts_run run = { .data = a->data, .n = 1 };
	struct ts_run rest[2];
	size_t n, before_fed, before;

	twin = twin_sounds = true;
	play(600);
	switch_point_want(entry, 5000, s.now_ns);
	do {
		(void)source_make(a, 1);
		(void)put_twin(a->data);
		stage_wait(&s, 1);
		a->no_pcr = a->pictures % GOP <= 1;
	} while (!switch_point_feed(entry, &run, 1, s.now_ns, rest, &n));
	splice_cut(s.splice, entry, false, s.now_ns);
	splice_feed(s.splice, rest, n, s.now_ns);
	switch_point_free(&entry);
	a->no_pcr = true;
	play(150);
	/* up to a PCR with a sound of the other program close behind it */
	while (a->packets % 30 != 5 || twin_due > source_clock(a))
		play(1);
	before_fed = n_fed;
	before = s.n;
	by.times = by.clock = PES_TIME_WRAP - 4 * 90000;
	a->no_pcr = false;
	play(1000);
	cr_assert_eq(s.state->cuts, 2u, "%u cuts", (unsigned)s.state->cuts);
	cr_assert_eq(count_sounds(s.data + before,
				  (s.n - before) / TS_PACKET),
		     count_sounds(fed + before_fed * TS_PACKET,
				  n_fed - before_fed));
}
