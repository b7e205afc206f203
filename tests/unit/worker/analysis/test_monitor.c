/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/analysis/bench.h"

#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <string.h>

Test(monitor, a_correct_stream_raises_no_alarm)
{
	struct bench b;

	setup(&b);
	run(&b, 40, NULL);
	only(&b, ALARM_COUNT, ALARM_COUNT);
	cr_assert(!b.changed);
	done(&b);
}

/* One step of three loses one packet of the video. */
static unsigned planted;

static bool drop_one(uint8_t *packet, uint64_t ms)
{
	static uint64_t last_ms;

	if (ms % 60 != 0 || ms == last_ms || ts_pid(packet) != VIDEO ||
	    packet[100] != 0x55)
		return true;
	last_ms = ms;
	planted++;
	return false;
}

Test(monitor, counts_exactly_the_missing_packets)
{
	struct bench b;

	setup(&b);
	run(&b, 1, NULL);
	run(&b, 4, drop_one);
	cr_assert_gt(planted, 60);
	cr_assert_eq(count(&b, ALARM_CC), planted);
	only(&b, ALARM_CC, ALARM_COUNT);
	run(&b, ALARM_CLEAR_S + 1, NULL);
	only(&b, ALARM_COUNT, ALARM_COUNT);
	done(&b);
}

static bool spoil_sync(uint8_t *packet, uint64_t ms)
{
	if (ms % 1000 == 40 && ts_pid(packet) == AUDIO)
		packet[0] = 0x46;
	return true;
}

static bool set_tei(uint8_t *packet, uint64_t ms)
{
	if (ms % 1000 == 40 && ts_pid(packet) == AUDIO)
		packet[1] |= 0x80;
	return true;
}

/* The damage hits the PID as well: another PID, or that of null packets. */
static bool set_tei_in_pid(uint8_t *packet, uint64_t ms)
{
	if (ms % 1000 == 40 && ts_pid(packet) == AUDIO) {
		packet[1] |= 0x80;
		ts_set_pid(packet, ms % 2000 == 40 ? VIDEO : TS_PID_NULL);
	}
	return true;
}

static bool set_tei_in_counter(uint8_t *packet, uint64_t ms)
{
	if (set_tei(packet, ms) && ts_tei(packet))
		packet[3] ^= 0x08;
	return true;
}

/* Beside the damaged packet, the next one of the PID is missing. */
static bool set_tei_and_drop(uint8_t *packet, uint64_t ms)
{
	(void)set_tei_in_pid(packet, ms);
	return ms % 1000 != 60 || ts_pid(packet) != AUDIO;
}

Test(monitor, a_damaged_packet_is_a_loss_and_no_gap)
{
	static const struct {
		damage_fn *damage;
		unsigned cc; /* errors of one fault */
		unsigned losses; /* of all; null packets are none */
	} cases[] = {
		{ set_tei, 0, 4 },
		{ set_tei_in_pid, 0, 2 },
		{ set_tei_in_counter, 0, 4 },
		{ set_tei_and_drop, 1, 6 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bench b;

		setup(&b);
		run(&b, 2, NULL);
		run(&b, 4, cases[i].damage);
		run(&b, 1, NULL);
		cr_expect_eq(count(&b, ALARM_TRANSPORT), 4, "case %zu", i);
		cr_expect_eq(count(&b, ALARM_CC), 4 * cases[i].cc,
			     "case %zu: %u", i,
			     (unsigned)count(&b, ALARM_CC));
		cr_expect_eq(b.losses, cases[i].losses, "case %zu: %u", i,
			     b.losses);
		done(&b);
	}
}

static bool spoil_crc(uint8_t *packet, uint64_t ms)
{
	(void)ms;
	if (ts_pid(packet) == PMT)
		packet[12] ^= 1;
	return true;
}

static bool scramble(uint8_t *packet, uint64_t ms)
{
	(void)ms;
	if (ts_pid(packet) == AUDIO)
		packet[3] |= 0xc0;
	return true;
}

static bool pass_no_pmt(uint8_t *packet, uint64_t ms)
{
	(void)ms;
	return ts_pid(packet) != PMT;
}

static bool pass_no_pat(uint8_t *packet, uint64_t ms)
{
	(void)ms;
	return ts_pid(packet) != TS_PID_PAT;
}

Test(monitor, each_fault_of_the_first_priority_has_its_alarm)
{
	struct bench b;

	setup(&b);
	run(&b, 2, NULL);
	run(&b, 3, spoil_sync);
	cr_assert_eq(count(&b, ALARM_SYNC_BYTE), 3);
	cr_assert(raised(&b, ALARM_SYNC_BYTE));
	run(&b, 6, NULL);
	only(&b, ALARM_COUNT, ALARM_COUNT);
	run(&b, 2, pass_no_pat);
	only(&b, ALARM_PAT, ALARM_COUNT);
	run(&b, 2 * ALARM_CLEAR_S + 1, NULL); /* PAT's counter is a return */
	run(&b, 2, pass_no_pmt);
	only(&b, ALARM_PMT, ALARM_COUNT);
	done(&b);
}

/* The PMT of program 1 on the PID, behind a PAT that names it. */
static void put_tables(struct bench *b, uint8_t version, uint16_t pid)
{
	const struct build_entry entry = { 1, pid };
	static const struct build_es streams[] = {
		{ .type = 0x1b, .pid = VIDEO },
		{ .type = 0x03, .pid = AUDIO },
	};
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_pat(section, version, &entry, 1);

	build_section(b->build, TS_PID_PAT, section, len);
	len = build_pmt(section, (struct build_entry){ 1, VIDEO }, 0, streams,
			2);
	build_section(b->build, pid, section, len);
}

Test(monitor, a_pmt_may_return_to_a_pid_that_it_had_before)
{
	struct bench b;

	setup(&b);
	b.no_tables = true;
	for (unsigned move = 0; move < 4; move++) {
		for (unsigned i = 0; i < 150; i++) {
			if (i % 5 == 0)
				put_tables(&b, (uint8_t)move,
					   move % 2 == 0 ? PMT : PMT + 0x50);
			step(&b, NULL);
			if (i % 50 == 49)
				monitor_second(b.monitor, &b.counts,
					       START + b.ms * MS, b.ms);
		}
	}
	cr_expect_eq(count(&b, ALARM_PMT), 0);
	done(&b);
}

Test(monitor, reports_a_referenced_pid_without_packets)
{
	struct bench b;

	setup(&b);
	run(&b, 2, NULL);
	b.no_audio = true;
	run(&b, 3, NULL);
	only(&b, ALARM_NO_AUDIO, ALARM_COUNT);
	run(&b, 4, NULL);
	only(&b, ALARM_NO_AUDIO, ALARM_PID);
	done(&b);
}

Test(monitor, a_program_may_never_have_a_pmt)
{
	struct bench b;

	setup(&b);
	run(&b, 3, pass_no_pmt);
	only(&b, ALARM_PMT, ALARM_COUNT);
	done(&b);
}

Test(monitor, each_fault_of_the_second_priority_has_its_alarm)
{
	struct bench b;

	setup(&b);
	run(&b, 2, NULL);
	run(&b, 2, set_tei);
	cr_assert_eq(count(&b, ALARM_TRANSPORT), 2);
	run(&b, 6, NULL);
	run(&b, 1, spoil_crc);
	cr_assert_eq(count(&b, ALARM_CRC), 10);
	cr_assert(raised(&b, ALARM_CRC));
	run(&b, 8, NULL);
	only(&b, ALARM_COUNT, ALARM_COUNT);
	run(&b, 1, scramble);
	/* the source of the loss is unknown */
	only(&b, ALARM_SCRAMBLED, ALARM_CAT);
	done(&b);
}

Test(monitor, reports_pcrs_that_are_missing_jump_or_freeze)
{
	struct bench b;

	setup(&b);
	run(&b, 2, NULL);
	b.no_pcr = true;
	run(&b, 1, NULL);
	only(&b, ALARM_PCR_REPETITION, ALARM_COUNT);
	b.no_pcr = false;
	b.pcr += 27000000; /* it continued meanwhile */
	run(&b, 8, NULL);
	cr_assert_eq(count(&b, ALARM_PCR_DISCONTINUITY), 1);
	b.pcr += 27000000;
	run(&b, 1, NULL);
	cr_assert_eq(count(&b, ALARM_PCR_DISCONTINUITY), 2);
	run(&b, 2 * ALARM_CLEAR_S + 1, NULL);
	b.frozen_pcr = true;
	run(&b, 1, NULL);
	/* a value that repeats is no new PCR */
	only(&b, ALARM_PCR_FROZEN, ALARM_PCR_REPETITION);
	done(&b);
}

Test(monitor, the_clock_of_a_program_is_frozen_after_a_whole_second)
{
	struct bench b;

	setup(&b);
	run(&b, 2, NULL);
	cr_assert(!monitor_is_frozen(b.monitor, 0));
	b.frozen_pcr = true;
	run(&b, 1, NULL);
	/* its first PCR was new */
	cr_assert(!monitor_is_frozen(b.monitor, 0));
	run(&b, 1, NULL);
	cr_assert(monitor_is_frozen(b.monitor, 0));
	cr_assert(monitor_is_frozen(b.monitor, 1));
	cr_assert(!monitor_is_frozen(b.monitor, 2));
	b.no_pcr = true;
	run(&b, 1, NULL);
	cr_assert(!monitor_is_frozen(b.monitor, 0));
	b.no_pcr = b.frozen_pcr = false;
	run(&b, 1, NULL);
	cr_assert(!monitor_is_frozen(b.monitor, 0));
	done(&b);
}

Test(monitor, a_pcr_may_wrap)
{
	struct bench b;

	setup(&b);
	b.pcr = PCR_WRAP - 27000000;
	run(&b, 3, NULL);
	only(&b, ALARM_COUNT, ALARM_COUNT);
	done(&b);
}

Test(monitor, reports_a_frozen_pts)
{
	struct bench b;

	setup(&b);
	run(&b, 2, NULL);
	b.frozen_pts = true;
	run(&b, 4, NULL);
	only(&b, ALARM_PTS_FROZEN, ALARM_COUNT);
	done(&b);
}

Test(monitor, reads_the_pts_of_headers_that_several_packets_have)
{
	for (size_t split = 1; split < PES_HEADER + 5; split++) {
		struct bench b;

		setup(&b);
		b.split = split;
		run(&b, 4, NULL);
		only(&b, ALARM_COUNT, ALARM_COUNT);
		/* the headers of other units are whole */
		b.whole_every_ms = 1000;
		run(&b, 4, NULL);
		only(&b, ALARM_COUNT, ALARM_COUNT);
		b.whole_every_ms = 0;
		b.frozen_pts = true;
		run(&b, 4, NULL);
		only(&b, ALARM_PTS_FROZEN, ALARM_COUNT);
		done(&b);
	}
}

static bool rename_audio(uint8_t *packet, uint64_t ms)
{
	(void)ms;
	if (ts_pid(packet) == AUDIO)
		ts_set_pid(packet, FREE);
	return true;
}

Test(monitor, reports_an_unreferenced_pid)
{
	struct bench b;

	setup(&b);
	run(&b, 1, NULL);
	run(&b, 2, rename_audio);
	cr_assert(raised(&b, ALARM_UNREFERENCED_PID));
	done(&b);
}

/* The PCRs of 400 ms. */
static bool set_tei_in_pcrs(uint8_t *packet, uint64_t ms)
{
	if (ms % 1000 >= 500 && ms % 1000 < 900 &&
	    (ts_adaptation_flags(packet) & 0x10) != 0)
		packet[1] |= 0x80;
	return true;
}

Test(monitor, damaged_pcrs_are_no_missing_ones)
{
	struct bench b;

	setup(&b);
	run(&b, 3, set_tei_in_pcrs);
	only(&b, ALARM_TRANSPORT, ALARM_COUNT);
	done(&b);
}

Test(monitor, a_silent_input_raises_one_alarm)
{
	struct bench b;

	setup(&b);
	run(&b, 2, NULL);
	for (int s = 0; s < 20; s++) {
		b.ms += 1000;
		(void)monitor_second(b.monitor, &b.counts,
				     START + b.ms * MS, b.ms);
	}
	only(&b, ALARM_SYNC_LOSS, ALARM_COUNT);
	done(&b);
}

Test(monitor, reports_where_packets_were_lost)
{
	struct bench b;

	setup(&b);
	b.counts = (struct monitor_counts){ .network_lost = 3 };
	run(&b, 1, NULL);
	only(&b, ALARM_NETWORK_LOSS, ALARM_COUNT);
	b.counts = (struct monitor_counts){ .socket_dropped = 2, .senders = 2 };
	run(&b, 6, NULL);
	only(&b, ALARM_SOCKET_LOSS, ALARM_TWO_SENDERS);
	cr_assert_eq(count(&b, ALARM_NETWORK_LOSS), 3);
	done(&b);
}

Test(monitor, an_alarm_does_not_flicker)
{
	struct alarm a = { 0 };

	cr_assert(alarm_second(&a, 4, 100));
	cr_assert(a.raised && a.changed_ms == 100);
	for (int i = 0; i < ALARM_CLEAR_S - 1; i++)
		cr_assert(!alarm_second(&a, 0, 200));
	cr_assert(!alarm_second(&a, 1, 300));
	for (int i = 0; i < ALARM_CLEAR_S - 1; i++)
		cr_assert(!alarm_second(&a, 0, 400));
	cr_assert(alarm_second(&a, 0, 500));
	cr_assert(!a.raised && a.changed_ms == 500 && a.count == 5);
}

/* Seconds without the fault until it is cleared. */
static unsigned seconds_to_clear(struct alarm *a)
{
	unsigned n = 0;

	while (a->raised && n <= ALARM_CLEAR_MAX_S) {
		(void)alarm_second(a, 0, 0);
		n++;
	}
	return n;
}

static void away(struct alarm *a, unsigned seconds)
{
	for (unsigned i = 0; i < seconds; i++)
		(void)alarm_second(a, 0, 0);
}

/* Comes and is cleared so often, with so much time between. */
static void come_and_go(struct alarm *a, unsigned times, unsigned away_s)
{
	for (unsigned i = 0; i < times; i++) {
		cr_assert(alarm_second(a, 1, 0));
		(void)seconds_to_clear(a);
		away(a, away_s);
	}
}

Test(monitor, an_alarm_that_returns_is_cleared_later_each_time)
{
	static const unsigned expected[] = { 5, 10, 20, 40, 60, 60 };
	struct alarm a = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		cr_assert(alarm_second(&a, 1, 0));
		cr_assert_eq(seconds_to_clear(&a), expected[i]);
		away(&a, ALARM_RETURN_S - 1);
	}
}

Test(monitor, an_alarm_that_flickers_for_an_hour_is_raised_once_and_counts)
{
	struct alarm a = { 0 };
	unsigned changes = 0;

	for (unsigned s = 0; s < 3600; s++)
		changes += alarm_second(&a, s % 10 == 0, 0);
	cr_assert(a.raised);
	cr_assert_eq(a.count, 360);
	/* raised, cleared after 5 s, raised for good */
	cr_assert_leq(changes, 5, "%u", changes);
}

Test(monitor, an_alarm_that_returns_after_a_minute_is_cleared_in_time)
{
	struct alarm a = { 0 };

	come_and_go(&a, 5, ALARM_RETURN_S);
	(void)alarm_second(&a, 1, 0);
	cr_assert_eq(seconds_to_clear(&a), ALARM_CLEAR_S);
}

Test(monitor, an_alarm_is_forgiven_after_ten_minutes)
{
	struct alarm a = { 0 };

	come_and_go(&a, 5, 0);
	/* less than that, and it is as it was */
	away(&a, ALARM_FORGIVEN_S - ALARM_CLEAR_MAX_S - 1);
	(void)alarm_second(&a, 1, 0);
	cr_assert_eq(seconds_to_clear(&a), ALARM_CLEAR_MAX_S);
	away(&a, ALARM_FORGIVEN_S - ALARM_CLEAR_MAX_S);
	(void)alarm_second(&a, 1, 0);
	cr_assert_eq(seconds_to_clear(&a), ALARM_CLEAR_S);
}

Test(monitor, an_alarm_does_not_return_after_a_rest)
{
	struct alarm a = { 0 };

	(void)alarm_second(&a, 1, 100);
	alarm_rest(&a, 200);
	cr_assert(!a.raised && a.changed_ms == 200);
	(void)alarm_second(&a, 1, 300);
	cr_assert_eq(seconds_to_clear(&a), ALARM_CLEAR_S);
}

Test(monitor, uses_the_tables_of_another_stage)
{
	struct psi *psi = psi_new();
	struct bench b;

	setup(&b);
	monitor_free(&b.monitor);
	b.monitor = monitor_new(psi, START);
	/* the other stage has seen the tables before the monitor sees them */
	build_tables(b.build);
	for (size_t i = 0; i < b.build->n; i++)
		(void)psi_feed(psi, build_packet(b.build, i));
	b.build->n = 0;
	run(&b, 3, NULL);
	only(&b, ALARM_COUNT, ALARM_COUNT);
	cr_assert_eq(monitor_psi(b.monitor), psi);
	/* a PID that they name has no packets any more */
	b.no_audio = true;
	run(&b, 7, NULL);
	only(&b, ALARM_NO_AUDIO, ALARM_PID);
	done(&b);
	psi_free(&psi);
}

/* A worker of a multiplex reads its source ten times a second. */
Test(monitor, tables_in_time_are_not_late_because_of_the_reads)
{
	struct bench b;

	setup(&b);
	for (uint64_t ms = 0, read_ms = 90; ms < 9000; ms += 10) {
		if (ms % 480 == 0)
			build_tables(b.build);
		add_unit(&b, VIDEO);
		if (ms < read_ms)
			continue;
		b.ms = read_ms;
		feed(&b, NULL);
		read_ms += 90;
		if (ms % 1000 < 90)
			(void)monitor_second(b.monitor, &b.counts,
					     START + b.ms * MS, b.ms);
	}
	cr_expect_eq(count(&b, ALARM_PAT), 0u);
	cr_expect_eq(count(&b, ALARM_PMT), 0u);
	done(&b);
}
