/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/splice/cue.h"

#include "common/base/crc32.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/splice/splice.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PID = 0x1f0, LEN_MAX = 1000, PACKETS = 8 };

#define WRAP (UINT64_C(1) << 33)

static void seal(uint8_t *s, size_t len)
{
	uint32_t crc;

	s[1] = (uint8_t)(0x30 | (len - 3) >> 8);
	s[2] = (uint8_t)(len - 3);
	crc = crc32_mpeg(s, len - 4);
	for (size_t i = 0; i < 4; i++)
		s[len - 4 + i] = (uint8_t)(crc >> (24 - 8 * i));
}

/* A message of len bytes whose pts_adjustment is this. */
static void make(uint8_t *s, size_t len, uint64_t adjustment)
{
	for (size_t i = 0; i < len; i++)
		s[i] = (uint8_t)(i * 7);
	s[0] = CUE_TABLE_ID;
	s[4] = (uint8_t)(0x7e | adjustment >> 32);
	for (size_t i = 0; i < 4; i++)
		s[5 + i] = (uint8_t)(adjustment >> (24 - 8 * i));
	seal(s, len);
}

static size_t pack(const uint8_t *s, size_t len, uint8_t *packets)
{
	uint8_t cc = 0;

	return section_pack(s, len, PID, &cc, packets);
}

static size_t unpack(const uint8_t *packets, size_t n, uint8_t *ret)
{
	size_t have = 0;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = packets + i * TS_PACKET;
		size_t at = i == 0 ? 5 : 4;

		memcpy(ret + have, p + at, TS_PACKET - at);
		have += TS_PACKET - at;
	}
	return section_length(ret);
}

static void check(size_t len, uint64_t before, uint64_t ticks)
{
	uint8_t section[LEN_MAX], wanted[LEN_MAX], moved[PACKETS * TS_PACKET];
	uint8_t packets[PACKETS * TS_PACKET];
	struct cue c = { 0 };
	size_t n;

	make(section, len, before);
	make(wanted, len, (before + ticks) % WRAP);
	n = pack(section, len, packets);
	for (size_t i = 0; i < n; i++)
		cue_move(&c, packets + i * TS_PACKET, ticks);
	cr_assert_eq(unpack(packets, n, moved), len);
	cr_assert_arr_eq(moved, wanted, len);
	cr_assert_eq(crc32_mpeg(moved, len), 0);
	cr_assert_eq(c.now.len, 0, "nothing is under way");
}

Test(cue, moves_by_the_field_that_is_for_it_and_keeps_the_crc_right)
{
	static const size_t lens[] = { 13, 20, 183, 184, 185, 187, 188, 190,
				       367, 368, 369, 900 };

	for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
		check(lens[i], 0, 1);
		check(lens[i], 0x123456789, 0x1edcba987);
		check(lens[i], WRAP - 1, 1);
		check(lens[i], 77, 0);
	}
}

Test(cue, a_wrong_crc_stays_wrong)
{
	uint8_t section[30], packet[TS_PACKET], moved[TS_PACKET];
	struct cue c = { 0 };

	make(section, sizeof section, 5);
	section[20] ^= 1;
	(void)pack(section, sizeof section, packet);
	cue_move(&c, packet, 90000);
	(void)unpack(packet, 1, moved);
	cr_assert_neq(crc32_mpeg(moved, sizeof section), 0);
}

Test(cue, other_tables_and_following_bytes_are_unchanged)
{
	uint8_t section[40], packet[TS_PACKET], before[TS_PACKET];
	struct cue c = { 0 };

	make(section, sizeof section, 5);
	section[0] = 0xfb;
	seal(section, sizeof section);
	(void)pack(section, sizeof section, packet);
	memcpy(before, packet, sizeof before);
	cue_move(&c, packet, 90000);
	cr_assert_arr_eq(packet, before, TS_PACKET);
}

Test(cue, two_in_a_packet_are_both_moved)
{
	uint8_t two[60], wanted[60], packet[TS_PACKET], moved[TS_PACKET];
	struct cue c = { 0 };

	make(two, 30, 5);
	make(two + 30, 30, 6);
	make(wanted, 30, 15);
	make(wanted + 30, 30, 16);
	(void)pack(two, 30, packet);
	memcpy(packet + 5, two, sizeof two);
	cue_move(&c, packet, 10);
	(void)unpack(packet, 1, moved);
	cr_assert_arr_eq(moved, wanted, sizeof wanted);
}

Test(cue, lengths_and_pointers_that_lie_are_harmless)
{
	uint8_t packet[TS_PACKET];
	struct cue c = { 0 };
	uint32_t random = 1;

	for (int i = 0; i < 200000; i++) {
		for (size_t k = 0; k < sizeof packet; k++) {
			random = random * 1664525 + 1013904223;
			packet[k] = (uint8_t)(random >> 24);
			if (k % 5 == 0 && (random & 0x300) == 0)
				packet[k] = CUE_TABLE_ID;
		}
		packet[0] = TS_SYNC_BYTE;
		packet[3] = (uint8_t)(0x10 | (i & 0x0f));
		cue_move(&c, packet, random);
		cr_assert(c.now.len == 0 || c.now.at < c.now.len);
	}
}

Test(cue, a_duplicate_packet_changes_as_the_first_one_did)
{
	uint8_t section[500], wanted[500], packets[3 * TS_PACKET];
	uint8_t twice[TS_PACKET], moved[3 * TS_PACKET];
	struct cue c = { 0 };

	make(section, sizeof section, 5);
	make(wanted, sizeof wanted, 90005);
	cr_assert_eq(pack(section, sizeof section, packets), 3u);
	for (size_t i = 0; i < 3; i++) {
		memcpy(twice, packets + i * TS_PACKET, TS_PACKET);
		cue_move(&c, packets + i * TS_PACKET, 90000);
		cue_move(&c, twice, 90000);
		cr_assert_arr_eq(twice, packets + i * TS_PACKET, TS_PACKET);
	}
	(void)unpack(packets, 3, moved);
	cr_assert_arr_eq(moved, wanted, sizeof wanted);
}

Test(cue, the_rest_of_a_section_behind_a_missing_packet_is_unchanged)
{
	uint8_t section[500], packets[3 * TS_PACKET], before[TS_PACKET];
	uint8_t *last = packets + 2 * TS_PACKET;
	struct cue c = { 0 };

	make(section, sizeof section, 5);
	(void)pack(section, sizeof section, packets);
	memcpy(before, last, sizeof before);
	cue_move(&c, packets, 90000);
	cue_move(&c, last, 90000);
	cr_assert_arr_eq(last, before, TS_PACKET);
	cr_assert_eq(c.now.len, 0);
}

/* --- in a stream --- */

struct sink {
	size_t n;
	uint8_t packets[64][TS_PACKET];
};

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct sink *to = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++)
			memcpy(to->packets[to->n++], runs[i].data +
			       k * TS_PACKET, TS_PACKET);
}

static void feed(struct splice *s, struct build *ts)
{
	struct ts_run run = build_run(ts);

	splice_feed(s, &run, 1, SECOND_NS);
	splice_turn(s, SECOND_NS);
	ts->n = 0;
}

/* The last packets of a section may come twice, with a cue of another PID
 * between them. */
Test(cue, those_of_two_pids_do_not_take_the_place_of_each_other)
{
	const struct build_es streams[] = { { 0x1b, 0x101, "", 0 },
					    { 0x86, PID, "", 0 },
					    { 0x86, PID + 1, "", 0 } };
	const struct build_entry entry = { 1, 0x100 };
	struct sink out = { 0 };
	struct splice *s = splice_new(&(struct splice_config){
		.out = take, .arg = &out });
	struct build *ts = build_new();
	uint8_t section[LEN_MAX], cue[300];
	const uint8_t *twice[2];
	size_t n = 0;

	(void)build_section(ts, 0, section, build_pat(section, 0, &entry, 1));
	(void)build_section(ts, 0x100, section,
			    build_pmt(section, entry, 0, streams, 3));
	(void)build_pcr(ts, 0x101, 0);
	feed(s, ts);
	splice_shift(s, 90000);
	out.n = 0;
	make(cue, sizeof cue, 5);
	(void)build_section(ts, PID, cue, sizeof cue);
	make(section, 40, 5);
	(void)build_section(ts, PID + 1, section, 40);
	memcpy(build_packet(ts, ts->n++), build_packet(ts, 1), TS_PACKET);
	feed(s, ts);
	for (size_t i = 0; i < out.n; i++)
		if (ts_pid(out.packets[i]) == PID && !ts_pusi(out.packets[i]) &&
		    n < 2)
			twice[n++] = out.packets[i];
	cr_assert_eq(n, 2u);
	cr_assert_arr_eq(twice[0], twice[1], TS_PACKET);
	splice_free(&s);
	build_free(ts);
}
