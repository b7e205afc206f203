/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/pes_head.h"

#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PID = 0x101, OTHER = 0x102, TIME = 5, PTS = 0x123456, DTS = 0x12000 };

static void write_time(uint8_t *at, uint64_t time)
{
	memcpy(at, (const uint8_t[]){ 0x11, 0, 1, 0, 1 }, TIME);
	pes_set_time(at, time);
}

/* A packet with a whole PES; flags: PTS_DTS_flags and ESCR_flag. */
static size_t add_unit(struct build *b, uint16_t pid, uint8_t flags)
{
	static const uint8_t data[] = "data";
	uint8_t more[TIME + 6 + sizeof data] = { 0 }, *p, *pes;
	size_t n = (flags & 0x40 ? TIME : 0U) + (flags & 0x20 ? 6U : 0U);

	memcpy(more + n, data, sizeof data);
	p = build_pes(b, pid, more, n + sizeof data);
	pes = p + ts_payload_offset(p);
	pes[7] = flags;
	pes[8] = (uint8_t)(TIME + n);
	write_time(pes + PES_HEADER, PTS);
	if (flags & 0x40)
		write_time(pes + PES_HEADER + TIME, DTS);
	return PES_HEADER + TIME + n;
}


/* Splits the last packet; doubled: each part is sent twice. */
static void split(struct build *b, size_t first, size_t second, bool doubled)
{
	build_split(b, first);
	if (second > 0)
		build_split(b, second);
	for (size_t i = b->n - (second > 0 ? 3 : 2); doubled && i < b->n;
	     i += 2) {
		uint8_t *p = build_packet(b, i);

		memmove(p + TS_PACKET, p, (b->n - i) * TS_PACKET);
		b->n++;
	}
}

static void judge(const struct pes_stamps *at, uint8_t flags)
{
	cr_assert_eq(at->pts, PTS);
	cr_assert_eq(at->dts, flags & 0x40 ? (uint64_t)DTS : (uint64_t)PTS);
}

/* The PES of PID whose times are read; the last packet decides. */
static unsigned count(const struct build *b, uint8_t flags)
{
	struct pes_reader r = { 0 };
	struct pes_stamps at;
	unsigned n = 0;

	for (size_t i = 0; i < b->n; i++) {
		const uint8_t *p = b->data + i * TS_PACKET;

		if (!ts_pusi(p) && r.n == 0)
			continue;
		if (pes_reader_take(&r, p, &at) != PES_READ)
			continue;
		judge(&at, flags);
		if (at.data < TS_PACKET)
			cr_assert_arr_eq(p + at.data, "data",
					 MIN(TS_PACKET - at.data, 4u));
		n++;
	}
	cr_assert_eq(r.n, 0u);
	return n;
}

Test(pes_head, times_are_read_wherever_a_header_is_split)
{
	static const uint8_t flags[] = { 0x80, 0xc0, 0xe0, 0xa0 };
	struct build *b = build_new();

	for (unsigned i = 0; i < 4 * 2; i++) {
		size_t len = add_unit(b, PID, flags[i / 2]);
		size_t times = PES_HEADER +
			       (flags[i / 2] & 0x40 ? 2U : 1U) * TIME;

		for (size_t first = 1; first < len + 3; first++)
			for (size_t second = 0; second + first < len + 4;
			     second++) {
				b->n = 0;
				(void)add_unit(b, PID, flags[i / 2]);
				split(b, first, second, i % 2);
				(void)add_unit(b, OTHER, flags[i / 2]);
				/* a duplicate has the times, too */
				cr_assert_eq(count(b, flags[i / 2]),
					     i % 2 && first >= times ? 3u
								     : 2u);
			}
		b->n = 0;
	}
	build_free(b);
}

Test(pes_head, a_header_without_its_rest_has_no_times)
{
	struct build *b = build_new();
	struct pes_stamps at;

	(void)add_unit(b, PID, 0xc0);
	split(b, 10, 0, false);
	cr_assert(!pes_stamps_find(b->data, &at));
	/* its second packet is lost; two PES follow */
	b->n--;
	(void)build_payload(b, PID, 0x55);
	(void)add_unit(b, PID, 0xc0);
	split(b, 10, 0, false);
	(void)add_unit(b, PID, 0xc0);
	cr_assert_eq(count(b, 0xc0), 2u);
	build_free(b);
}

Test(pes_head, headers_of_several_pids_lie_between_each_other)
{
	uint8_t seconds[PES_READER_MAX * TS_PACKET];
	struct build *b = build_new();

	for (uint16_t pid = 0; pid < PES_READER_MAX; pid++) {
		(void)add_unit(b, PID + pid, 0x80);
		split(b, 9, 0, false);
		/* the second part is after the first ones of all */
		memcpy(seconds + pid * TS_PACKET, build_packet(b, b->n - 1),
		       TS_PACKET);
		b->n--;
	}
	memcpy(b->data + b->n * TS_PACKET, seconds, sizeof seconds);
	b->n += PES_READER_MAX;
	cr_assert_eq(count(b, 0x80), (unsigned)PES_READER_MAX);
	build_free(b);
}

/* PIDs that end so take no places from others. */
Test(pes_head, the_newest_headers_are_kept)
{
	struct build *b = build_new();
	struct pes_reader r = { 0 };
	struct pes_stamps at;

	for (uint16_t pid = 0; pid < 3 * PES_READER_MAX; pid++) {
		b->n = 0;
		(void)add_unit(b, PID + pid, 0x80);
		split(b, 9, 0, false);
		cr_assert_eq(pes_reader_take(&r, b->data, &at), PES_WAITS);
	}
	cr_assert_eq(pes_reader_take(&r, build_packet(b, 1), &at), PES_READ);
	cr_assert_eq(r.n, PES_READER_MAX - 1u);
	build_free(b);
}
