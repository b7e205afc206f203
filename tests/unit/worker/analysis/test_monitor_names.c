/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The alarms of PIDs that the tables drop and name again, as at a switch
 * between two inputs. */
#include "tests/unit/worker/analysis/bench.h"

#include "worker/ts/section.h"

enum {
	OTHER = 0x20, /* distance to the PIDs of the other input */
	CLOCK = 0x130,
	STEPS = 50,   /* of a second */
	EVERY = 5,    /* steps from one PMT to the next */
	STAY_S = 7,   /* longer than each limit */
};

/* An input, for STAY_S seconds; by steps. */
struct visit {
	bool is_other;
	unsigned pmt;   /* its first PMT */
	unsigned audio; /* its first audio */
	unsigned pes;   /* its first start of a PES packet */
	unsigned stray; /* one with packets of the input before; 0: none */
};

static bool move(uint8_t *packet, uint64_t ms)
{
	uint16_t pid = ts_pid(packet);

	(void)ms;
	if (pid == VIDEO || pid == AUDIO)
		ts_set_pid(packet, pid + OTHER);
	return true;
}

static bool drop_starts(uint8_t *packet, uint64_t ms)
{
	(void)ms;
	return !ts_pusi(packet);
}

static bool move_and_drop(uint8_t *packet, uint64_t ms)
{
	return move(packet, ms) && drop_starts(packet, ms);
}

static bool move_pcr(uint8_t *packet, uint64_t ms)
{
	(void)ms;
	if (ts_adaptation_flags(packet) & 0x10)
		ts_set_pid(packet, CLOCK);
	return true;
}

/* A PAT, and the PMT of program 1 with its PCRs on that PID; off: added to the
 * other PIDs. */
static void put_tables(struct bench *b, uint16_t pcr_pid, uint16_t off)
{
	const struct build_entry entry = { 1, PMT + off };
	const struct build_es streams[] = {
		{ .type = 0x1b, .pid = VIDEO + off },
		{ .type = 0x03, .pid = AUDIO + off },
	};
	uint8_t section[SECTION_PSI_MAX];

	build_section(b->build, TS_PID_PAT, section,
		      build_pat(section, off > 0, &entry, 1));
	build_section(b->build, PMT + off, section,
		      build_pmt(section, (struct build_entry){ 1, pcr_pid }, 0,
				streams, 2));
	feed(b, NULL);
}

static void end_step(struct bench *b, unsigned i)
{
	if (i % STEPS == STEPS - 1)
		(void)monitor_second(b->monitor, &b->counts, START + b->ms * MS,
				     b->ms);
}

static void stay(struct bench *b, struct visit v)
{
	damage_fn *const damage[2][2] = { { NULL, move },
					  { drop_starts, move_and_drop } };
	uint16_t off = v.is_other ? OTHER : 0;

	for (unsigned i = 0; i < STAY_S * STEPS; i++) {
		bool is_stray = v.stray > 0 && i == v.stray;

		if (i >= v.pmt && i % EVERY == 0)
			put_tables(b, VIDEO + off, off);
		b->no_audio = i < v.audio;
		step(b, damage[i < v.pes][v.is_other != is_stray]);
		end_step(b, i);
	}
}

/* Visits of both inputs in turn. */
static void alternate(struct bench *b, unsigned times, struct visit v)
{
	setup(b);
	b->no_tables = true;
	for (unsigned i = 0; i < times; i++) {
		v.is_other = i % 2 == 1;
		stay(b, v);
	}
}

Test(monitor_names, a_clock_that_continues_at_a_switch_is_no_fault)
{
	static const struct visit cases[] = {
		{ .pmt = 0 },
		/* packets in front of their PMT, and behind the next one */
		{ .pmt = EVERY },
		{ .pmt = EVERY, .stray = 2 * EVERY },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench b;

		alternate(&b, 6, cases[i]);
		cr_expect_eq(count(&b, ALARM_PCR_REPETITION), 0, "%zu", i);
		cr_expect_eq(count(&b, ALARM_PCR_DISCONTINUITY), 0, "%zu", i);
		cr_expect_eq(count(&b, ALARM_PTS), 0, "%zu", i);
		/* while the tables name its PID, a jump is one */
		b.pcr += 27000000;
		run(&b, 1, move);
		cr_expect_eq(count(&b, ALARM_PCR_DISCONTINUITY), 1, "%zu", i);
		done(&b);
	}
}

Test(monitor_names, a_pid_that_returns_awaits_its_first_pts)
{
	struct bench b;

	alternate(&b, 4, (struct visit){ .pes = 3 * STEPS / 2 });
	cr_expect_eq(count(&b, ALARM_PTS), 0);
	cr_expect_eq(count(&b, ALARM_PTS_FROZEN), 0);
	/* the next ones must not be late; the audio has no packets then */
	run(&b, 1, move_and_drop);
	cr_expect_eq(count(&b, ALARM_PTS), 1);
	done(&b);
}

Test(monitor_names, a_program_may_leave_the_pcrs_of_its_video_and_return)
{
	struct bench b;

	setup(&b);
	b.no_tables = true;
	for (unsigned i = 0; i < 12 * STEPS; i++) {
		bool is_apart = i / STEPS % 4 >= 2;

		if (i % EVERY == 0)
			put_tables(&b, is_apart ? CLOCK : VIDEO, 0);
		step(&b, is_apart ? move_pcr : NULL);
		end_step(&b, i);
	}
	cr_expect_eq(count(&b, ALARM_PCR_REPETITION), 0);
	cr_expect_eq(count(&b, ALARM_PCR_DISCONTINUITY), 0);
	/* the PCRs end, and the PMT stays */
	b.no_pcr = true;
	run(&b, 1, NULL);
	cr_expect_eq(count(&b, ALARM_PCR_REPETITION), 1);
	done(&b);
}

Test(monitor_names, a_pid_is_expected_from_the_pmt_that_names_it)
{
	struct bench b;

	alternate(&b, 6, (struct visit){ .audio = 3 * STEPS / 2 });
	cr_expect_eq(count(&b, ALARM_PID), 0);
	cr_expect_eq(count(&b, ALARM_NO_AUDIO), 0);
	cr_expect_eq(count(&b, ALARM_NO_VIDEO), 0);
	/* and for the length of each limit */
	stay(&b, (struct visit){ .audio = STAY_S * STEPS });
	cr_expect_eq(count(&b, ALARM_NO_AUDIO), STAY_S - 2, "%u",
		     (unsigned)count(&b, ALARM_NO_AUDIO));
	cr_expect_eq(count(&b, ALARM_PID), STAY_S - 5, "%u",
		     (unsigned)count(&b, ALARM_PID));
	done(&b);
}
