/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that ends anywhere: its last units go out whole or not at all. */
#include "worker/input/lap_tail.h"

#include "tests/unit/worker/ts/build.h"
#include "worker/ts/cc.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { VIDEO = 0x101, AUDIO = 0x102, ROUNDS = 6, UNIT = 3 /* packets */ };

/* Bytes of a unit of audio in its first packet; 0: it is not split. */
static size_t split;

/* Begins a unit of known length. */
static void begin(struct build *b, uint16_t pid)
{
	uint8_t *p = build_pes(b, pid, "a", 1);
	size_t at = ts_payload_offset(p), len = TS_PACKET - at - 6;

	/* the last of its packets are full */
	len += (UNIT - 1) * (TS_PACKET - 4);
	p[at + 4] = (uint8_t)(len >> 8);
	p[at + 5] = (uint8_t)len;
	if (split > 0)
		build_split(b, split);
}

/* Audio has a length, video has none; each unit is interleaved with the other
 * PID.  The PCRs are on pcr_pid. */
static struct build *make(uint16_t pcr_pid)
{
	struct build *b = build_new();

	build_tables(b);
	for (unsigned i = 0; i < ROUNDS; i++) {
		(void)build_pes(b, VIDEO, "v", 1);
		begin(b, AUDIO);
		(void)build_pcr(b, pcr_pid, 27000 * 40 * (uint64_t)i);
		(void)build_payload(b, VIDEO, 1);
		(void)build_payload(b, AUDIO, 1);
		(void)build_payload(b, VIDEO, 1);
		(void)build_payload(b, AUDIO, 1);
	}
	return b;
}

struct counts {
	size_t n, pcrs, video, units, cut;
	unsigned errors;
};

static struct counts count(const uint8_t *packets, size_t n)
{
	struct cc *cc = calloc(1, sizeof *cc);
	struct counts c = { .n = n };
	unsigned rest = 0;
	uint64_t pcr;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = packets + i * TS_PACKET;

		c.errors += cc_feed(cc, p) == CC_ERROR;
		c.pcrs += ts_pcr(p, &pcr);
		c.video += ts_pid(p) == VIDEO && ts_has_payload(p);
		if (ts_pid(p) != AUDIO || !ts_has_payload(p))
			continue;
		if (ts_pusi(p)) {
			c.cut += rest > 0;
			c.units++;
			rest = UNIT + (split > 0);
		}
		rest--;
	}
	c.cut += rest > 0;
	free(cc);
	return c;
}

static void cut_anywhere(uint16_t pcr_pid)
{
	struct build *b = make(pcr_pid);
	uint8_t *copy = malloc(b->n * TS_PACKET);

	for (size_t n = 0; n <= b->n; n++) {
		struct counts before = count(b->data, n), after;

		memcpy(copy, b->data, n * TS_PACKET);
		after = count(copy, lap_tail_trim(copy, n));
		cr_assert_eq(after.cut, 0, "%zu", n);
		cr_assert_eq(after.units, before.units - before.cut, "%zu", n);
		cr_assert_eq(after.errors, 0, "%zu", n);
		cr_assert_eq(after.pcrs, before.pcrs, "%zu", n);
		cr_assert_eq(after.video, before.video, "%zu", n);
		if (before.cut == 0)
			cr_assert_eq(after.n, n, "%zu", n);
	}
	free(copy);
	build_free(b);
}

/* The first packet of a picture, without stuffing. */
static void begin_picture(struct build *b)
{
	static const uint8_t full[168];

	(void)build_pes(b, VIDEO, full, sizeof full);
}

/* Pictures have no length: their last packet has stuffing, unless `stuffed' is
 * false. */
static struct build *make_pictures(bool stuffed)
{
	struct build *b = build_new();

	build_tables(b);
	for (unsigned i = 0; i < ROUNDS; i++) {
		begin_picture(b);
		(void)build_pcr(b, VIDEO, 27000 * 40 * (uint64_t)i);
		(void)build_payload(b, VIDEO, 1);
		uint8_t *p = build_payload(b, VIDEO, 1);
		if (!stuffed)
			continue;
		p[3] |= 0x20;
		p[4] = 3;
		p[5] = 0;
		p[6] = p[7] = 0xff;
	}
	return b;
}

Test(lap_tail, has_no_cut_unit_wherever_the_file_ends)
{
	cut_anywhere(VIDEO);
}

Test(lap_tail, has_no_cut_unit_whose_header_several_packets_have)
{
	for (split = 1; split < PES_HEADER + 6; split++)
		cut_anywhere(VIDEO);
}

/* A decoder would wait for the rest, and join the next lap to it. */
Test(lap_tail, has_no_picture_without_the_end_of_its_header)
{
	for (size_t first = 1; first < PES_HEADER + 5; first++) {
		struct build *b = make_pictures(false);
		size_t n = b->n;

		begin_picture(b);
		build_split(b, first);
		cr_assert_eq(lap_tail_trim(b->data, b->n), b->n);
		cr_assert_eq(lap_tail_trim(b->data, n + 1),
			     first < PES_HEADER ? n : n + 1, "%zu", first);
		build_free(b);
	}
}

Test(lap_tail, keeps_the_pcrs_of_a_cut_unit)
{
	cut_anywhere(AUDIO);
}

Test(lap_tail, has_no_cut_picture_where_pictures_end_with_stuffing)
{
	for (int stuffed = 0; stuffed <= 1; stuffed++) {
		struct build *b = make_pictures(stuffed);
		uint8_t *copy = malloc(b->n * TS_PACKET);

		for (size_t n = 0; n <= b->n; n++) {
			size_t before = count(b->data, n).video, after;
			struct counts c;

			memcpy(copy, b->data, n * TS_PACKET);
			c = count(copy, lap_tail_trim(copy, n));
			after = c.video;
			/* the first one shows how the others end */
			if (stuffed && before > UNIT)
				cr_assert_eq(after, before - before % UNIT,
					     "%zu", n);
			else
				cr_assert_eq(after, before, "%zu", n);
			cr_assert_eq(c.errors, 0);
		}
		free(copy);
		build_free(b);
	}
}

/* An adaptation field without a free byte is no stuffing. */
Test(lap_tail, a_pcr_or_private_data_is_no_stuffing)
{
	for (int private = 0; private <= 1; private++) {
		struct build *b = make_pictures(true);
		uint8_t *p;

		begin_picture(b);
		p = build_payload(b, VIDEO, 1);
		p[3] |= 0x20;
		p[4] = private ? 4 : 7;
		p[5] = private ? 0x02 : 0x10;
		p[6] = private ? 2 : 0;
		cr_assert_eq(lap_tail_trim(b->data, b->n),
			     private ? b->n - 2 : b->n - 1);
		build_free(b);
	}
}

/* The rest of a unit that began before these packets is not judged. */
Test(lap_tail, keeps_units_that_began_before)
{
	struct build *b = make(VIDEO);

	cr_assert_eq(lap_tail_trim(b->data + 6 * TS_PACKET, 3), 3);
	cr_assert_eq(lap_tail_trim(b->data, 0), 0);
	build_free(b);
}
