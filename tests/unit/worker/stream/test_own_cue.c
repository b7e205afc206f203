/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When the splice commands of a stream are sent. */
#include "worker/stream/own_cue.h"

#include "common/base/units.h"
#include "proto/ipc/msg.h"
#include "proto/si/cue_command.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/splice/cue.h"
#include "worker/stream/cue_memory.h"
#include "worker/tables/table_stage.h"
#include "worker/ts/pes.h"
#include "worker/ts/psi.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>

enum {
	PMT = 0x100, VIDEO, CUE,
	STEP_MS = 10, START_MS = 1000, PRE_ROLL_MS = 4000,
	INSERT = 5, TYPE_AT = 5 + 13, /* splice_command_type in the packet */
};

static uint8_t counters[TS_PIDS];
static uint64_t now_ms, last_ms;
static unsigned sent;

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

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

static void insert(struct own_cue *c)
{
	json_t *cue = json_pack("{s:s, s:i, s:b, s:i}", "command",
				"splice_insert", "event_id", 7,
				"out_of_network", 1, "pre_roll", PRE_ROLL_MS);
	struct cue_command command;

	cr_assert_eq(cue_command_read(cue, &command, NULL), 0);
	own_cue_send(c, &(struct msg_stream_cue){ command.record,
			command.timed, command.pre_roll_ms }, now_ms * MS);
	json_decref(command.record);
	json_decref(cue);
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
