/* SPDX-License-Identifier: GPL-3.0-or-later */
/* EIT present/following of each service, and the clock: TR 101 290 3.6 and
 * 3.8. */
#include "tests/unit/worker/analysis/bench.h"

#include "common/base/crc32.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>

enum { SERVICES = 20, ALL = (1 << SERVICES) - 1 };

/* What is sent: services are bits. */
struct sent {
	unsigned services; /* of the PAT */
	unsigned present, following;
	bool tdt, tot;
};

static void put(struct bench *b, uint16_t pid, const struct build_table *t)
{
	uint8_t section[SECTION_MAX];

	(void)build_section(b->build, pid, section, build_table(section, t));
}

static void put_events(struct bench *b, unsigned services, uint8_t number)
{
	for (uint16_t i = 0; i < SERVICES; i++)
		if (services >> i & 1)
			put(b, SI_PID_EIT, &(struct build_table){
				.table_id = EIT_TABLE_ID,
				.extension = (uint16_t)(i + 1),
				.number = number, .last = 1,
				.body = "\0\1\0\1\1\x4e", .len = 6 });
}

/* All services have the same PMT PID. */
static void put_programs(struct bench *b, unsigned services)
{
	static const struct build_es es[] = { { 0x1b, VIDEO, NULL, 0 },
					      { 0x03, AUDIO, NULL, 0 } };
	struct build_entry list[SERVICES];
	uint8_t section[SECTION_PSI_MAX];
	size_t n = 0;

	for (uint16_t i = 0; i < SERVICES; i++)
		if (services >> i & 1)
			list[n++] = (struct build_entry){
				(uint16_t)(i + 1), PMT };
	(void)build_section(b->build, TS_PID_PAT, section,
			    build_pat(section, 0, list, n));
	(void)build_section(b->build, PMT, section,
			    build_pmt(section, (struct build_entry){
				list[0].number, VIDEO }, 0, es, 2));
}

static void play(struct bench *b, unsigned seconds, struct sent s)
{
	b->no_tables = true;
	for (unsigned i = 0; i < 50 * seconds; i++) {
		if (i % 5 == 0)
			put_programs(b, s.services);
		if (i % 25 == 0) {
			put_events(b, s.present, 0);
			put_events(b, s.following, 1);
		}
		if (i % 50 == 0 && s.tdt)
			put(b, SI_PID_TDT, &(struct build_table){
				.table_id = TDT_TABLE_ID });
		if (i % 50 == 0 && s.tot)
			put(b, SI_PID_TDT, &(struct build_table){
				.table_id = TOT_TABLE_ID });
		step(b, NULL);
		if (i % 50 == 49)
			b->changed |= monitor_second(
				b->monitor, &b->counts, START + b->ms * MS,
				b->ms);
	}
}

Test(monitor_si, a_tot_is_no_tdt)
{
	struct bench b;

	setup(&b);
	play(&b, 2, (struct sent){ .services = 1, .tdt = true, .tot = true });
	play(&b, 29, (struct sent){ .services = 1, .tot = true });
	cr_expect_not(raised(&b, ALARM_TDT));
	play(&b, 3, (struct sent){ .services = 1, .tot = true });
	cr_expect(raised(&b, ALARM_TDT));
	done(&b);
}

Test(monitor_si, a_stream_that_has_a_tot_has_a_tdt)
{
	struct bench b;

	setup(&b);
	play(&b, 29, (struct sent){ .services = 1, .tot = true });
	cr_expect_not(raised(&b, ALARM_TDT));
	play(&b, 3, (struct sent){ .services = 1, .tot = true });
	cr_expect(raised(&b, ALARM_TDT));
	done(&b);
	/* and one of neither needs none */
	setup(&b);
	play(&b, 40, (struct sent){ .services = 1 });
	only(&b, ALARM_COUNT, ALARM_COUNT);
	done(&b);
}

/* A TOT without section_syntax_indicator: EN 300 468 5.2.6. */
static void play_tot(struct bench *b, unsigned seconds, uint8_t damage)
{
	uint8_t tot[] = { TOT_TABLE_ID, 0x70, 11, 0xe4, 0x89, 0x12, 0, 0,
			  0xf0, 0, 0, 0, 0, 0 };
	uint32_t crc = crc32_mpeg(tot, sizeof tot - 4);

	for (size_t i = 0; i < 4; i++)
		tot[sizeof tot - 4 + i] = (uint8_t)(crc >> 8 * (3 - i));
	tot[4] ^= damage;
	for (unsigned i = 0; i < seconds; i++) {
		(void)build_section(b->build, SI_PID_TDT, tot, sizeof tot);
		play(b, 1, (struct sent){ .services = 1, .tdt = true });
	}
}

Test(monitor_si, a_tot_with_a_wrong_crc_is_a_fault)
{
	struct bench b;

	setup(&b);
	play_tot(&b, 3, 0);
	only(&b, ALARM_COUNT, ALARM_COUNT);
	play_tot(&b, 1, 1);
	only(&b, ALARM_CRC, ALARM_COUNT);
	cr_expect_eq(count(&b, ALARM_CRC), 1u);
	done(&b);
}

Test(monitor_si, both_sections_of_each_service_raise_nothing)
{
	struct bench b;

	setup(&b);
	play(&b, 10, (struct sent){ ALL, ALL, ALL, true, true });
	only(&b, ALARM_COUNT, ALARM_COUNT);
	cr_expect_eq(count(&b, ALARM_EIT), 0u);
	done(&b);
}

Test(monitor_si, present_alone_is_an_alarm)
{
	static const struct sent cases[] = {
		{ ALL, ALL, ALL - 8, false, false },
		{ ALL, ALL - 8, ALL, false, false },
		{ 1, 1, 0, false, false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sent whole = cases[i];
		struct bench b;

		whole.present = whole.following = whole.services;
		setup(&b);
		play(&b, 3, cases[i]);
		only(&b, ALARM_EIT, ALARM_COUNT);
		play(&b, ALARM_CLEAR_S + 1, whole);
		only(&b, ALARM_COUNT, ALARM_COUNT);
		/* and once more, when both were sent */
		play(&b, 4, cases[i]);
		only(&b, ALARM_EIT, ALARM_COUNT);
		done(&b);
	}
}

Test(monitor_si, a_service_whose_eit_stop_is_an_alarm_while_the_pat_has_it)
{
	struct bench b;
	uint64_t faults;

	setup(&b);
	/* that never had any */
	play(&b, 5, (struct sent){ .services = ALL, .present = 3,
				   .following = 3 });
	only(&b, ALARM_COUNT, ALARM_COUNT);
	play(&b, 4, (struct sent){ .services = ALL, .present = 1,
				   .following = 1 });
	only(&b, ALARM_EIT, ALARM_COUNT);
	faults = count(&b, ALARM_EIT);
	play(&b, 5, (struct sent){ .services = 1, .present = 1,
				   .following = 1 });
	cr_expect_leq(count(&b, ALARM_EIT), faults + 1);
	done(&b);
}

Test(monitor_si, a_silence_makes_no_eit_late)
{
	static const struct sent both = { 1, 1, 1, true, true };
	struct bench b;

	setup(&b);
	play(&b, 3, both);
	for (unsigned i = 0; i < 40; i++) {
		b.ms += 1000;
		(void)monitor_second(b.monitor, &b.counts, START + b.ms * MS,
				     b.ms);
	}
	play(&b, 3, both);
	cr_expect_eq(count(&b, ALARM_EIT), 0u);
	cr_expect_eq(count(&b, ALARM_TDT), 0u);
	done(&b);
}

/* --- the CAT --- */

enum { EMM = 0x300, EMMS = 2 };

/* Seconds in which scrambled packets are on PIDs of EMMs, each named by a
 * section of the CAT. */
static void play_emms(struct bench *b, unsigned seconds, bool cat)
{
	for (unsigned i = 0; i < 50 * seconds; i++) {
		for (uint8_t k = 0; k < EMMS; k++) {
			const uint8_t ca[] = { 0x09, 4, 0x0b, 0,
					       0xe0 | EMM >> 8, k };

			if (cat && i % 25 == 0)
				put(b, SI_PID_CAT, &(struct build_table){
					.table_id = CAT_TABLE_ID, .number = k,
					.last = EMMS - 1, .body = ca,
					.len = sizeof ca });
			build_payload(b->build, EMM + k, 0x55)[3] |= 0x80;
		}
		step(b, NULL);
		if (i % 50 == 49)
			b->changed |= monitor_second(
				b->monitor, &b->counts, START + b->ms * MS,
				b->ms);
	}
}

Test(monitor_si, all_sections_of_a_cat_name_pids)
{
	struct bench b;

	setup(&b);
	play_emms(&b, 3, true);
	cr_expect_eq(count(&b, ALARM_UNREFERENCED_PID), 0u);
	only(&b, ALARM_COUNT, ALARM_COUNT);
	done(&b);
}

Test(monitor_si, a_cat_that_stops_while_packets_are_scrambled_is_an_alarm)
{
	struct bench b;

	setup(&b);
	play_emms(&b, 2, true);
	play_emms(&b, 9, false);
	cr_expect_not(raised(&b, ALARM_CAT));
	play_emms(&b, 3, false);
	cr_expect(raised(&b, ALARM_CAT));
	play_emms(&b, ALARM_CLEAR_S + 1, true);
	cr_expect_not(raised(&b, ALARM_CAT));
	done(&b);
}
