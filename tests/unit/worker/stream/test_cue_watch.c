/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/cue_watch.h"

#include "common/base/units.h"
#include "proto/ipc/msg.h"
#include "tests/unit/proto/si/json_eq.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/psi.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { CUES = 0x1f0, VIDEO = 0x101 };

static struct {
	struct psi *psi;
	struct cue_watch *watch;
	uint64_t now_ns;
	unsigned n;
	char last[256]; /* command, PID and event */
	size_t bytes;   /* of the last report */
} g;

static int take(const struct msg *m, void *arg)
{
	const json_t *r = m->stream_splice.record;

	(void)arg;
	cr_assert_eq(m->type, MSG_STREAM_SPLICE);
	g.n++;
	g.bytes = json_dumpb(r, NULL, 0, JSON_COMPACT);
	(void)snprintf(g.last, sizeof g.last, "%s %d %d",
		       json_string_value(json_object_get(r, "command")),
		       (int)json_integer_value(json_object_get(r, "pid")),
		       (int)json_integer_value(json_object_get(r,
							       "event_id")));
	return 0;
}

static void feed(struct build *b)
{
	struct ts_run run = build_run(b);

	for (size_t i = 0; i < run.n; i++)
		(void)psi_feed(g.psi, run.data + i * TS_PACKET);
	cue_watch_feed(g.watch, &run, 1, g.now_ns);
	b->n = 0;
}

static void tables(struct build *b, uint8_t version, uint8_t type)
{
	const struct build_entry entry = { 1, 0x100 };
	const struct build_es es[] = { { 0x1b, VIDEO, NULL, 0 },
				       { type, CUES, NULL, 0 } };
	uint8_t section[1024];

	(void)build_section(b, 0, section, build_pat(section, 0, &entry, 1));
	(void)build_section(b, entry.pid, section,
			    build_pmt(section, entry, version, es, 2));
	feed(b);
}

static struct build *begin(void)
{
	struct build *b = build_new();

	g.psi = psi_new();
	g.watch = cue_watch_new(g.psi, take, NULL);
	g.now_ns = 1000 * SECOND_NS;
	tables(b, 0, 0x86);
	return b;
}

static void end(struct build *b)
{
	cue_watch_free(&g.watch);
	cr_expect_null(g.watch);
	psi_free(&g.psi);
	build_free(b);
}

/* The cancellation of an event, or another command without fields. */
static void command(struct build *b, uint16_t pid, uint8_t type,
		    uint8_t event)
{
	uint8_t section[64];
	size_t len = from_hex(
		type == 5 ? "fc3016 00 0000000000 ff fff005 05 00000007ff 0000"
			    "00000000"
			  : "fc3011 00 0000000000 ff fff000 00 0000 00000000",
		section, sizeof section);

	section[13] = type;
	if (type == 5)
		section[17] = event;
	build_mend_crc(section, len);
	(void)build_section(b, pid, section, len);
}

Test(cue_watch, reports_a_command_once)
{
	struct build *b = begin();

	for (unsigned i = 0; i < 8; i++) {
		command(b, CUES, 5, 7);
		command(b, CUES, 0, 0);
		command(b, CUES, 7, 0);
		command(b, VIDEO, 5, 8);
		feed(b);
		g.now_ns += 2 * SECOND_NS;
	}
	cr_expect_eq(g.n, 1, "%u", g.n);
	cr_expect_str_eq(g.last, "splice_insert 496 7");
	command(b, CUES, 5, 8);
	feed(b);
	cr_expect_str_eq(g.last, "splice_insert 496 8");
	/* the same command, much later */
	g.now_ns += CUE_WATCH_SAME_S * SECOND_NS;
	command(b, CUES, 5, 7);
	feed(b);
	cr_expect_eq(g.n, 3);
	end(b);
}

Test(cue_watch, limits_its_pace)
{
	struct build *b = begin();

	for (unsigned round = 1; round < 4; round++) {
		for (uint8_t event = 0; event < 25; event++)
			command(b, CUES, 5, event);
		feed(b);
		cr_expect_eq(g.n, round < 3 ? round * CUE_WATCH_PER_S : 25,
			     "%u", g.n);
		g.now_ns += SECOND_NS;
	}
	end(b);
}

Test(cue_watch, follows_the_tables)
{
	struct build *b = begin();

	tables(b, 1, 0x0f);
	command(b, CUES, 5, 7);
	feed(b);
	cr_expect_eq(g.n, 0);
	tables(b, 2, 0x86);
	command(b, CUES, 5, 7);
	feed(b);
	cr_expect_eq(g.n, 1);
	end(b);
}

/* time_signal with fourteen segmentation descriptors of 255 bytes. */
Test(cue_watch, limits_a_report)
{
	struct build *b = begin();
	uint8_t section[4096] = { 0xfc, 0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0xff,
				  0xf0, 1, 6, 0x7f };
	size_t at = 17;

	for (unsigned i = 0; i < 14; i++) {
		section[at++] = 0xf0;
		section[at++] = 255;
		memset(section + at, 0xaa, 255);
		at += 255;
	}
	section[15] = (uint8_t)((at - 17) >> 8);
	section[16] = (uint8_t)(at - 17);
	at += 4;
	section[1] |= (uint8_t)((at - 3) >> 8);
	section[2] = (uint8_t)(at - 3);
	build_mend_crc(section, at);
	(void)build_section(b, CUES, section, at);
	feed(b);
	cr_expect_eq(g.n, 1);
	cr_expect_str_eq(g.last, "time_signal 496 0");
	cr_expect_leq(g.bytes, (size_t)CUE_WATCH_BYTES);
	/* a wrong checksum */
	section[30] ^= 1;
	(void)build_section(b, CUES, section, at);
	feed(b);
	cr_expect_eq(g.n, 1);
	end(b);
}
