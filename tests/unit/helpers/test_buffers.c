/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A judge that misses a fault proves nothing. */
#include "tests/helpers/buffers.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
	RATE = 10000000,
	PACKETS_S = RATE / 8 / TS_PACKET, /* in a second */
	PMT = 0x100,
	VIDEO,
	AUDIO,
	SDT_PID = 0x11,
};

struct rig {
	struct buffers *b;
	struct build *ts;
	uint64_t packets;
};

static void give(struct rig *r)
{
	for (size_t i = 0; i < r->ts->n; i++)
		buffers_take(r->b, r->ts->data + i * TS_PACKET);
	r->packets += r->ts->n;
	r->ts->n = 0;
}

static void wait_ms(struct rig *r, unsigned ms)
{
	for (unsigned i = 0; i < PACKETS_S * ms / 1000; i++) {
		(void)build_null(r->ts);
		give(r);
	}
}

static void put_tables(struct rig *r)
{
	static const struct build_entry program = { 1, PMT };
	static const struct build_es es[] = { { 0x1b, VIDEO, NULL, 0 },
					      { 0x03, AUDIO, NULL, 0 } };
	uint8_t section[SECTION_PSI_MAX];
	size_t len = build_pat(section, 0, &program, 1);

	(void)build_section(r->ts, 0, section, len);
	len = build_pmt(section, program, 0, es, 2);
	section[8] = 0xe0 | VIDEO >> 8;
	section[9] = VIDEO & 0xff;
	build_mend_crc(section, len);
	(void)build_section(r->ts, PMT, section, len);
	give(r);
}

static struct rig begin(void)
{
	struct rig r = { buffers_new(27e6 * TS_PACKET * 8 / RATE),
			 build_new(), 0 };

	put_tables(&r);
	return r;
}

static struct buffers_found end(struct rig *r)
{
	struct buffers_found found;

	buffers_end(r->b, &found);
	build_free(r->ts);
	return found;
}

static void put_sdt(struct rig *r, uint8_t id)
{
	uint8_t section[SECTION_PSI_MAX], body[] = { 0, 1, 0xff };
	size_t len = build_table(section, &(struct build_table){
		.table_id = id, .extension = 1, .body = body,
		.len = sizeof body });

	(void)build_section(r->ts, SDT_PID, section, len);
	give(r);
}

Test(buffers, packets_of_audio_and_tables_that_come_too_fast_overflow)
{
	struct rig r = begin();
	struct buffers_found f;

	for (unsigned i = 0; i < 8; i++)
		(void)build_payload(r.ts, AUDIO, 0x55);
	give(&r);
	wait_ms(&r, 100);
	for (unsigned i = 0; i < 4; i++)
		put_tables(&r);
	wait_ms(&r, 100);
	/* at the rate of the buffer there is no fault */
	for (unsigned i = 0; i < 100; i++) {
		(void)build_payload(r.ts, AUDIO, 0x55);
		give(&r);
		wait_ms(&r, 1);
	}
	f = end(&r);
	cr_expect_geq(f.tb_audio, 4u);
	cr_expect_leq(f.tb_audio, 6u);
	cr_expect_geq(f.tb_tables, 2u);
	cr_expect_eq(f.near + f.sdt + f.unreferenced + f.alien, 0u);
}

/* A second of pictures of `packets' each, with a lead of half a second. */
static void play_video(struct rig *r, unsigned packets, unsigned n)
{
	static const uint8_t sps[] = { 0, 0, 0, 1, 0x67, 77, 0, 20, 0x95 };
	uint8_t es[160] = { 0 };

	memcpy(es, sps, sizeof sps);
	for (unsigned i = 0; i < n; i++) {
		uint64_t pcr = BUILD_PTS * UINT64_C(300) - 27000 * 500;

		/* all have one PTS: PCRs bring it into the right distance */
		(void)build_pcr(r->ts, VIDEO, pcr);
		(void)build_pes(r->ts, VIDEO, es, sizeof es);
		for (unsigned k = 1; k < packets; k++)
			(void)build_payload(r->ts, VIDEO, 0x55);
		give(r);
		wait_ms(r, 40);
	}
}

Test(buffers, pictures_beyond_the_buffer_of_their_level_overflow)
{
	struct rig r = begin();
	struct buffers_found f;

	play_video(&r, 10, 25);
	f = end(&r);
	cr_expect_eq(f.judged, 1u);
	cr_expect_eq(f.eb + f.late, 0u, "%s", f.events[0]);
	/* level 2: 2,000 x 1,200 bits, less than half a second of this */
	r = begin();
	play_video(&r, 2000, 25);
	f = end(&r);
	cr_expect_geq(f.eb, 1u);
}

Test(buffers, tables_that_repeat_too_early_or_too_late_are_faults)
{
	struct rig r = begin();
	struct buffers_found f;

	put_sdt(&r, 0x42);
	wait_ms(&r, 10);
	put_sdt(&r, 0x42);
	wait_ms(&r, 1900);
	put_sdt(&r, 0x42);
	wait_ms(&r, 2500);
	put_sdt(&r, 0x42);
	wait_ms(&r, 30);
	/* a table of another PID */
	put_sdt(&r, 0x4e);
	f = end(&r);
	cr_expect_eq(f.near, 1u);
	cr_expect_eq(f.sdt, 1u);
	cr_expect_eq(f.alien, 1u);
}

Test(buffers, a_pid_that_no_table_names_is_a_fault)
{
	struct rig r = begin();
	struct buffers_found f;

	(void)build_payload(r.ts, 0x333, 0x55);
	give(&r);
	wait_ms(&r, 600);
	f = end(&r);
	cr_expect_eq(f.unreferenced, 1u);
}
