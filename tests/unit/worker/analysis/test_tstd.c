/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/analysis/tstd.h"

#include "tests/unit/worker/ts/build.h"
#include "worker/analysis/monitor_state.h"
#include "worker/ts/audio.h"
#include "worker/ts/pes.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>

#define START (1000 * MS)

/* A multiplex of 10 Mbit/s: 0.1504 ms a packet. */
enum {
	VIDEO = 0x101, AUDIO = 0x102,
	TICKS_PER_PACKET = 27000000 / 1000 * 188 * 8 / 10000,
	PER_SECOND = 6640,
	PCR_EVERY = 133, /* 20 ms */
};

struct bench {
	struct monitor *monitor;
	struct build *build;
	uint64_t nth;
	/* bytes of a PES in its first packet (0: all), but of the first one of
	 * so many (0: of each) */
	size_t split;
	unsigned whole_every, units;
};

static void feed(struct bench *b)
{
	struct ts_run run = { build_packet(b->build, 0), b->build->n };
	uint64_t now = START + b->nth * MS * 1000 / PER_SECOND;

	b->nth += b->build->n;
	monitor_feed(b->monitor, &run, 1, NULL, now);
	b->build->n = 0;
}

/* A second with a burst of so many packets of audio in every 20 ms; how many
 * bursts there were. */
static unsigned run(struct bench *b, unsigned burst)
{
	static const struct monitor_counts none;
	uint64_t end = b->nth + PER_SECOND;
	unsigned bursts = 0;

	while (b->nth < end) {
		uint64_t phase = b->nth % PCR_EVERY;

		bursts += phase == 9 + burst;
		if (phase == 0)
			build_pcr(b->build, VIDEO, b->nth * TICKS_PER_PACKET);
		else if (phase == 1 && b->nth % (5 * PCR_EVERY) == 1)
			build_tables(b->build);
		else if (phase >= 10 && phase < 10 + burst)
			build_payload(b->build, AUDIO, 1);
		else
			build_null(b->build);
		feed(b);
	}
	(void)monitor_second(b->monitor, &none,
			     START + b->nth * MS * 1000 / PER_SECOND, 1);
	return bursts;
}

static uint32_t overflows(struct bench *b, uint16_t pid)
{
	const struct pid_stats *s = pid_table_find(&b->monitor->pids, pid);

	cr_assert_not_null(s);
	cr_assert(s->leak > 0);
	return s->overflows;
}

/* As run(), for bursts of H.264 of this level_idc. */
static unsigned run_video(struct bench *b, uint8_t level, unsigned burst)
{
	static const struct monitor_counts none;
	const uint8_t sps[40] = { 0, 0, 1, 0x67, 77, 0, level };
	uint64_t end = b->nth + PER_SECOND;
	unsigned bursts = 0;

	while (b->nth < end) {
		uint64_t phase = b->nth % PCR_EVERY;

		bursts += phase == 10;
		if (phase == 0)
			build_pcr(b->build, VIDEO, b->nth * TICKS_PER_PACKET);
		else if (phase == 10)
			build_pes(b->build, VIDEO, sps, sizeof sps);
		else if (phase > 10 && phase < 10 + burst)
			build_payload(b->build, VIDEO, 1);
		else
			build_null(b->build);
		feed(b);
	}
	(void)monitor_second(b->monitor, &none,
			     START + b->nth * MS * 1000 / PER_SECOND, 1);
	return bursts;
}

static void setup(struct bench *b)
{
	*b = (struct bench){ .monitor = monitor_new(NULL, START),
			     .build = build_new() };
	/* the rate and the tables are known then */
	(void)run(b, 1);
	(void)run(b, 1);
}

static void done(struct bench *b)
{
	monitor_free(&b->monitor);
	build_free(b->build);
}

Test(tstd, a_burst_that_fits_is_no_overflow)
{
	struct bench b;

	setup(&b);
	/* 150.4 bytes of each packet remain when the next arrives */
	(void)run(&b, 3);
	cr_assert_eq(overflows(&b, AUDIO), 0);
	cr_assert_eq(overflows(&b, 0), 0);
	done(&b);
}

/* Levels 1.2 and 2: 0.46 and 2.4 Mbit/s. */
Test(tstd, the_level_of_video_gives_the_rate_of_its_buffer)
{
	const struct alarm *alarms;
	struct bench b;
	unsigned bursts;

	setup(&b);
	(void)run_video(&b, 20, 3);
	(void)run_video(&b, 20, 3);
	alarms = monitor_alarms(b.monitor);
	cr_assert_eq(overflows(&b, VIDEO), 0);
	cr_assert(!alarms[ALARM_BUFFER].raised);
	(void)run_video(&b, 12, 3);
	bursts = run_video(&b, 12, 5);
	cr_assert_geq(overflows(&b, VIDEO), 2 * bursts);
	cr_assert(alarms[ALARM_BUFFER].raised);
	done(&b);
}

static void set_dts(uint8_t *packet, uint64_t nth, int lead_ms)
{
	struct pes_times times;
	int64_t at = (int64_t)(nth * TICKS_PER_PACKET / 300) + lead_ms * 90;

	cr_assert(pes_times(packet, &times));
	pes_set_time(packet + times.dts, (uint64_t)at & (PES_TIME_WRAP - 1));
}

/* The last packet begins a unit. */
static void split_unit(struct bench *b)
{
	bool whole = b->whole_every > 0 && b->units % b->whole_every == 0;

	b->units++;
	if (b->split > 0 && !whole)
		build_split(b->build, b->split);
}

/* A unit begins, whose time is so late. */
static void add_unit(struct bench *b, uint16_t pid, const uint8_t *es,
		     size_t len, int lead_ms)
{
	set_dts(build_pes(b->build, pid, es, len), b->nth, lead_ms);
	split_unit(b);
}

/* A second of H.264 of level 2, in units of 20 ms with so many packets, whose
 * DTS is so late. */
static void run_units(struct bench *b, unsigned packets, int lead_ms)
{
	static const struct monitor_counts none;
	const uint8_t sps[40] = { 0, 0, 1, 0x67, 77, 0, 20 };
	uint64_t end = b->nth + PER_SECOND;

	while (b->nth < end) {
		uint64_t phase = b->nth % PCR_EVERY;

		if (phase == 0)
			build_pcr(b->build, VIDEO, b->nth * TICKS_PER_PACKET);
		else if (phase == 10)
			add_unit(b, VIDEO, sps, sizeof sps, lead_ms);
		else if (phase > 10 && phase % 5 == 0 &&
			 phase < 10 + packets * 5)
			build_payload(b->build, VIDEO, 1);
		else
			build_null(b->build);
		feed(b);
	}
	(void)monitor_second(b->monitor, &none,
			     START + b->nth * MS * 1000 / PER_SECOND, 1);
}

static uint32_t errors_of(struct bench *b, uint16_t pid)
{
	const struct pid_stats *s = pid_table_find(&b->monitor->pids, pid);

	cr_assert_not_null(s);
	return s->unit_errors;
}

static uint32_t unit_errors(struct bench *b)
{
	const struct pid_stats *s = pid_table_find(&b->monitor->pids, VIDEO);

	cr_assert_not_null(s);
	cr_assert_not_null(s->units);
	return s->unit_errors;
}

/* Four seconds of audio in units of 40 ms of six packets, 1,065 bytes, whose
 * PTS is so late; returns the errors of the last two. */
static uint32_t run_audio(struct bench *b, const uint8_t *head, int lead_ms)
{
	static const struct monitor_counts none;
	uint32_t before = 0;
	uint8_t es[160] = { 0 };

	memcpy(es, head, AUDIO_HEAD);
	for (unsigned second = 0; second < 4; second++) {
		uint64_t end = b->nth + PER_SECOND;

		for (; b->nth < end; feed(b)) {
			uint64_t phase = b->nth % (2 * PCR_EVERY);

			if (phase % PCR_EVERY == 0)
				build_pcr(b->build, VIDEO,
					  b->nth * TICKS_PER_PACKET);
			else if (phase == 10)
				add_unit(b, AUDIO, es, sizeof es, lead_ms);
			else if (phase > 10 && phase % 10 == 0 && phase < 70)
				build_payload(b->build, AUDIO, 1);
			else
				build_null(b->build);
		}
		(void)monitor_second(b->monitor, &none,
				     START + b->nth * MS * 1000 / PER_SECOND,
				     1);
		if (second == 1)
			before = errors_of(b, AUDIO);
	}
	cr_expect_eq(overflows(b, AUDIO), 0u);
	return errors_of(b, AUDIO) - before;
}

/* With 213 kbit/s, 3,584 bytes are those of 134 ms, 5,696 of 214 ms and 8,976
 * of 337 ms; a unit of 40 ms arrives at once. */
Test(tstd, the_codec_of_audio_gives_the_size_of_its_buffer)
{
	static const struct {
		uint8_t head[AUDIO_HEAD];
		int fits_ms;
	} codecs[] = {
		{ { 0xff, 0xfd, 0xa4 }, 90 },
		{ { 0xff, 0xf1, 0x4c, 0x80, 0x48, 0x1f, 0xfc }, 90 },
		{ { 0xff, 0xf1, 0x4d, 0x80, 0x48, 0x1f, 0xfc }, 290 },
		{ { 0x0b, 0x77, 0, 0, 20, 0x40 }, 170 },
		/* E-AC-3, LATM */
		{ { 0x0b, 0x77, 1, 0xff, 0x3f, 0x80 }, 170 },
		{ { 0x56, 0xe4, 0x00 }, 290 },
	};
	struct bench b;

	for (size_t i = 0; i < ARRAY_LEN(codecs); i++) {
		int lead = codecs[i].fits_ms;

		setup(&b);
		cr_expect_eq(run_audio(&b, codecs[i].head, lead), 0u,
			     "codec %zu", i);
		cr_expect_not(monitor_alarms(b.monitor)[ALARM_BUFFER].raised);
		cr_expect_gt(run_audio(&b, codecs[i].head, lead + 60), 4u,
			     "codec %zu", i);
		cr_expect(monitor_alarms(b.monitor)[ALARM_BUFFER].raised);
		/* after its time */
		cr_expect_geq(run_audio(&b, codecs[i].head, -20), 49u);
		done(&b);
	}
}

/* A second with so many PMTs of so many bytes, each 30 ms after the last one
 * and its packets 3 ms apart. */
static void run_pmts(struct bench *b, unsigned pmts, size_t filler)
{
	static const struct monitor_counts none;
	static uint8_t names[512];
	struct build_es es = { 0x03, AUDIO, (const char *)names, filler };
	uint8_t pmt[SECTION_PSI_MAX], cc = 0;
	uint8_t packets[SECTION_PSI_MAX / 184 + 2][TS_PACKET];
	uint64_t begin = b->nth;
	size_t len = build_pmt(pmt, (struct build_entry){ 1, 0x100 }, 1, &es,
			       1);
	size_t n = section_pack(pmt, len, 0x100, &cc, packets[0]);

	while (b->nth < begin + PER_SECOND) {
		uint64_t phase = b->nth - begin, part = phase % 200 / 20;

		if (phase % PCR_EVERY == 0)
			build_pcr(b->build, VIDEO, b->nth * TICKS_PER_PACKET);
		else if (phase % 20 == 1 && part < n && phase < pmts * 200)
			memcpy(build_payload(b->build, 0x100, 0),
			       packets[part], TS_PACKET);
		else if (phase % 1000 == 999)
			build_tables(b->build);
		else
			build_null(b->build);
		feed(b);
	}
	(void)monitor_second(b->monitor, &none,
			     START + b->nth * MS * 1000 / PER_SECOND, 1);
}

/* It has 1,536 bytes and empties at 80 kbit/s: 300 bytes in 30 ms. */
Test(tstd, tables_that_come_too_fast_overflow_the_system_buffer)
{
	struct bench b;

	setup(&b);
	run_pmts(&b, 30, 0);
	run_pmts(&b, 3, 500);
	cr_expect_eq(errors_of(&b, 0x100), 0u);
	cr_expect_not(monitor_alarms(b.monitor)[ALARM_BUFFER].raised);
	run_pmts(&b, 20, 500);
	cr_expect_geq(errors_of(&b, 0x100), 10u);
	cr_expect_eq(overflows(&b, 0x100), 0u);
	cr_expect(monitor_alarms(b.monitor)[ALARM_BUFFER].raised);
	done(&b);
}

/* 300 Kbyte of picture buffer, and 1.3 of multiplex buffer: those of 1.6
 * seconds at 1.5 Mbit/s. */
Test(tstd, the_level_of_video_gives_the_size_of_its_buffers)
{
	struct bench b;

	setup(&b);
	for (unsigned i = 0; i < 6; i++)
		run_units(&b, 20, 1300);
	cr_expect_eq(unit_errors(&b), 0u);
	cr_expect_eq(overflows(&b, VIDEO), 0u);
	cr_expect_not(monitor_alarms(b.monitor)[ALARM_BUFFER].raised);
	for (unsigned i = 0; i < 4; i++)
		run_units(&b, 20, 2100);
	cr_expect_gt(unit_errors(&b), 0u);
	cr_expect_eq(overflows(&b, VIDEO), 0u);
	cr_expect(monitor_alarms(b.monitor)[ALARM_BUFFER].raised);
	done(&b);
}

Test(tstd, a_unit_that_comes_after_its_dts_is_an_error)
{
	struct bench b;
	uint32_t before;

	setup(&b);
	for (unsigned i = 0; i < 4; i++)
		run_units(&b, 5, 40);
	before = unit_errors(&b);
	cr_expect_eq(before, 0u);
	run_units(&b, 5, -20);
	cr_expect_geq(unit_errors(&b) - before, 48u);
	/* of another clock */
	before = unit_errors(&b);
	run_units(&b, 5, -3000);
	run_units(&b, 5, 30000);
	cr_expect_eq(unit_errors(&b), before);
	done(&b);
}

Test(tstd, a_header_in_several_packets_has_the_times_of_its_unit)
{
	struct bench b;
	uint32_t before;

	for (size_t split = 1; split < PES_HEADER + 5; split += 3) {
		setup(&b);
		b.split = split;
		for (unsigned i = 0; i < 4; i++)
			run_units(&b, 5, 40);
		before = unit_errors(&b);
		cr_expect_eq(before, 0u);
		run_units(&b, 5, -20);
		cr_expect_geq(unit_errors(&b) - before, 48u);
		done(&b);
	}
}

/* Those of two seconds would overflow the buffers as one unit. */
Test(tstd, units_with_headers_in_several_packets_leave_the_buffers)
{
	struct bench b;

	setup(&b);
	b.split = 9;
	b.whole_every = 100;
	for (unsigned i = 0; i < 6; i++)
		run_units(&b, 20, 300);
	cr_expect_eq(unit_errors(&b), 0u);
	cr_expect_not(monitor_alarms(b.monitor)[ALARM_BUFFER].raised);
	done(&b);
}

Test(tstd, the_codec_of_audio_is_read_behind_a_header_in_several_packets)
{
	static const uint8_t head[AUDIO_HEAD] = { 0xff, 0xfd, 0xa4 };
	struct bench b;

	setup(&b);
	b.split = 9;
	cr_expect_eq(run_audio(&b, head, 90), 0u);
	cr_expect_gt(run_audio(&b, head, 150), 4u);
	cr_expect_geq(run_audio(&b, head, -20), 49u);
	done(&b);
}

/* More units than it has places for, and time bases that change. */
Test(tstd, units_without_end_are_bounded)
{
	struct bench b;

	setup(&b);
	for (unsigned i = 0; i < 8; i++)
		run_units(&b, 2, 9000);
	cr_expect_eq(unit_errors(&b), 0u);
	for (int lead = 5000; lead > 0; lead -= 700)
		run_units(&b, 2, lead);
	cr_expect_eq(unit_errors(&b), 0u);
	monitor_reset(b.monitor, START);
	done(&b);
}

Test(tstd, counts_each_packet_that_overflows)
{
	struct bench b;
	unsigned bursts;

	setup(&b);
	/* 512 bytes hold three packets; two of five overflow */
	bursts = run(&b, 5);
	cr_assert_gt(bursts, 40);
	cr_assert_eq(overflows(&b, AUDIO), 2 * bursts);
	done(&b);
}
