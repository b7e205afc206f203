/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/csa/scrambler.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "tests/unit/worker/ts/sample.h"
#include "worker/csa/core.h"

#include <criterion/criterion.h>
#include <dvbcsa/dvbcsa.h>
#include <stdlib.h>
#include <string.h>

/* The tables of build_tables(). */
enum { PMT = 0x100, VIDEO = 0x101, AUDIO = 0x102, GHOST = 0x300, MOST = 6000 };

/* Each test has a process of its own. */
static struct scrambler_pids pids;

static const uint8_t word[] = { 0x12, 0x34, 0x56, 0x9c,
				0xab, 0xcd, 0xef, 0x67 };

struct received {
	size_t n;
	uint8_t data[MOST][TS_PACKET];
};

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct received *r = arg;

	for (size_t i = 0; i < n_runs; i++) {
		cr_assert_leq(r->n + runs[i].n, MOST);
		memcpy(r->data[r->n], runs[i].data, runs[i].n * TS_PACKET);
		r->n += runs[i].n;
	}
}

/* The packet as the library scrambles single ones. */
static void scramble(uint8_t *p)
{
	struct dvbcsa_key_s *key = dvbcsa_key_alloc();
	size_t offset = ts_payload_offset(p);

	dvbcsa_key_set(word, key);
	dvbcsa_encrypt(key, p + offset, (unsigned)(TS_PACKET - offset));
	p[3] |= 0x80;
	dvbcsa_key_free(key);
}

/* A scrambler behind a parser that knows the tables. */
struct rig {
	uint64_t now_ns;
	struct psi *psi;
	struct scrambler *scrambler;
	struct build *b;
	struct received *received;
};

static struct rig rig_new(void)
{
	struct rig g = {
		.psi = psi_new(),
		.scrambler = scrambler_new(csa_core(0), word, &pids),
		.b = build_new(),
		.received = xcalloc(1, sizeof(struct received)),
	};

	scrambler_set_psi(g.scrambler, g.psi);
	return g;
}

static void rig_done(struct rig *g)
{
	psi_free(&g->psi);
	scrambler_free(&g->scrambler);
	build_free(g->b);
	free(g->received);
}

static void learn(struct rig *g)
{
	struct build *tables = build_new();

	build_tables(tables);
	for (size_t i = 0; i < tables->n; i++)
		(void)psi_feed(g->psi, build_packet(tables, i));
	build_free(tables);
}

static void run(struct rig *g)
{
	struct ts_run run = build_run(g->b);

	scrambler_feed(g->scrambler, &run, 1, g->now_ns, take, g->received);
	cr_assert_eq(g->received->n, g->b->n);
}

Test(scrambler, the_components_are_scrambled_and_nothing_else)
{
	struct rig g = rig_new();

	learn(&g);
	build_tables(g.b);
	for (unsigned i = 0; i < 1000; i++) {
		(void)build_payload(g.b, VIDEO, (uint8_t)i);
		(void)build_payload(g.b, i % 2 ? AUDIO : GHOST, (uint8_t)i);
		(void)build_pcr(g.b, VIDEO, i * 27000ULL);
	}
	(void)build_null(g.b);
	run(&g);
	for (size_t i = 0; i < g.b->n; i++) {
		uint8_t *p = build_packet(g.b, i);

		if ((ts_pid(p) == VIDEO || ts_pid(p) == AUDIO) &&
		    ts_payload_offset(p) < TS_PACKET)
			scramble(p);
		cr_assert_arr_eq(g.received->data[i], p, TS_PACKET, "%zu", i);
	}
	rig_done(&g);
}

/* Packets of video, of audio, and a PCR. */
static void build_three(struct rig *g)
{
	(void)build_payload(g->b, VIDEO, 1);
	(void)build_payload(g->b, AUDIO, 2);
	(void)build_pcr(g->b, VIDEO, 27000);
}

Test(scrambler, another_word_has_its_parity)
{
	struct rig g = rig_new();
	uint8_t *p;

	learn(&g);
	build_three(&g);
	scrambler_set_word(g.scrambler, (const uint8_t[8]){ 1 }, true);
	scrambler_set_word(g.scrambler, word, true);
	run(&g);
	p = build_packet(g.b, 0);
	scramble(p);
	p[3] |= 0x40;
	cr_assert_arr_eq(g.received->data[0], p, TS_PACKET);
	rig_done(&g);
}

Test(scrambler, some_classes_alone_are_components)
{
	struct rig g = rig_new();

	learn(&g);
	build_three(&g);
	scrambler_set_classes(g.scrambler, 1u << PID_AUDIO);
	run(&g);
	cr_assert_eq(ts_scrambling(g.received->data[0]), 0);
	cr_assert_eq(ts_scrambling(g.received->data[1]), 2);
	rig_done(&g);
}

Test(scrambler, null_packets_replace_components_that_are_stopped)
{
	struct rig g = rig_new();

	learn(&g);
	build_tables(g.b);
	build_three(&g);
	scrambler_set_mode(g.scrambler, SCRAMBLER_STOP);
	run(&g);
	for (size_t i = 0; i < g.b->n; i++) {
		uint16_t pid = ts_pid(build_packet(g.b, i));
		bool is = pid == VIDEO || pid == AUDIO;

		cr_assert_eq(ts_pid(g.received->data[i]),
			     is ? TS_PID_NULL : pid);
	}
	scrambler_set_mode(g.scrambler, SCRAMBLER_CLEAR);
	g.received->n = 0;
	run(&g);
	for (size_t i = 0; i < g.b->n; i++)
		cr_assert_arr_eq(g.received->data[i], build_packet(g.b, i),
				 TS_PACKET);
	rig_done(&g);
}

Test(scrambler, no_component_leaves_in_the_clear_before_its_pmt)
{
	struct rig g = rig_new();

	build_tables(g.b);
	(void)build_payload(g.b, VIDEO, 1);
	(void)build_payload(g.b, 0x11, 2);
	run(&g);
	for (size_t i = 0; i < g.b->n; i++) {
		const uint8_t *p = build_packet(g.b, i);
		const uint8_t *sent = g.received->data[i];

		if (ts_pid(p) < 0x20)
			cr_assert_arr_eq(sent, p, TS_PACKET, "%zu", i);
		else
			cr_assert_eq(ts_pid(sent), TS_PID_NULL, "%zu", i);
	}
	learn(&g);
	g.received->n = 0;
	run(&g);
	cr_assert_eq(ts_pid(g.received->data[g.b->n - 2]), VIDEO);
	cr_assert_eq(ts_scrambling(g.received->data[g.b->n - 2]), 2);
	rig_done(&g);
}

/* Two programs, of which one has its PMT. */
static void learn_one_of_two(struct rig *g)
{
	static const struct build_entry list[] = { { 1, PMT }, { 2, 0x200 } };
	static const struct build_es es = { .type = 0x1b, .pid = VIDEO };
	struct build *tables = build_new();
	uint8_t section[1024];

	(void)psi_feed(g->psi, build_section(tables, 0, section,
					     build_pat(section, 0, list, 2)));
	(void)psi_feed(g->psi, build_section(tables, PMT, section,
					     build_pmt(section, list[0], 0, &es,
						       1)));
	build_free(tables);
}

Test(scrambler, a_program_of_the_pat_waits_for_its_pmt_but_not_for_ever)
{
	struct rig g = rig_new();

	learn_one_of_two(&g);
	(void)build_payload(g.b, GHOST, 1);
	(void)build_payload(g.b, VIDEO, 2);
	run(&g);
	cr_assert_eq(ts_pid(g.received->data[0]), TS_PID_NULL);
	cr_assert_eq(ts_scrambling(g.received->data[1]), 2);
	g.received->n = 0;
	g.now_ns = (SCRAMBLER_PMT_MS - 1) * MS;
	run(&g);
	cr_assert_eq(ts_pid(g.received->data[0]), TS_PID_NULL);
	g.received->n = 0;
	g.now_ns = SCRAMBLER_PMT_MS * MS;
	run(&g);
	cr_assert_eq(ts_pid(g.received->data[0]), GHOST);
	cr_assert_eq(ts_scrambling(g.received->data[0]), 0);
	rig_done(&g);
}

/* The PAT changes while program 2 still has no PMT. */
Test(scrambler, a_new_program_waits_for_its_pmt_beside_one_without)
{
	static const struct build_entry list[] = { { 1, PMT }, { 2, 0x200 },
						   { 3, 0x400 } };
	struct rig g = rig_new();
	struct build *tables = build_new();
	uint8_t section[1024];

	learn_one_of_two(&g);
	(void)build_payload(g.b, GHOST, 1);
	run(&g);
	g.now_ns = 10 * SCRAMBLER_PMT_MS * MS;
	g.received->n = 0;
	run(&g);
	cr_assert_eq(ts_pid(g.received->data[0]), GHOST);
	/* for the counter of the PAT */
	(void)build_section(tables, 0, section,
			    build_pat(section, 0, list, 2));
	(void)psi_feed(g.psi, build_section(tables, 0, section,
					    build_pat(section, 1, list, 3)));
	g.received->n = 0;
	run(&g);
	cr_assert_eq(ts_pid(g.received->data[0]), TS_PID_NULL);
	g.now_ns += SCRAMBLER_PMT_MS * MS;
	g.received->n = 0;
	run(&g);
	cr_assert_eq(ts_pid(g.received->data[0]), GHOST);
	build_free(tables);
	rig_done(&g);
}

Test(scrambler, the_next_worker_knows_the_components)
{
	struct rig g = rig_new();

	learn(&g);
	(void)build_payload(g.b, VIDEO, 1);
	(void)build_payload(g.b, GHOST, 2);
	run(&g);
	rig_done(&g);
	g = rig_new();
	(void)build_payload(g.b, VIDEO, 1);
	(void)build_payload(g.b, GHOST, 2);
	run(&g);
	cr_assert_eq(ts_scrambling(g.received->data[0]), 2);
	cr_assert_eq(ts_pid(g.received->data[1]), GHOST);
	rig_done(&g);
}

Test(scrambler, the_last_packets_of_a_removed_component_are_scrambled)
{
	static const struct build_es es = { .type = 0x03, .pid = AUDIO };
	struct build_entry program = { 1, PMT };
	struct rig g = rig_new();
	struct build *tables = build_new();
	uint8_t section[1024];

	learn(&g);
	(void)build_payload(g.b, VIDEO, 1);
	run(&g);
	build_tables(tables); /* for the counter of the PMT */
	(void)psi_feed(g.psi, build_section(tables, PMT, section,
					    build_pmt(section, program, 1, &es,
						      1)));
	cr_assert_eq(psi_class(g.psi, VIDEO), PID_UNKNOWN);
	g.received->n = 0;
	run(&g);
	cr_assert_eq(ts_scrambling(g.received->data[0]), 2);
	build_free(tables);
	rig_done(&g);
}

Test(scrambler, scrambled_packets_stay_as_they_are)
{
	struct rig g = rig_new();

	learn(&g);
	for (unsigned i = 0; i < 3; i++)
		build_payload(g.b, VIDEO, (uint8_t)i)[3] |=
			(uint8_t)((i + 1) << 6);
	run(&g);
	cr_assert_arr_eq(g.received->data, build_packet(g.b, 0), 3 * TS_PACKET);
	rig_done(&g);
}

/* The other program scrambled a single service, and with another parity. */
Test(scrambler, a_capture_is_scrambled_as_another_program_does)
{
	static const uint8_t key[] = { 0x01, 0x23, 0x45, 0x69,
				       0x89, 0xab, 0xcd, 0x01 };
	static uint8_t theirs[MOST][TS_PACKET], clear[MOST][TS_PACKET];
	struct received *r = xcalloc(1, sizeof *r);
	struct scrambler *s = scrambler_new(csa_core(0), key, &pids);
	struct psi *psi = psi_new();
	size_t n = sample_packets("test-026.csa.ts", theirs, MOST), same = 0;
	struct ts_run all = { clear[0], n };

	cr_assert_eq(sample_packets("test-026.decsa.ts", clear, MOST), n);
	for (size_t i = 0; i < n; i++)
		(void)psi_feed(psi, clear[i]);
	scrambler_set_psi(s, psi);
	scrambler_feed(s, &all, 1, 0, take, r);
	cr_assert_eq(r->n, n);
	for (size_t i = 0; i < n; i++) {
		if (ts_scrambling(theirs[i]) == 0)
			continue;
		cr_assert_arr_eq(r->data[i] + 4, theirs[i] + 4, TS_PACKET - 4,
				 "%zu", i);
		same++;
	}
	cr_assert_gt(same, 5000);
	scrambler_free(&s);
	psi_free(&psi);
	free(r);
}
