/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A monitor that gets the packets of one program of a multiplex. */
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/analysis/monitor_state.h"
#include "worker/analysis/report.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define START (1000 * MS)

/* A multiplex of 10 Mbit/s: 0.1504 ms a packet. */
enum {
	PMT = 0x100,
	VIDEO = 0x101,
	AUDIO = 0x102,
	OTHER_PMT = 0x200,
	OTHER = 0x201,
	TICKS_PER_PACKET = 27000000 / 1000 * 188 * 8 / 10000,
	PER_SECOND = 6640,
	PCR_EVERY = 133, /* 20 ms */
	BURST = 8,       /* more than a transport buffer takes */
	SECONDS = 7,
};

enum way { WHOLE, CHOSEN, MOVED };

struct bench {
	enum way way;
	struct monitor *monitor;
	struct build *build;
	uint64_t nth;
	size_t n; /* chosen packets */
	uint32_t skipped;
	uint32_t before[PER_SECOND];
	uint8_t chosen[PER_SECOND * TS_PACKET], copy[PER_SECOND * TS_PACKET];
};

static void build_pats(struct build *b)
{
	static const struct build_entry list[] = { { 1, PMT },
						   { 2, OTHER_PMT } };
	static const struct build_es streams[] = {
		{ 0x1b, VIDEO, NULL, 0 }, { 0x03, AUDIO, NULL, 0 },
	};
	uint8_t section[SECTION_PSI_MAX];

	build_section(b, 0, section, build_pat(section, 0, list, 2));
	build_section(b, PMT, section,
		      build_pmt(section, (struct build_entry){ 1, VIDEO }, 0,
				streams, 2));
}

static bool is_chosen(const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);

	return pid == 0 || pid == PMT || pid == VIDEO || pid == AUDIO;
}

/* Feeds what was built since, as an input of this way does. */
static void feed(struct bench *b)
{
	uint64_t now = START + b->nth * MS * 1000 / PER_SECOND;
	struct ts_skips skips = { b->chosen, 0, b->before };
	struct ts_run run = { build_packet(b->build, 0), b->build->n };

	b->nth += b->build->n;
	for (size_t i = 0; i < b->build->n; i++) {
		const uint8_t *p = build_packet(b->build, i);

		if (!is_chosen(p)) {
			b->skipped++;
			continue;
		}
		memcpy(b->chosen + skips.n * TS_PACKET, p, TS_PACKET);
		b->before[skips.n++] = b->skipped;
		b->skipped = 0;
	}
	b->build->n = 0;
	if (b->way != WHOLE)
		run = (struct ts_run){ b->chosen, skips.n };
	if (b->way == MOVED)
		run.data = memcpy(b->copy, b->chosen, sizeof b->copy);
	(void)monitor_feed(b->monitor, &run, 1,
			   b->way != WHOLE ? &skips : NULL, now);
}

static void run(struct bench *b)
{
	static const struct monitor_counts none;
	uint64_t end = b->nth + PER_SECOND;

	while (b->nth < end) {
		uint64_t phase = b->nth % PCR_EVERY;

		if (phase == 0)
			build_pcr(b->build, VIDEO, b->nth * TICKS_PER_PACKET);
		else if (phase == 1)
			build_pats(b->build);
		else if (phase >= 10 && phase < 10 + BURST)
			build_payload(b->build, AUDIO, 1);
		else if (phase % 2)
			build_payload(b->build, OTHER, 1);
		else
			build_null(b->build);
		feed(b);
	}
	(void)monitor_second(b->monitor, &none,
			     START + b->nth * MS * 1000 / PER_SECOND, 1);
}

static struct bench *bench_of(enum way way)
{
	struct bench *b = calloc(1, sizeof *b);

	cr_assert_not_null(b);
	b->way = way;
	b->monitor = monitor_new(NULL, START);
	monitor_watch_program(b->monitor, way == WHOLE ? 0 : 1);
	b->build = build_new();
	for (int i = 0; i < SECONDS; i++)
		run(b);
	return b;
}

static void bench_free(struct bench *b)
{
	monitor_free(&b->monitor);
	build_free(b->build);
	free(b);
}

static uint32_t overflows(const struct bench *b)
{
	return pid_table_find(&b->monitor->pids, AUDIO)->overflows;
}

Test(monitor_program, keeps_the_places_of_packets)
{
	struct bench *whole = bench_of(WHOLE), *chosen = bench_of(CHOSEN);
	const struct pcr_report *a = &whole->monitor->pcrs[0].report;
	const struct pcr_report *b = &chosen->monitor->pcrs[0].report;

	cr_assert(a->constant && b->constant);
	cr_assert_eq(a->accuracy_ns, b->accuracy_ns);
	cr_assert_eq(pcr_check_bps(&whole->monitor->pcrs[0].check),
		     pcr_check_bps(&chosen->monitor->pcrs[0].check));
	cr_assert_gt(overflows(whole), 0);
	cr_assert_eq(overflows(whole), overflows(chosen));
	bench_free(whole);
	bench_free(chosen);
}

Test(monitor_program, judges_no_places_that_it_does_not_know)
{
	struct bench *moved = bench_of(MOVED);

	cr_assert(!moved->monitor->pcrs[0].report.constant);
	cr_assert_eq(overflows(moved), 0);
	bench_free(moved);
}

Test(monitor_program, judges_no_places_from_the_first_that_it_does_not_know)
{
	struct bench *b = bench_of(CHOSEN);
	uint32_t before = overflows(b);

	cr_assert(b->monitor->pcrs[0].report.constant);
	b->way = MOVED;
	run(b);
	cr_assert_eq(overflows(b), before);
	bench_free(b);
}

static bool raised(const struct bench *b, enum alarm_id id)
{
	return monitor_alarms(b->monitor)[id].raised;
}

/* The other program has neither PMT nor packets here. */
Test(monitor_program, misses_nothing_of_other_programs)
{
	struct bench *b = bench_of(CHOSEN), *whole = bench_of(WHOLE);

	cr_assert(raised(whole, ALARM_PMT));
	for (int i = 0; i < ALARM_COUNT; i++)
		cr_assert_eq(raised(b, (enum alarm_id)i),
			     i == ALARM_BUFFER, "%s",
			     alarm_name((enum alarm_id)i));
	bench_free(b);
	bench_free(whole);
}

Test(monitor_program, reports_its_program_and_its_packets)
{
	struct bench *b = bench_of(CHOSEN);
	const struct report_part part = { .now_ns = START + SECOND_NS };
	json_t *report = json_object(), *one;
	const json_t *programs, *pids;
	size_t i;

	(void)monitor_report(b->monitor, &part, report);
	programs = json_object_get(report, "programs");
	pids = json_object_get(report, "pids");
	cr_assert_eq(json_array_size(programs), 1);
	cr_assert_eq(json_integer_value(json_object_get(
			     json_array_get(programs, 0), "number")), 1);
	cr_assert_lt(json_integer_value(json_object_get(report, "packets")),
		     SECONDS * PER_SECOND / 5);
	json_array_foreach(pids, i, one)
		cr_assert_neq(json_integer_value(json_object_get(one, "pid")),
			      OTHER_PMT);
	json_decref(report);
	bench_free(b);
}
