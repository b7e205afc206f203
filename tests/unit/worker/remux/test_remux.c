/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole stage: input packet by packet, and the output. */
#include "tests/unit/worker/remux/rig.h"

#include <criterion/criterion.h>

Test(remux, selects_one_program_and_does_not_change_its_packets)
{
	struct remux_options o = { .pnr = 2 };
	struct bench b = bench_new(&o);
	const struct psi_program *list;
	size_t at = 0;

	two_programs(&b);
	play(&b, 20);
	feed(&b);
	cr_assert_eq(psi_programs(b.out->psi, &list), 1);
	cr_assert_eq(list[0].number, 2);
	cr_assert_eq(list[0].pmt_pid, 0x200);
	cr_assert_eq(list[0].pcr_pid, 0x201);
	cr_assert_eq(psi_tsid(b.out->psi), 7);
	cr_assert_eq(b.out->cc_errors, 0);
	cr_assert_eq(count(&b, 0x101) + count(&b, 0x102) + count(&b, 0x100),
		     0);
	/* every packet of its streams, in order, from where it stood */
	for (size_t i = 0; i < b.in->n; i++) {
		uint16_t pid = ts_pid(build_packet(b.in, i));

		if (pid != 0x201 && pid != 0x202)
			continue;
		while (ts_pid(b.out->data[at]) != 0x201 &&
		       ts_pid(b.out->data[at]) != 0x202)
			at++;
		cr_assert_eq(b.out->from[at], build_packet(b.in, i));
		at++;
	}
	cr_assert_eq(remux_state(b.remux), REMUX_READY);
	bench_done(&b);
}

Test(remux, sends_nothing_before_the_tables_are_known)
{
	struct remux_options o = { .pnr = 2 };
	struct bench b = bench_new(&o);

	play(&b, 3);
	feed(&b);
	cr_assert_eq(b.out->n, 0);
	cr_assert_eq(remux_state(b.remux), REMUX_NO_PAT);
	pat(&b, 0, two, 1);
	play(&b, 3);
	feed(&b);
	cr_assert_eq(b.out->n, 0);
	cr_assert_eq(remux_state(b.remux), REMUX_NO_PROGRAM);
	pat(&b, 1, two, 2);
	play(&b, 3);
	feed(&b);
	cr_assert_eq(b.out->n, 0);
	cr_assert_eq(remux_state(b.remux), REMUX_NO_PMT);
	pmt(&b, two[1], 0, 0x201, 0x202);
	feed(&b);
	/* PAT and PMT are the first packets */
	cr_assert_eq(b.out->n, 2);
	cr_assert_eq(ts_pid(b.out->data[0]), 0);
	cr_assert_eq(ts_pid(b.out->data[1]), 0x200);
	bench_done(&b);
}

Test(remux, a_new_pmt_goes_out_before_the_first_packet_it_names)
{
	struct remux_options o = { .pnr = 2 };
	struct bench b = bench_new(&o);
	bool named = false;
	uint8_t version;

	two_programs(&b);
	play(&b, 5);
	feed(&b);
	version = program(&b, 0)->pmt.data[5] >> 1 & 0x1f;
	cr_assert_eq(version, 6, "the configured first version");
	pmt(&b, two[1], 1, 0x301, 0x302);
	for (int i = 0; i < 40; i++)
		build_payload(b.in, 0x301, 9);
	b.out->n = 0;
	psi_reset(b.out->psi);
	feed(&b);
	for (size_t i = 0; i < b.out->n; i++) {
		named |= ts_pid(b.out->data[i]) == 0x200;
		cr_assert(ts_pid(b.out->data[i]) != 0x301 || named);
	}
	cr_assert_eq(count(&b, 0x301), 40);
	cr_assert_eq(program(&b, 0)->video_pid, 0x301);
	cr_assert_eq(program(&b, 0)->pmt.data[5] >> 1 & 0x1f, 7);
	cr_assert_eq(b.out->cc_errors, 0);
	bench_done(&b);
}

Test(remux, a_new_version_of_the_same_content_changes_nothing)
{
	struct remux_options o = { .pnr = 2 };
	struct bench b = bench_new(&o);
	uint32_t changes;

	two_programs(&b);
	play(&b, 5);
	feed(&b);
	changes = psi_changes(b.out->psi);
	for (uint8_t v = 1; v < 6; v++) {
		pat(&b, v, two, 2);
		pmt(&b, two[1], v, 0x201, 0x202);
		play(&b, 5);
	}
	feed(&b);
	cr_assert_eq(psi_changes(b.out->psi), changes);
	cr_assert_eq(b.out->cc_errors, 0);
	bench_done(&b);
}

Test(remux, a_program_that_leaves_and_returns_is_followed)
{
	struct remux_options o = { .pnr = 2 };
	struct bench b = bench_new(&o);
	const struct psi_program *list;
	size_t before;

	two_programs(&b);
	play(&b, 5);
	feed(&b);
	pat(&b, 1, two, 1);
	feed(&b);
	cr_assert_eq(psi_programs(b.out->psi, &list), 0, "in the PAT");
	cr_assert_eq(remux_state(b.remux), REMUX_NO_PROGRAM);
	before = count(&b, 0x201);
	play(&b, 5);
	feed(&b);
	cr_assert_eq(count(&b, 0x201), before);
	/* back, with its PMT elsewhere */
	pat(&b, 2, (struct build_entry[]){ { 1, 0x100 }, { 2, 0x222 } }, 2);
	pmt(&b, (struct build_entry){ 2, 0x222 }, 0, 0x201, 0x202);
	(void)build_pes(b.in, 0x201, "", 0);
	(void)build_pes(b.in, 0x202, "", 0);
	play(&b, 5);
	feed(&b);
	cr_assert_eq(program(&b, 0)->pmt_pid, 0x222);
	cr_assert_eq(count(&b, 0x201), before + 26);
	cr_assert_eq(b.out->cc_errors, 0);
	bench_done(&b);
}

/* Its counters advance while it does not go out. */
Test(remux, a_program_returns_with_whole_units_and_its_counters)
{
	struct remux_options o = { .set_tsid = 9 };
	struct bench b = bench_new(&o);

	two_programs(&b);
	play(&b, 5);
	feed(&b);
	for (unsigned i = 1; i < 18; i++) {
		size_t before;

		b.in->n = b.fed = 0;
		pat(&b, (uint8_t)((2 * i + 1) % 32), two, 1);
		play(&b, i);
		feed(&b);
		before = count(&b, 0x201);
		pat(&b, (uint8_t)((2 * i + 2) % 32), two, 2);
		pmt(&b, two[1], 0, 0x201, 0x202);
		/* the rest of units; the clock goes out at once */
		play(&b, 3);
		feed(&b);
		cr_assert_eq(count(&b, 0x201), before + 3, "%u", i);
		(void)build_pes(b.in, 0x201, "", 0);
		(void)build_pes(b.in, 0x202, "", 0);
		play(&b, 2);
		feed(&b);
		cr_assert_eq(count(&b, 0x201), before + 3 + 11, "%u", i);
	}
	cr_assert_eq(b.out->cc_errors, 0);
	/* a loss stays visible */
	(void)build_payload(b.in, 0x201, 1);
	b.in->n--;
	play(&b, 1);
	feed(&b);
	cr_assert_eq(b.out->cc_errors, 1);
	bench_done(&b);
}

/* The PMT names the PID of the PCRs as video or as private data. */
static void put_type(struct bench *b, uint8_t version, uint8_t type)
{
	const struct build_es es = { type, 0x101, NULL, 0 };
	uint8_t section[1024];

	build_section(b->in, two[0].pid, section,
		      build_pmt(section, (struct build_entry){ 1, 0x101 },
				version, &es, 1));
}

Test(remux, a_pid_continues_its_counters_through_a_time_of_pcrs_alone)
{
	struct remux_options o = { .pnr = 1 };
	struct bench b = bench_new(&o);

	pat(&b, 0, two, 1);
	for (unsigned i = 0; i < 18; i++) {
		size_t before = count(&b, 0x101);

		put_type(&b, (uint8_t)(2 * i % 32), 0x05);
		play(&b, i);
		/* another change of the tables */
		pat(&b, (uint8_t)((i + 1) % 32), two, 1 + i % 2);
		play(&b, 3);
		feed(&b);
		cr_assert_eq(count(&b, 0x101), before + i + 3, "%u", i);
		put_type(&b, (uint8_t)((2 * i + 1) % 32), 0x1b);
		(void)build_pes(b.in, 0x101, "", 0);
		play(&b, 2);
		feed(&b);
		cr_assert_eq(count(&b, 0x101), before + i + 3 + 11, "%u", i);
		cr_assert_eq(b.out->cc_errors, 0, "%u", i);
		b.in->n = b.fed = 0;
	}
	bench_done(&b);
}

Test(remux, a_pmt_that_moves_interrupts_nothing)
{
	struct remux_options o = { .pnr = 2 };
	struct bench b = bench_new(&o);

	two_programs(&b);
	play(&b, 5);
	pat(&b, 1, (struct build_entry[]){ { 1, 0x100 }, { 2, 0x222 } }, 2);
	play(&b, 5); /* it did not come there yet */
	feed(&b);
	cr_assert_eq(count(&b, 0x201), 50);
	cr_assert_eq(program(&b, 0)->pmt_pid, 0x222);
	cr_assert_eq(program(&b, 0)->video_pid, 0x201);
	pmt(&b, (struct build_entry){ 2, 0x222 }, 3, 0x301, 0x202);
	feed(&b);
	cr_assert_eq(program(&b, 0)->video_pid, 0x301);
	bench_done(&b);
}

Test(remux, tables_come_often_and_never_in_a_burst)
{
	struct remux_options o = { .pnr = 2, .service_name = "N" };
	struct bench b = bench_new(&o);
	uint64_t pcr = 0;
	size_t last[3] = { 0 }, longest[3] = { 0 }, together = 0, most = 0;
	static const uint16_t table_pids[] = { 0, 0x200, 0x11 };
	static const char sdt[] = "\x00\x03\xff" "\x00\x02\xfc\x80\x00";

	two_programs(&b);
	put_table(&b, 0x11, 0x42, sdt, sizeof sdt - 1);
	for (int i = 0; i < 40; i++) {
		build_pcr(b.in, 0x201, pcr += 20 * MS);
		for (int k = 0; k < 50; k++) {
			build_payload(b.in, 0x101, 1);
			build_payload(b.in, 0x201, 1);
		}
	}
	feed(&b);
	for (size_t i = 0; i < b.out->n; i++) {
		uint16_t pid = ts_pid(b.out->data[i]);
		bool table = false;

		for (size_t t = 0; t < 3; t++) {
			if (pid != table_pids[t])
				continue;
			longest[t] = MAX(longest[t], i - last[t]);
			last[t] = i;
			table = true;
		}
		together = table ? together + 1 : 0;
		/* behind PAT and PMT at the very beginning */
		if (i > 2)
			most = MAX(most, together);
	}
	/* 51 of those that go out are 20 ms */
	cr_expect_leq(longest[0] * 20 / 51, 150);
	cr_expect_leq(longest[1] * 20 / 51, 150);
	cr_expect_gt(last[2], 0);
	cr_expect_leq(most, 1);
	cr_expect_eq(b.out->cc_errors, 0);
	bench_done(&b);
}

/* A PCR in 30 ms falls onto no multiple of 100 ms. */
Test(remux, pat_and_pmt_come_every_100_ms_whatever_the_pcrs)
{
	enum { ROUNDS = 70, PCR_MS = 30, TABLES = ROUNDS * PCR_MS / 100 };
	struct remux_options o = { .pnr = 2 };
	struct bench b = bench_new(&o);
	uint64_t pcr = 0;

	two_programs(&b);
	for (int i = 0; i < ROUNDS; i++) {
		build_pcr(b.in, 0x201, pcr += PCR_MS * MS);
		for (int k = 0; k < 50; k++)
			build_payload(b.in, 0x201, 1);
	}
	feed(&b);
	cr_expect_geq(count(&b, 0), TABLES - 1, "%zu", count(&b, 0));
	cr_expect_leq(count(&b, 0), TABLES + 2, "%zu", count(&b, 0));
	cr_expect_geq(count(&b, 0x200), TABLES - 1, "%zu", count(&b, 0x200));
	cr_expect_leq(count(&b, 0x200), TABLES + 2, "%zu", count(&b, 0x200));
	bench_done(&b);
}

Test(remux, the_callers_time_counts_where_there_is_no_pcr)
{
	struct remux_options o = { .pnr = 1 };
	struct bench b = bench_new(&o);
	uint64_t ns = 1000000000;

	two_programs(&b);
	feed(&b);
	for (int i = 0; i < 100; i++) {
		struct ts_run run;

		for (int k = 0; k < 10; k++)
			build_payload(b.in, 0x101, 1);
		run = (struct ts_run){ b.in->data + b.fed * TS_PACKET,
				       b.in->n - b.fed };
		b.fed = b.in->n;
		ns += 10000000;
		remux_feed(b.remux, &run, 1, ns);
	}
	/* within a second of it */
	cr_assert_geq(count(&b, 0), 4);
	cr_assert_leq(count(&b, 0), 12);
	bench_done(&b);
}

Test(remux, tables_replace_null_packets_of_one_program)
{
	struct remux_options o = { .set_tsid = 99 };
	struct bench b = bench_new(&o);

	pat(&b, 0, two, 1);
	pmt(&b, two[0], 0, 0x101, 0x102);
	for (int i = 0; i < 100; i++) {
		build_pcr(b.in, 0x101, 1000000 + b.in->n * MS);
		build_payload(b.in, 0x101, 1);
		for (int k = 0; k < 8; k++)
			build_null(b.in);
	}
	feed(&b);
	/* PAT and PMT for PAT and PMT, tables for null packets */
	cr_assert_eq(b.out->n, b.in->n, "%zu of %zu", b.out->n, b.in->n);
	cr_assert_gt(count(&b, 0), 5);
	cr_assert_eq(count(&b, 0x101), 200);
	cr_assert_eq(count(&b, TS_PID_NULL) + count(&b, 0) + count(&b, 0x100),
		     802);
	cr_assert_eq(psi_tsid(b.out->psi), 99);
	bench_done(&b);
}

/* Feeds the packets that the program needs, as an input that skips the others
 * does. */
static void feed_chosen(struct bench *b)
{
	static uint8_t chosen[BUILD_PACKETS * TS_PACKET];
	static uint32_t before[BUILD_PACKETS];
	struct ts_skips skips = { chosen, 0, before };
	uint32_t skipped = 0;
	struct ts_run run;

	for (; b->fed < b->in->n; b->fed++) {
		const uint8_t *p = build_packet(b->in, b->fed);
		uint16_t pid = ts_pid(p);

		if (pid >= 0x200) {
			skipped++;
			continue;
		}
		memcpy(chosen + skips.n * TS_PACKET, p, TS_PACKET);
		before[skips.n++] = skipped;
		skipped = 0;
	}
	run = (struct ts_run){ chosen, skips.n };
	remux_feed_chosen(b->remux, &run, 1, &skips, 0);
}

Test(remux, places_of_skipped_packets_are_those_of_dropped_ones)
{
	struct remux_options o = { .pnr = 1 };
	struct bench whole = bench_new(&o), chosen = bench_new(&o);

	for (int i = 0; i < 6; i++) {
		two_programs(&whole);
		two_programs(&chosen);
		play(&whole, 30);
		play(&chosen, 30);
		/* what follows the last chosen packet comes too late here */
		build_payload(whole.in, 0x101, 1);
		build_payload(chosen.in, 0x101, 1);
		feed(&whole);
		feed_chosen(&chosen);
	}
	cr_assert_gt(count(&whole, 0), 5);
	cr_assert_eq(whole.out->n, chosen.out->n);
	cr_assert_arr_eq(whole.out->data, chosen.out->data,
			 whole.out->n * TS_PACKET);
	bench_done(&whole);
	bench_done(&chosen);
}

Test(remux, moves_pids_in_packets_and_tables)
{
	struct remux_options o = { .pnr = 2, .set_pnr = 9 };
	struct errmsg why;
	struct bench b;

	cr_assert_eq(remux_maps_read(&o, "video=514, audio=600, pmt=32", &why),
		     0);
	b = bench_new(&o);
	two_programs(&b);
	play(&b, 20);
	feed(&b);
	/* 514 is 0x202, where the audio was */
	cr_assert_eq(program(&b, 0)->number, 9);
	cr_assert_eq(program(&b, 0)->pmt_pid, 32);
	cr_assert_eq(program(&b, 0)->video_pid, 0x202);
	cr_assert_eq(program(&b, 0)->pcr_pid, 0x202);
	cr_assert_eq(program(&b, 0)->audio_pid, 600);
	cr_assert_eq(count(&b, 0x202), 100);
	cr_assert_eq(count(&b, 600), 80);
	cr_assert_eq(b.out->cc_errors, 0);
	for (size_t i = 0; i < b.out->n; i++) {
		uint16_t pid = ts_pid(b.out->data[i]);

		if (pid == 0x202 && ts_has_payload(b.out->data[i]))
			cr_assert_eq(b.out->data[i][20], 3);
		if (pid == 600)
			cr_assert_eq(b.out->data[i][20], 4);
	}
	bench_done(&b);
}

Test(remux, the_pcr_of_a_dropped_stream_stays)
{
	struct remux_options o = { .pnr = 1 };
	uint64_t pcr, first = 0;
	struct bench b;
	size_t n = 0;

	pid_set_add(&o.drop, 0x101);
	b = bench_new(&o);
	two_programs(&b);
	play(&b, 20);
	feed(&b);
	cr_assert_eq(program(&b, 0)->video_pid, TS_PID_NULL);
	cr_assert_eq(program(&b, 0)->pcr_pid, 0x101);
	for (size_t i = 0; i < b.out->n; i++) {
		const uint8_t *p = b.out->data[i];

		if (ts_pid(p) != 0x101)
			continue;
		cr_assert(ts_pcr(p, &pcr));
		cr_assert_not(ts_has_payload(p));
		if (n++ == 0)
			first = pcr;
	}
	cr_assert_eq(n, 20);
	cr_assert_eq(first, 1000000 + 3 * MS);
	cr_assert_eq(b.out->cc_errors, 0);
	bench_done(&b);
}

/* PATs and PMTs of the output, by their versions in order. */
static size_t versions_on(const struct bench *b, uint16_t pid, uint8_t *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < b->out->n; i++) {
		const uint8_t *p = b->out->data[i];
		uint8_t version = p[10] >> 1 & 31;

		if (ts_pid(p) != pid)
			continue;
		if (n == 0 || ret[n - 1] != version)
			ret[n++] = version;
	}
	return n;
}

Test(remux, another_program_in_its_place_is_announced_once)
{
	static const struct build_entry nine = { 9, 0x300 };
	struct remux_options o = { 0 };
	struct bench b = bench_new(&o);
	uint8_t pats[64];
	size_t n;

	pat(&b, 0, two, 1);
	pmt(&b, two[0], 0, 0x101, 0x102);
	play(&b, 20);
	feed(&b);
	/* the same version, as that of a file by the same hand */
	pat(&b, 0, &nine, 1);
	play(&b, 20);
	pmt(&b, nine, 0, 0x301, 0x302);
	play(&b, 20);
	feed(&b);
	n = versions_on(&b, TS_PID_PAT, pats);
	cr_assert_eq(n, 2u, "%zu versions of the PAT", n);
	cr_assert_eq(pats[1], (pats[0] + 1) % 32);
	cr_assert_eq(program(&b, 0)->number, 9);
	cr_assert_gt(count(&b, 0x300), 0u);
	cr_assert_eq(b.out->cc_errors, 0);
	bench_done(&b);
}

Test(remux, after_a_reset_another_source_begins)
{
	struct remux_options o = { .pnr = 2 };
	struct bench b = bench_new(&o);
	size_t before;

	two_programs(&b);
	play(&b, 20);
	feed(&b);
	remux_reset(b.remux);
	cr_assert_eq(remux_state(b.remux), REMUX_NO_PAT);
	before = b.out->n;
	play(&b, 5);
	feed(&b);
	cr_assert_eq(b.out->n, before);
	two_programs(&b);
	play(&b, 20);
	feed(&b);
	/* the same tables, with the same versions, and continuous counters */
	cr_assert_eq(program(&b, 0)->pmt.data[5] >> 1 & 0x1f, 6);
	for (size_t i = before; i < b.out->n; i++)
		cr_assert(i != before || ts_pid(b.out->data[i]) == 0);
	bench_done(&b);
}

/* Maps of PIDs: 0x201 is in the PMT of program 2, 0x205 and 0x101 are not. */
Test(remux, maps_of_pids_that_no_pmt_lists_are_named)
{
	struct remux_options o = {
		.pnr = 2,
		.n_maps = 4,
		.maps = { { .what = MAP_PID, .source_pid = 0x205, .pid = 500 },
			  { .what = MAP_PID, .source_pid = 0x201, .pid = 501 },
			  { .what = MAP_AC3, .pid = 502 },
			  { .what = MAP_PID, .source_pid = 0x101, .pid = 503 },
		},
	};
	struct bench b = bench_new(&o);
	uint16_t pids[4];

	pat(&b, 0, two, 2);
	play(&b, 3);
	feed(&b);
	cr_assert_eq(remux_unlisted(b.remux, 0, pids, 4), 0, "no PMT yet");
	two_programs(&b);
	play(&b, 3);
	feed(&b);
	cr_assert_eq(remux_unlisted(b.remux, 0, pids, 4), 2);
	cr_assert_eq(pids[0], 0x205);
	cr_assert_eq(pids[1], 0x101);
	cr_assert_eq(remux_unlisted(b.remux, 1, pids, 4), 1);
	cr_assert_eq(remux_unlisted(b.remux, 0, pids, 1), 1);
	/* the next PMT lists it */
	pmt(&b, two[1], 1, 0x201, 0x205);
	play(&b, 3);
	feed(&b);
	cr_assert_eq(remux_unlisted(b.remux, 0, pids, 4), 1);
	cr_assert_eq(pids[0], 0x101);
	bench_done(&b);
	/* an operator who drops the PID knows that it is not sent */
	pid_set_add(&o.drop, 0x205);
	b = bench_new(&o);
	two_programs(&b);
	play(&b, 3);
	feed(&b);
	cr_assert_eq(remux_unlisted(b.remux, 0, pids, 1), 1);
	cr_assert_eq(pids[0], 0x101);
	bench_done(&b);
}
