/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When the splice commands of a stream are sent. */
#include "worker/stream/own_cue.h"

#include "common/base/mono.h"
#include "common/base/units.h"
#include "proto/ipc/msg.h"
#include "proto/si/cue_command.h"
#include "proto/si/record.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/splice/cue.h"
#include "worker/stream/cue_memory.h"
#include "worker/tables/table_stage.h"
#include "worker/ts/pes.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
	PMT = 0x100, VIDEO, CUE, CLOCK,
	STEP_MS = 10, START_MS = 1000, PRE_ROLL_MS = 4000,
	INSERT = 5, TIME_SIGNAL = 6,
	SECTION_AT = 5, /* in its packet */
	TYPE_AT = SECTION_AT + 13, /* splice_command_type */
	EVENTS = 10, TIMES = 16,
	STEP_PACKETS = 8,
};

static uint8_t counters[TS_PIDS];
static uint64_t now_ms, last_ms;
static uint16_t pcr_pid = VIDEO;
static size_t split; /* bytes of a PES in its first packet; 0: all */
static unsigned sent;
static json_int_t times[TIMES]; /* splice_inserts have them, each once */
static size_t n_times;
/* time_signals with this segmentation event, and those that cancel it */
static unsigned announced[EVENTS], cancelled[EVENTS];

static void take_signal(const uint8_t *section)
{
	json_t *record = si_record(section, section_length(section), CUE);
	json_t *d;
	size_t i;

	cr_assert_not_null(record);
	json_array_foreach(json_object_get(record, "descriptors"), i, d) {
		json_int_t event = json_integer_value(
			json_object_get(d, "event_id"));

		cr_assert_lt(event, EVENTS);
		(json_is_true(json_object_get(d, "cancel"))
			 ? cancelled : announced)[event]++;
	}
	json_decref(record);
}

static void take_insert(const uint8_t *section)
{
	json_t *record = si_record(section, section_length(section), CUE);
	json_int_t time = json_integer_value(
		json_object_get(record, "pts_time"));
	size_t i = 0;

	cr_assert_not_null(record);
	json_decref(record);
	while (i < n_times && times[i] != time)
		i++;
	if (i == n_times && n_times < TIMES)
		times[n_times++] = time;
	sent++;
	last_ms = now_ms;
}

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (ts_pid(p) == CUE && p[TYPE_AT] == TIME_SIGNAL)
				take_signal(p + SECTION_AT);
			if (ts_pid(p) == CUE && p[TYPE_AT] == INSERT)
				take_insert(p + SECTION_AT);
		}
}

/* Packets of tables, none of which repeats another one. */
static void feed(struct psi *psi, struct build *b)
{
	static unsigned n;

	for (size_t i = 0; i < b->n; i++) {
		ts_set_cc(build_packet(b, i), n++ & 0x0f);
		(void)psi_feed(psi, build_packet(b, i));
	}
}

static void read_pat(struct psi *psi, struct build_entry program)
{
	struct build *b = build_new_of(STEP_PACKETS);
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_pat(section, 0, &program, 1);

	(void)build_section(b, TS_PID_PAT, section, len);
	feed(psi, b);
	build_free(b);
}

static void read_pmt(struct psi *psi, struct build_entry program)
{
	static const struct build_es es[] = { { 0x1b, VIDEO, NULL, 0 },
					      { CUE_STREAM_TYPE, CUE, NULL,
						0 } };
	struct build *b = build_new_of(STEP_PACKETS);
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_pmt(section, program, 0, es, 2);

	section[8] = (uint8_t)(0xe0 | pcr_pid >> 8);
	section[9] = (uint8_t)pcr_pid;
	build_mend_crc(section, len);
	(void)build_section(b, program.pid, section, len);
	feed(psi, b);
	build_free(b);
}

static void read_tables(struct psi *psi)
{
	const struct build_entry program = { 1, PMT };

	read_pat(psi, program);
	read_pmt(psi, program);
}

static struct errmsg refusal; /* of the last command; "": it was sent */

/* Takes the command. */
static void put(struct own_cue *c, json_t *cue)
{
	struct cue_command command;
	bool done;

	cr_assert_eq(cue_command_read(cue, &command, NULL), 0);
	refusal.text[0] = '\0';
	done = own_cue_send(c, &(struct msg_stream_cue){ command.record,
			    command.timed, command.pre_roll_ms },
			    now_ms * MS, &refusal);
	cr_assert_eq(done, refusal.text[0] == '\0');
	json_decref(command.record);
	json_decref(cue);
}

static void insert_of(struct own_cue *c, bool out, int pre_roll_ms)
{
	put(c, json_pack("{s:s, s:i, s:b, s:i}", "command", "splice_insert",
			 "event_id", 7, "out_of_network", out, "pre_roll",
			 pre_roll_ms));
}

static void insert(struct own_cue *c)
{
	insert_of(c, true, PRE_ROLL_MS);
}

/* Packets of a step; lead_ms: of a picture before its time. */
static void step(struct own_cue *c, struct table_stage *stage,
		 unsigned lead_ms)
{
	struct build *b = build_new_of(STEP_PACKETS);
	struct pes_times at;
	struct ts_run run;
	uint8_t *p;

	(void)build_pcr(b, pcr_pid, now_ms * 27000);
	if (lead_ms > 0) {
		p = build_pes(b, VIDEO, NULL, 0);
		cr_assert(pes_times(p, &at));
		pes_set_time(p + at.pts, 90 * (now_ms + lead_ms));
		if (split > 0)
			build_split(b, split);
	}
	(void)build_null(b);
	run = build_run(b);
	own_cue_feed(c, &run, 1, now_ms * MS);
	table_stage_feed(stage, &run, 1, now_ms * MS, now_ms);
	build_free(b);
}

static void play(unsigned lead_ms)
{
	struct psi *psi = psi_new();
	struct table_stage *stage = table_stage_new(
		&(struct table_stage_config){ .cc = counters, .out = take });
	struct cue_memory memory = { 0 };
	struct own_cue *c = own_cue_new(CUE, psi, stage, &memory);

	read_tables(psi);
	own_cue_use(c);
	for (now_ms = STEP_MS; now_ms < START_MS + 2 * PRE_ROLL_MS;
	     now_ms += STEP_MS) {
		if (now_ms == START_MS)
			insert(c);
		step(c, stage, lead_ms);
	}
	own_cue_free(&c);
	table_stage_free(&stage);
	psi_free(&psi);
}

Test(own_cue, repeats_up_to_its_time)
{
	play(0);
	cr_expect_geq(sent, 4u);
	cr_expect_lt(last_ms, (uint64_t)START_MS + PRE_ROLL_MS);
}

/* The splicer has seen the picture then. */
Test(own_cue, no_command_follows_the_picture_of_its_time)
{
	enum { LEAD_MS = 1200 };

	play(LEAD_MS);
	cr_expect_geq(sent, 3u);
	cr_expect_lt(last_ms, (uint64_t)START_MS + PRE_ROLL_MS - LEAD_MS);
}

/* The clock may have a PID of its own. */
Test(own_cue, pictures_count_that_have_no_clock_on_their_pid)
{
	enum { LEAD_MS = 1200 };

	pcr_pid = CLOCK;
	play(LEAD_MS);
	cr_expect_geq(sent, 3u);
	cr_expect_lt(last_ms, (uint64_t)START_MS + PRE_ROLL_MS - LEAD_MS);
}

Test(own_cue, pictures_count_whose_headers_several_packets_have)
{
	enum { LEAD_MS = 1200 };

	split = 6;
	play(LEAD_MS);
	cr_expect_geq(sent, 3u);
	cr_expect_lt(last_ms, (uint64_t)START_MS + PRE_ROLL_MS - LEAD_MS);
}

static json_t *segment(int event, bool cancel)
{
	json_t *d = json_pack("{s:i, s:s, s:i, s:b}", "type_id", 2,
			      "identifier", "CUEI", "event_id", event,
			      "cancel", cancel);
	json_t *rest = json_pack("{s:i, s:s, s:i, s:i, s:i}", "upid_type", 0,
				 "upid", "", "segmentation_type", 52,
				 "segment_num", 1, "segments_expected", 1);

	if (!cancel)
		(void)json_object_update(d, rest);
	json_decref(rest);
	return d;
}

static json_t *signal_of(json_t *segments)
{
	return json_pack("{s:s, s:i, s:o}", "command", "time_signal",
			 "pre_roll", 30000, "descriptors", segments);
}

/* Two seconds, in which nothing is counted before this. */
static void run(struct own_cue *c, struct table_stage *stage)
{
	memset(announced, 0, sizeof announced);
	memset(cancelled, 0, sizeof cancelled);
	for (uint64_t end_ms = now_ms + 2500; now_ms < end_ms;
	     now_ms += STEP_MS)
		step(c, stage, 0);
}

/* Announces the events 8 and 9, or 8 alone, and cancels 8; other: by the next
 * worker. */
static void cancel_event(bool both, bool other)
{
	struct psi *psi = psi_new();
	struct table_stage *stage = table_stage_new(
		&(struct table_stage_config){ .cc = counters, .out = take });
	struct cue_memory memory = { 0 };
	struct own_cue *c = own_cue_new(CUE, psi, stage, &memory);

	now_ms = mono_ns() / MS; /* the next worker compares with that */
	read_tables(psi);
	own_cue_use(c);
	run(c, stage);
	put(c, signal_of(both ? json_pack("[o, o]", segment(8, false),
					  segment(9, false))
			      : json_pack("[o]", segment(8, false))));
	run(c, stage);
	cr_expect_geq(announced[8], 2u);
	cr_expect_eq(announced[9] > 0, both);
	if (other) {
		own_cue_free(&c);
		c = own_cue_new(CUE, psi, stage, &memory);
		own_cue_use(c);
		run(c, stage);
		cr_expect_geq(announced[8], 2u);
	}
	/* that of another event cancels nothing */
	put(c, signal_of(json_pack("[o]", segment(5, true))));
	run(c, stage);
	cr_expect_geq(announced[8], 2u);
	put(c, signal_of(json_pack("[o]", segment(8, true))));
	run(c, stage);
	cr_expect_eq(announced[8], 0u);
	cr_expect_eq(announced[9] >= 2, both);
	cr_expect_geq(cancelled[8], 2u);
	cr_expect_geq(cancelled[5], 2u);
	own_cue_free(&c);
	table_stage_free(&stage);
	psi_free(&psi);
}

Test(own_cue, a_cancelled_segmentation_event_is_not_announced_any_more)
{
	cancel_event(false, false);
	cancel_event(false, true);
}

Test(own_cue, other_events_of_its_command_still_are)
{
	cancel_event(true, false);
	cancel_event(true, true);
}

/* The other event has the same id and another type: it is the end. */
Test(own_cue, a_segmentation_event_has_the_time_of_its_last_command)
{
	struct psi *psi = psi_new();
	struct table_stage *stage = table_stage_new(
		&(struct table_stage_config){ .cc = counters, .out = take });
	struct cue_memory memory = { 0 };
	struct own_cue *c = own_cue_new(CUE, psi, stage, &memory);
	json_t *end = segment(8, false);

	(void)json_object_set_new(end, "segmentation_type", json_integer(53));
	now_ms = START_MS;
	read_tables(psi);
	own_cue_use(c);
	run(c, stage);
	put(c, signal_of(json_pack("[o, o]", segment(8, false),
				   segment(9, false))));
	put(c, signal_of(json_pack("[o]", end)));
	run(c, stage);
	cr_expect_leq(announced[8], 6u);
	cr_expect_geq(announced[8], 4u);
	put(c, signal_of(json_pack("[o]", segment(8, false))));
	run(c, stage);
	cr_expect_leq(announced[8], 6u);
	cr_expect_geq(announced[8], 4u);
	cr_expect_geq(announced[9], 2u);
	own_cue_free(&c);
	table_stage_free(&stage);
	psi_free(&psi);
}

/* Another source has another program: its PAT comes in front of its PMT. */
Test(own_cue, commands_outlive_the_time_between_pat_and_pmt)
{
	const struct build_entry other = { 2, PMT + 0x10 };
	struct psi *psi = psi_new();
	struct table_stage *stage = table_stage_new(
		&(struct table_stage_config){ .cc = counters, .out = take });
	struct cue_memory memory = { 0 };
	struct own_cue *c = own_cue_new(CUE, psi, stage, &memory);

	now_ms = START_MS;
	read_tables(psi);
	own_cue_use(c);
	run(c, stage);
	insert(c);
	run(c, stage);
	cr_expect_geq(sent, 2u);
	read_pat(psi, other);
	own_cue_use(c);
	sent = 0;
	step(c, stage, 0);
	cr_expect_eq(sent, 0u);
	read_pmt(psi, other);
	own_cue_use(c);
	run(c, stage);
	cr_expect_geq(sent, 1u);
	cr_expect_lt(last_ms, (uint64_t)START_MS + 2500 + PRE_ROLL_MS);
	sent = 0;
	run(c, stage);
	run(c, stage);
	cr_expect_eq(sent, 0u);
	own_cue_free(&c);
	table_stage_free(&stage);
	psi_free(&psi);
}

/* Two seconds and a half; returns the number of different times that
 * splice_inserts have in them. */
static size_t times_of_run(struct own_cue *c, struct table_stage *stage)
{
	n_times = 0;
	run(c, stage);
	return n_times;
}

/* The operator moves a break, and announces its end, too. */
Test(own_cue, an_event_has_the_last_time_of_its_command)
{
	struct psi *psi = psi_new();
	struct table_stage *stage = table_stage_new(
		&(struct table_stage_config){ .cc = counters, .out = take });
	struct cue_memory memory = { 0 };
	struct own_cue *c = own_cue_new(CUE, psi, stage, &memory);

	now_ms = START_MS;
	read_tables(psi);
	own_cue_use(c);
	step(c, stage, 0);
	insert_of(c, true, 10000);
	insert_of(c, false, 20000);
	cr_expect_eq(times_of_run(c, stage), 2u);
	insert_of(c, true, 15000);
	cr_expect_eq(times_of_run(c, stage), 2u);
	for (unsigned i = 0; i < 2 * CUES_PENDING_MAX; i++)
		insert_of(c, true, 14000);
	cr_expect_eq(times_of_run(c, stage), 2u);
	own_cue_free(&c);
	table_stage_free(&stage);
	psi_free(&psi);
}

Test(own_cue, the_ninth_command_is_refused_while_eight_wait)
{
	struct psi *psi = psi_new();
	struct table_stage *stage = table_stage_new(
		&(struct table_stage_config){ .cc = counters, .out = take });
	struct cue_memory memory = { 0 };
	struct own_cue *c = own_cue_new(CUE, psi, stage, &memory);

	now_ms = START_MS;
	read_tables(psi);
	own_cue_use(c);
	step(c, stage, 0);
	for (int i = 0; i <= CUES_PENDING_MAX; i++) {
		cr_expect_str_eq(refusal.text, "");
		put(c, json_pack("{s:s, s:i, s:b, s:i}", "command",
				 "splice_insert", "event_id", 100 + i,
				 "out_of_network", true, "pre_roll", 20000));
	}
	cr_expect_str_eq(refusal.text, "8 commands are waiting already");
	own_cue_free(&c);
	table_stage_free(&stage);
	psi_free(&psi);
}

/* The clock of the stream stands when the operator moves the break. */
Test(own_cue, a_command_that_cannot_be_sent_replaces_none)
{
	struct psi *psi = psi_new();
	struct table_stage *stage = table_stage_new(
		&(struct table_stage_config){ .cc = counters, .out = take });
	struct cue_memory memory = { 0 };
	struct own_cue *c = own_cue_new(CUE, psi, stage, &memory);

	now_ms = START_MS;
	read_tables(psi);
	own_cue_use(c);
	step(c, stage, 0);
	insert_of(c, true, 20000);
	put(c, signal_of(json_pack("[o]", segment(8, false))));
	now_ms += 2000;
	insert_of(c, true, 15000);
	put(c, signal_of(json_pack("[o]", segment(8, false))));
	cr_expect_eq(times_of_run(c, stage), 1u);
	cr_expect_geq(announced[8], 2u);
	/* a cancellation ends the repetition all the same */
	now_ms += 2000;
	put(c, signal_of(json_pack("[o]", segment(8, true))));
	cr_expect_eq(times_of_run(c, stage), 1u);
	cr_expect_eq(announced[8], 0u);
	own_cue_free(&c);
	table_stage_free(&stage);
	psi_free(&psi);
}

static json_t *sub_segment(int number)
{
	json_t *d = segment(8, false);

	(void)json_object_set_new(d, "sub_segment_num", json_integer(number));
	(void)json_object_set_new(d, "sub_segments_expected", json_integer(2));
	return d;
}

/* The parts of an opportunity have one event. */
Test(own_cue, sub_segments_are_announced_side_by_side)
{
	struct psi *psi = psi_new();
	struct table_stage *stage = table_stage_new(
		&(struct table_stage_config){ .cc = counters, .out = take });
	struct cue_memory memory = { 0 };
	struct own_cue *c = own_cue_new(CUE, psi, stage, &memory);

	now_ms = START_MS;
	read_tables(psi);
	own_cue_use(c);
	step(c, stage, 0);
	put(c, signal_of(json_pack("[o]", sub_segment(1))));
	put(c, signal_of(json_pack("[o]", sub_segment(2))));
	run(c, stage);
	cr_expect_geq(announced[8], 4u);
	cr_expect_leq(announced[8], 6u);
	put(c, signal_of(json_pack("[o]", sub_segment(2))));
	run(c, stage);
	cr_expect_geq(announced[8], 4u);
	cr_expect_leq(announced[8], 6u);
	own_cue_free(&c);
	table_stage_free(&stage);
	psi_free(&psi);
}
