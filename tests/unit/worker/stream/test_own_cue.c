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
	PMT = 0x100, VIDEO, CUE,
	STEP_MS = 10, START_MS = 1000, PRE_ROLL_MS = 4000,
	INSERT = 5, TIME_SIGNAL = 6,
	SECTION_AT = 5, /* in its packet */
	TYPE_AT = SECTION_AT + 13, /* splice_command_type */
	EVENTS = 10,
};

static uint8_t counters[TS_PIDS];
static uint64_t now_ms, last_ms;
static unsigned sent;
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

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (ts_pid(p) == CUE && p[TYPE_AT] == TIME_SIGNAL)
				take_signal(p + SECTION_AT);
			if (ts_pid(p) != CUE || p[TYPE_AT] != INSERT)
				continue;
			sent++;
			last_ms = now_ms;
		}
}

static void read_tables(struct psi *psi)
{
	static const struct build_entry program = { 1, PMT };
	static const struct build_es es[] = { { 0x1b, VIDEO, NULL, 0 },
					      { CUE_STREAM_TYPE, CUE, NULL,
						0 } };
	struct build *b = build_new();
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_pat(section, 0, &program, 1);

	(void)build_section(b, TS_PID_PAT, section, len);
	len = build_pmt(section, program, 0, es, 2);
	section[8] = 0xe0 | VIDEO >> 8; /* PCR_PID */
	section[9] = VIDEO & 0xff;
	build_mend_crc(section, len);
	(void)build_section(b, PMT, section, len);
	for (size_t i = 0; i < b->n; i++)
		(void)psi_feed(psi, build_packet(b, i));
	build_free(b);
}

/* Takes the command. */
static void put(struct own_cue *c, json_t *cue)
{
	struct cue_command command;

	cr_assert_eq(cue_command_read(cue, &command, NULL), 0);
	own_cue_send(c, &(struct msg_stream_cue){ command.record,
			command.timed, command.pre_roll_ms }, now_ms * MS);
	json_decref(command.record);
	json_decref(cue);
}

static void insert(struct own_cue *c)
{
	put(c, json_pack("{s:s, s:i, s:b, s:i}", "command", "splice_insert",
			 "event_id", 7, "out_of_network", 1, "pre_roll",
			 PRE_ROLL_MS));
}

/* Packets of a step; lead_ms: of a picture before its time. */
static void step(struct own_cue *c, struct table_stage *stage,
		 unsigned lead_ms)
{
	struct build *b = build_new();
	struct pes_times times;
	struct ts_run run;
	uint8_t *p;

	(void)build_pcr(b, VIDEO, now_ms * 27000);
	if (lead_ms > 0) {
		p = build_pes(b, VIDEO, NULL, 0);
		cr_assert(pes_times(p, &times));
		pes_set_time(p + times.pts, 90 * (now_ms + lead_ms));
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
