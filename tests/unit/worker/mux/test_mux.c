/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several sources that use the same PIDs and numbers, and one multiplex. */
#include "worker/mux/mux.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/cc.h"
#include "worker/ts/pcr.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	INPUTS = 3,
	TICK_MS = 10,
	KBPS = 4000,
	TEXT = 2048,
	PROGRAMS = 100, /* of a block */
	/* The times of packets are those of their turn. */
	MOVED_MAX = 30 * (PCR_HZ / 1000),
	/* by which the source is ahead for the next worker */
	MOVED_SOURCE = 45 * (PCR_HZ / 1000),
};

struct rig {
	struct splice_continuity continuity;
	struct table_versions versions;
	struct mux *mux;
	struct remux *remux[INPUTS];
	struct build *in[INPUTS];
	size_t fed[INPUTS];
	struct source {
		struct rig *rig;
		size_t i;
	} sources[INPUTS];
	bool off[INPUTS];     /* the input is silent */
	bool stuck[INPUTS];   /* it has tables alone */
	bool late;            /* the second PMT of input 0 is missing */
	unsigned per_tick[INPUTS]; /* packets of the video */
	char name; /* of the services */
	uint64_t now_ns, pcr;

	/* the output */
	struct cc cc;
	unsigned cc_errors, jumps, pats;
	uint8_t pat; /* version of the last PAT */
	uint64_t packets, of_pid[TS_PIDS];
	uint64_t pcr_of[TS_PIDS];
	int64_t ahead[TS_PIDS]; /* of the time of the packet, 27 MHz */
	int64_t moved;   /* the most that a PCR has moved from it */
	struct section_assembler sdt;
	uint8_t sdt_buffer[SECTION_MAX];
	uint8_t status; /* running_status of the first service */
	unsigned tdts;
	uint64_t tdt_late; /* the most that one was behind its second */
	unsigned events;   /* p/f sections of input 1 */
};

/* Compares the distance of a PCR from the time with that of the first one of
 * its PID. */
static void note_time(struct rig *r, uint16_t pid, uint64_t pcr)
{
	int64_t ahead = (int64_t)pcr - (int64_t)(r->now_ns / 1000 * 27);

	if (r->pcr_of[pid] == 0)
		r->ahead[pid] = ahead;
	r->moved = MAX(r->moved, llabs(ahead - r->ahead[pid]));
}

static void on_packet(struct rig *r, const uint8_t *p)
{
	uint16_t pid = ts_pid(p);
	uint64_t pcr;
	size_t len;

	r->packets++;
	r->of_pid[pid]++;
	r->cc_errors += cc_feed(&r->cc, p) != CC_OK;
	r->continuity.cc[pid] = SPLICE_CC_SEEN | ts_cc(p);
	if (ts_pcr(p, &pcr)) {
		r->jumps += r->pcr_of[pid] != 0 &&
			    pcr_diff(pcr, r->pcr_of[pid]) > PCR_HZ / 25;
		note_time(r, pid, pcr);
		r->pcr_of[pid] = pcr;
	}
	if (pid == TS_PID_PAT) {
		r->pats += (p[10] & 0x3e) != r->pat;
		r->pat = p[10] & 0x3e;
	}
	if (pid == SI_PID_TDT) {
		r->tdts++;
		r->tdt_late = MAX(r->tdt_late, r->now_ns % SECOND_NS / MS);
	}
	r->events += pid == SI_PID_EIT && p[5] == EIT_TABLE_ID && ts_pusi(p);
	if (pid != SI_PID_SDT)
		return;
	section_push(&r->sdt, p);
	while (section_pull(&r->sdt, &len) != NULL)
		if (len > 20)
			r->status = r->sdt_buffer[14] >> 5;
}

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++)
			on_packet(arg, runs[i].data + k * TS_PACKET);
}

static void on_remuxed(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct source *s = arg;

	mux_feed(s->rig->mux, s->i, runs, n_runs);
}

static void open_mux(struct rig *r, bool keep)
{
	r->mux = mux_new(&(struct mux_config){
		.n_inputs = INPUTS, .kbps = KBPS, .delay_ms = 200,
		.tsid = 5, .onid = 6, .keep = keep,
		.versions = &r->versions, .continuity = &r->continuity,
		.out = on_out, .arg = r });
	for (size_t i = 0; i < INPUTS; i++)
		mux_setup(r->mux, i, &(struct mux_source_config){
			.base = (uint16_t)(100 * (i + 1)), .count = 100,
			/* the second one goes first */
			.priority = i == 1 ? 1 : 100 });
	for (size_t i = 0; i < INPUTS; i++) {
		struct remux_options options = { .set_tsid = 5 };

		r->sources[i] = (struct source){ r, i };
		r->remux[i] = remux_new(&(struct remux_config){
			.options = &options, .versions = &r->versions,
			.place = mux_place(r->mux, i),
			.out = on_remuxed, .arg = &r->sources[i] });
		mux_set_remux(r->mux, i, r->remux[i]);
	}
}

static void close_mux(struct rig *r)
{
	for (size_t i = 0; i < INPUTS; i++)
		remux_free(&r->remux[i]);
	mux_free(&r->mux);
}

static struct rig *rig_new(bool keep)
{
	struct rig *r = xcalloc(1, sizeof *r);

	r->now_ns = 1006750 * MS; /* a TDT is due after 325 ticks */
	r->pcr = 1000 * PCR_HZ;
	r->name = '1';
	r->pat = UINT8_MAX;
	section_init(&r->sdt, r->sdt_buffer, sizeof r->sdt_buffer);
	for (size_t i = 0; i < INPUTS; i++) {
		r->in[i] = build_new();
		r->per_tick[i] = 4;
	}
	open_mux(r, keep);
	return r;
}

static void rig_free(struct rig *r)
{
	close_mux(r);
	for (size_t i = 0; i < INPUTS; i++)
		build_free(r->in[i]);
	free(r);
}

/* Passes the packets that were built for an input since the last call. */
static void pass(struct rig *r, size_t i)
{
	struct ts_run run = build_run(r->in[i]);

	if (run.n > 0) {
		mux_heard(r->mux, i, r->now_ns);
		remux_feed(r->remux[i], &run, 1, r->now_ns);
	}
	r->in[i]->n = 0;
}

static void turn(struct rig *r)
{
	struct ts_run places = mux_places();

	for (size_t i = 0; i < INPUTS; i++)
		remux_feed(r->remux[i], &places, 1, r->now_ns);
	mux_turn(r->mux, r->now_ns, r->now_ns / MS);
	r->now_ns += TICK_MS * MS;
	r->pcr += TICK_MS * (PCR_HZ / 1000);
}

/* Each input has two programs, 1 and 2, on the same PIDs as all others.
 * which 0: PAT; 1, 2: their PMTs; 3: SDT. */
static void put_table(struct rig *r, size_t i, unsigned which)
{
	static const struct build_entry two[] = { { 1, 0x100 }, { 2, 0x200 } };
	const uint8_t sdt[] = { 0, 1, 0xff, 0, 1, 0xfc, 0x80, 7,
				0x48, 5, 1, 0, 2, 'n', (uint8_t)r->name };
	uint8_t section[SECTION_PSI_MAX];
	size_t len;

	if (which == 0) {
		len = build_pat(section, 0, two, ARRAY_LEN(two));
		(void)build_section(r->in[i], 0, section, len);
	} else if (which == 3) {
		len = build_table(section, &(struct build_table){
			.table_id = SDT_TABLE_ID, .extension = 1,
			.body = sdt, .len = sizeof sdt });
		(void)build_section(r->in[i], SI_PID_SDT, section, len);
	} else {
		const struct build_es es[] = {
			{ 0x1b, (uint16_t)(0x100 * which + 1), NULL, 0 },
			{ 0x0f, (uint16_t)(0x100 * which + 2), NULL, 0 } };

		len = build_pmt(section, two[which - 1], 0, es, 2);
		section[9] = 1; /* the PCR is in the video */
		build_mend_crc(section, len);
		(void)build_section(r->in[i], two[which - 1].pid, section,
				    len);
	}
}

/* A tick of all inputs. */
static void play(struct rig *r, unsigned ticks)
{
	for (unsigned t = 0; t < ticks; t++) {
		for (size_t i = 0; i < INPUTS; i++) {
			if (r->off[i])
				continue;
			for (unsigned k = 0; k < 4 && t % 10 == 0; k++)
				if (k != 2 || i != 0 || !r->late)
					put_table(r, i, k);
			if (r->stuck[i]) {
				pass(r, i);
				continue;
			}
			(void)build_pcr(r->in[i], 0x101, r->pcr);
			(void)build_pcr(r->in[i], 0x201, r->pcr);
			(void)build_pes(r->in[i], 0x101, "", 0);
			for (unsigned k = 1; k < r->per_tick[i]; k++)
				(void)build_payload(r->in[i], 0x101, 0x55);
			(void)build_pes(r->in[i], 0x201, "", 0);
			pass(r, i);
		}
		turn(r);
	}
}

/* Another mux continues.  It takes a moment, and the packets of the source have
 * another delay. */
static void next_worker(struct rig *r)
{
	close_mux(r);
	open_mux(r, false);
	r->now_ns += 20 * MS;
	r->pcr += 20 * (PCR_HZ / 1000) + MOVED_SOURCE;
}

/* Programs, PMT PIDs and PIDs of the output, as text. */
static void describe(const struct rig *r, char text[TEXT])
{
	const struct psi_program *p;
	size_t n = psi_programs(mux_psi(r->mux), &p), at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		struct pmt pmt = { 0 };

		cr_assert_not_null(p[i].pmt.data, "%u", p[i].number);
		cr_assert_eq(pmt_decode(p[i].pmt.data, p[i].pmt.len, &pmt), 0);
		at += (size_t)snprintf(text + at, TEXT - at, "%u@%u %u:",
				       p[i].number, p[i].pmt_pid, pmt.pcr_pid);
		for (size_t k = 0; k < pmt.n_streams; k++)
			at += (size_t)snprintf(text + at, TEXT - at, " %u",
					       pmt.streams[k].pid);
		at += (size_t)snprintf(text + at, TEXT - at, "\n");
	}
}

static void shuffle(unsigned *list, size_t n, unsigned *seed)
{
	for (size_t i = n; i-- > 1;) {
		unsigned k, was = list[i];

		*seed = *seed * 1103515245 + 12345;
		k = (*seed >> 16) % (unsigned)(i + 1);
		list[i] = list[k];
		list[k] = was;
	}
}

static void expect_one_plan(bool keep, const char *wanted)
{
	unsigned seed = 1;

	for (unsigned round = 0; round < 100; round++) {
		struct rig *r = rig_new(keep);
		unsigned list[INPUTS * 3];
		char text[TEXT];

		/* a PMT counts only behind its PAT: so all come again */
		for (unsigned again = 0; again < 2; again++) {
			for (unsigned i = 0; i < ARRAY_LEN(list); i++)
				list[i] = i;
			shuffle(list, ARRAY_LEN(list), &seed);
			for (size_t i = 0; i < ARRAY_LEN(list); i++) {
				put_table(r, list[i] / 3, list[i] % 3);
				pass(r, list[i] / 3);
				turn(r);
			}
		}
		for (unsigned i = 0; i < 250; i++)
			turn(r);
		describe(r, text);
		cr_assert_str_eq(text, wanted, "round %u: %s", round, text);
		rig_free(r);
	}
}

Test(mux, a_hundred_orders_of_arrival_give_one_plan)
{
	expect_one_plan(false,
			"101@156 157: 157 158\n102@112 113: 113 114\n"
			"201@256 257: 257 258\n202@212 213: 213 214\n"
			"301@356 357: 357 358\n302@312 313: 313 314\n");
}

Test(mux, with_keep_only_clashes_move_in_any_order_of_arrival)
{
	expect_one_plan(true,
			"1@256 257: 257 258\n2@512 513: 513 514\n"
			"201@259 260: 260 261\n202@212 213: 213 214\n"
			"301@356 357: 357 358\n302@312 313: 313 314\n");
}

Test(mux, the_rate_is_constant_and_no_packet_is_lost)
{
	struct rig *r = rig_new(false);
	uint64_t begin, due;

	play(r, 300);
	begin = r->packets;
	play(r, 1000);
	due = UINT64_C(10) * KBPS * 1000 / 8 / TS_PACKET;
	cr_expect_leq(r->packets - begin, due + 40);
	cr_expect_geq(r->packets - begin, due - 40);
	cr_expect_eq(r->cc_errors, 0u);
	cr_expect_eq(r->jumps, 0u, "%u", r->jumps);
	/* 3 inputs with 4 packets and a PCR of 157, 257, 357 in each tick */
	for (uint16_t pid = 157; pid < 400; pid += 100)
		cr_expect_geq(r->of_pid[pid], 1250 * 5u);
	rig_free(r);
}

Test(mux, a_silent_input_keeps_its_pmt_and_is_not_running)
{
	struct rig *r = rig_new(false);
	uint64_t pmts;

	play(r, 300);
	cr_expect_eq(r->status, 4);
	r->off[0] = true;
	play(r, 300);
	cr_expect_eq(r->status, 1);
	pmts = r->of_pid[156];
	play(r, 100);
	cr_expect_geq(r->of_pid[156] - pmts, 3u, "%u",
		      (unsigned)(r->of_pid[156] - pmts));
	r->off[0] = false;
	play(r, 300);
	cr_expect_eq(r->status, 4);
	cr_expect_eq(r->cc_errors, 0u);
	rig_free(r);
}

Test(mux, the_next_worker_continues_counters_clocks_and_versions)
{
	struct rig *r = rig_new(false);
	const struct psi_section *pat;
	uint8_t version;

	play(r, 300);
	cr_assert_eq(psi_pat(mux_psi(r->mux), &pat), 1u);
	version = pat->data[5];
	/* a turn whose packets are still in the queue */
	for (size_t i = 0; i < INPUTS; i++) {
		for (unsigned k = 0; k < 40; k++)
			(void)build_pes(r->in[i], 0x101, "", 0);
		pass(r, i);
	}
	turn(r);
	next_worker(r);
	play(r, 300);
	cr_assert_eq(psi_pat(mux_psi(r->mux), &pat), 1u);
	cr_expect_eq(pat->data[5], version);
	cr_expect_eq(r->cc_errors, 0u);
	cr_expect_leq(r->moved, MOVED_MAX);
	rig_free(r);
}

Test(mux, a_worker_without_a_pcr_does_not_cost_the_next_one_a_clock)
{
	struct rig *r = rig_new(false);

	play(r, 300);
	r->stuck[0] = true;
	next_worker(r);
	play(r, 20);
	r->stuck[0] = false;
	next_worker(r);
	play(r, 100);
	cr_expect_leq(r->moved, MOVED_MAX);
	rig_free(r);
}

Test(mux, a_dead_input_does_not_delay_the_next_worker)
{
	struct rig *r = rig_new(false);

	play(r, 300);
	r->off[0] = true;
	next_worker(r);
	r->packets = 0;
	play(r, 50);
	/* 100 ms of them */
	cr_expect_geq(r->packets, KBPS / 8 * 100 / TS_PACKET, "%u",
		      (unsigned)r->packets);
	cr_expect_eq(r->cc_errors, 0u);
	rig_free(r);
}

Test(mux, the_first_pat_lists_all_programs_of_an_input)
{
	struct rig *r = rig_new(false);

	r->late = true;
	play(r, 30);
	r->late = false;
	play(r, 100);
	cr_expect_eq(r->pats, 1u, "%u", r->pats);
	rig_free(r);
}

/* n programs on one PMT PID. */
static void put_programs(struct rig *r, size_t i, uint16_t n)
{
	const struct build_es es = { 0x1b, 0x101, NULL, 0 };
	struct build_entry list[PROGRAMS + 1];
	uint8_t section[SECTION_PSI_MAX];
	size_t len;

	for (uint16_t k = 0; k < n; k++)
		list[k] = (struct build_entry){ (uint16_t)(k + 1), 0x100 };
	len = build_pat(section, 0, list, n);
	(void)build_section(r->in[i], 0, section, len);
	for (uint16_t k = 0; k < n; k++) {
		len = build_pmt(section, (struct build_entry){
			(uint16_t)(k + 1), 0x101 }, 0, &es, 1);
		(void)build_section(r->in[i], 0x100, section, len);
	}
	pass(r, i);
}

Test(mux, programs_without_room_are_left_out_of_all_inputs_alike)
{
	static const uint16_t found[INPUTS] = { PROGRAMS + 1, PROGRAMS, 50 };
	struct rig *r = rig_new(false);
	const struct psi_program *list;

	for (size_t i = 0; i < INPUTS; i++)
		put_programs(r, i, found[i]);
	for (unsigned i = 0; i < 30; i++)
		turn(r);
	cr_expect_eq(psi_programs(mux_psi(r->mux), &list), 250u);
	for (size_t i = 0; i < INPUTS; i++) {
		struct mux_source_state state;

		mux_source_get(r->mux, i, &state);
		cr_expect_eq(state.n_services, MIN(found[i], 100u));
		cr_expect_eq(state.n_unsent, i == 0 ? 1u : 0u);
		/* no number is one of another block */
		for (size_t k = 0; k < state.n_services; k++)
			cr_expect_eq(state.services[k].new_number / 100u,
				     i + 1);
	}
	put_programs(r, 2, PROGRAMS);
	turn(r);
	for (size_t i = 0; i < INPUTS; i++) {
		struct mux_source_state state;

		mux_source_get(r->mux, i, &state);
		cr_expect_eq(state.n_services, 256u / INPUTS);
	}
	rig_free(r);
}

/* An event of program 1 of the input. */
static void put_event(struct rig *r, size_t i, uint8_t table, size_t text)
{
	uint8_t section[SECTION_MAX], body[SECTION_MAX] = {
		0, 1, 0, 1, 0, table };
	size_t len = build_table(section, &(struct build_table){
		.table_id = table, .extension = 1, .body = body,
		.len = 6 + text });

	(void)build_section(r->in[i], SI_PID_EIT, section, len);
}

Test(mux, a_schedule_does_not_delay_present_events_of_another_input)
{
	struct rig *r = rig_new(false);
	struct mux_source_state state;

	play(r, 300);
	for (unsigned i = 0; i < 500; i++) {
		/* 2 Mbit/s of one input, two sections a second of the other */
		put_event(r, 0, EIT_SCHEDULE_TABLE_ID, 2400);
		if (i % 50 == 0)
			put_event(r, 1, EIT_TABLE_ID, 300);
		play(r, 1);
	}
	cr_expect_geq(r->events, 9u, "%u", r->events);
	mux_source_get(r->mux, 0, &state);
	cr_expect_gt(state.eit_dropped, 100u);
	mux_source_get(r->mux, 1, &state);
	cr_expect_eq(state.eit_dropped + r->cc_errors, 0u);
	rig_free(r);
}

static uint8_t sdt_version(const struct rig *r)
{
	return r->sdt_buffer[5] >> 1 & 0x1f;
}

Test(mux, an_sdt_that_always_changes_gets_one_version_a_second)
{
	struct rig *r = rig_new(false);
	uint8_t before;

	play(r, 300);
	before = sdt_version(r);
	for (unsigned i = 0; i < 90; i++) {
		r->name = (char)('A' + i % 20);
		put_table(r, 0, 3);
		pass(r, 0);
		play(r, 1);
	}
	play(r, 100);
	cr_expect_leq((sdt_version(r) - before) & 0x1f, 3);
	cr_expect_neq(sdt_version(r), before);
	rig_free(r);
}

Test(mux, beyond_the_rate_the_lowest_priority_goes_first_as_a_whole)
{
	struct rig *r = rig_new(false);
	struct mux_source_state state;
	uint64_t before;

	play(r, 300);
	before = r->of_pid[157];
	for (size_t i = 0; i < INPUTS; i++)
		r->per_tick[i] = 11;
	play(r, 500);
	mux_source_get(r->mux, 1, &state);
	cr_expect(state.blocked);
	cr_expect_gt(state.dropped, 1000u);
	mux_source_get(r->mux, 0, &state);
	cr_expect(!state.blocked);
	cr_expect_eq(state.dropped, 0u);
	cr_expect_geq(r->of_pid[157] - before, 480 * 12u);
	cr_expect(r->tdts == 1 && r->tdt_late <= 2 * TICK_MS);
	/* its tables stay */
	before = r->of_pid[256];
	for (unsigned i = 0; i < 3; i++)
		mux_every_second(r->mux);
	play(r, 100);
	cr_expect_geq(r->of_pid[256] - before, 8u, "%u",
		      (unsigned)(r->of_pid[256] - before));
	for (size_t i = 0; i < INPUTS; i++)
		r->per_tick[i] = 4;
	for (unsigned i = 0; i < 4; i++) {
		mux_every_second(r->mux);
		play(r, 100);
	}
	mux_source_get(r->mux, 1, &state);
	cr_expect(!state.blocked);
	cr_expect_eq(r->cc_errors, 0u);
	rig_free(r);
}
