/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/crc32.h"
#include "common/base/util.h"
#include "worker/remux/desc_apply.h"
#include "worker/remux/section_writer.h"
#include "worker/ts/si_table.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

enum { PNR = 7, VIDEO = 0x101, AUDIO = 0x102 };

/* A PMT: descriptor 5 of the program, 0x0a and 0x52 of the audio. */
static size_t pmt(uint8_t ret[SECTION_PSI_MAX])
{
	static const uint8_t program[] = { 5, 1, 'a' };
	static const uint8_t audio[] = { 10, 1, 'b', 0x52, 1, 'c', 10, 1,
					 'd' };
	struct section_writer w;
	size_t at;

	section_begin(&w, ret, &(struct section_head){
		.table_id = 2, .extension = PNR, .version = 9,
		.limit = SECTION_PSI_MAX });
	write_pid(&w, VIDEO);
	at = write_loop_begin(&w);
	write_bytes(&w, program, sizeof program);
	write_loop_end(&w, at);
	write_u8(&w, 0x1b);
	write_pid(&w, VIDEO);
	write_loop_end(&w, write_loop_begin(&w));
	write_u8(&w, 0x0f);
	write_pid(&w, AUDIO);
	at = write_loop_begin(&w);
	write_bytes(&w, audio, sizeof audio);
	write_loop_end(&w, at);
	return section_end(&w);
}

static struct desc_edit edit(enum edit_action action, uint16_t pid,
			     uint8_t tag, uint8_t value)
{
	return (struct desc_edit){
		.table = EDIT_PMT, .action = action, .pid = pid, .tag = tag,
		.len = action == EDIT_REMOVE ? 0 : 3,
		.bytes = { tag, 1, value },
	};
}

/* The descriptors of the three loops, between bars. */
static void expect(const struct desc_edit *list, size_t n,
		   const char *expected)
{
	uint8_t in[SECTION_PSI_MAX], out[SECTION_PSI_MAX];
	size_t len = (size_t)desc_apply_pmt((struct desc_edits){ list, n }, in,
					    pmt(in), out);
	size_t ends[3], at = 12, k = 0;
	char text[256] = "";

	cr_assert_leq(len, sizeof out);
	cr_assert_eq(crc32_mpeg(out, len), 0);
	cr_assert_eq(section_length(out), len);
	cr_assert_eq(out[5] >> 1 & 31, 9);
	for (size_t i = 0; i < 3; i++) {
		ends[i] = at + section_get12(out + at - 2);
		for (; at < ends[i]; at += 3, k += 2) {
			text[k] = (char)('0' + out[at] % 10);
			text[k + 1] = (char)out[at + 2];
		}
		at += 5;
		text[k++] = '|';
	}
	cr_assert_eq(at - 5, len - 4);
	cr_expect_str_eq(text, expected);
}

Test(desc_apply, changes_the_loop_that_the_edit_names)
{
	struct desc_edit list[3];

	expect(NULL, 0, "5a||0b2c0d|");
	list[0] = edit(EDIT_ADD, 0, 6, 'x');
	expect(list, 1, "5a6x||0b2c0d|");
	list[0] = edit(EDIT_ADD, VIDEO, 6, 'x');
	expect(list, 1, "5a|6x|0b2c0d|");
	list[0] = edit(EDIT_REPLACE, AUDIO, 10, 'x');
	expect(list, 1, "5a||0x2c|");
	list[0] = edit(EDIT_REPLACE, AUDIO, 3, 'x');
	expect(list, 1, "5a||0b2c0d3x|");
	list[0] = edit(EDIT_REMOVE, AUDIO, 10, 0);
	expect(list, 1, "5a||2c|");
	/* the last one counts */
	list[1] = edit(EDIT_REPLACE, AUDIO, 10, 'y');
	list[2] = edit(EDIT_ADD, AUDIO, 10, 'z');
	expect(list, 3, "5a||0y2c0z|");
	list[2] = edit(EDIT_REMOVE, AUDIO, 10, 0);
	expect(list, 3, "5a||2c|");
	/* another program, another table */
	list[0] = edit(EDIT_ADD, 0, 6, 'x');
	list[0].pnr = PNR + 1;
	expect(list, 1, "5a||0b2c0d|");
	list[0].pnr = PNR;
	expect(list, 1, "5a6x||0b2c0d|");
	list[0].table = EDIT_SDT;
	expect(list, 1, "5a||0b2c0d|");
}

Test(desc_apply, without_room_nothing_is_written)
{
	static struct desc_edit list[5];
	uint8_t in[SECTION_PSI_MAX], out[SECTION_PSI_MAX];

	for (size_t i = 0; i < 5; i++) {
		list[i] = edit(EDIT_ADD, AUDIO, 6, 'x');
		list[i].len = 257;
		list[i].bytes[1] = 255;
	}
	cr_expect_gt(desc_apply_pmt((struct desc_edits){ list, 3 }, in,
				    pmt(in), out), 0);
	cr_expect_eq(desc_apply_pmt((struct desc_edits){ list, 5 }, in,
				    pmt(in), out), -ENOSPC);
}

Test(desc_apply, keeps_the_running_status_of_an_sdt)
{
	/* service 7: running, free; a descriptor 0x48 */
	uint8_t in[] = { 0x42, 0xf0, 0x14, 0, 1, 0xc1, 0, 0, 0, 2, 0xff, 0,
			 PNR, 0xfc, 0x80, 3, 0x48, 1, 'a', 0, 0, 0, 0 };
	uint8_t out[SECTION_PSI_MAX];
	struct desc_edit e = edit(EDIT_ADD, 0, 0x5d, 'x');
	size_t len;

	e.table = EDIT_SDT;
	section_seal(in, sizeof in);
	len = (size_t)desc_apply_sdt((struct desc_edits){ &e, 1 }, in,
				     sizeof in, out);
	cr_assert_eq(len, sizeof in + 3);
	cr_assert_eq(out[14], 0x80);
	cr_assert_eq(out[15], 6);
	cr_assert_eq(out[19], 0x5d);
	cr_assert_eq(crc32_mpeg(out, len), 0);
}

/* A NIT or BAT: the network has descriptor 0x40, and transport streams 7 of
 * network 1, 7 of network 2 and 8 have 0x41 each; after the edit the tags of
 * the four loops. */
static void expect_section(uint8_t table_id, uint8_t number,
			   struct desc_edit e, bool any_network,
			   const char *expected)
{
	uint8_t in[] = { table_id, 0xf0, 43, 0, 3, 0xcb, number, number,
			 0xf0, 3, 0x40, 1, 'n', 0xf0, 27,
			 0, 7, 0, 1, 0xf0, 3, 0x41, 1, 'a',
			 0, 7, 0, 2, 0xf0, 3, 0x41, 1, 'b',
			 0, 8, 0, 1, 0xf0, 3, 0x41, 1, 'c', 0, 0, 0, 0 };
	struct desc_transport own = { 7, 1, any_network };
	uint8_t out[SECTION_PSI_MAX];
	char text[64] = "";
	size_t len, at = 8, k = 0;

	section_seal(in, sizeof in);
	cr_assert_eq(section_length(in), sizeof in);
	len = (size_t)desc_apply_nit((struct desc_edits){ &e, 1 }, own, in,
				     sizeof in, out);
	cr_assert_leq(len, sizeof out);
	cr_assert_eq(crc32_mpeg(out, len), 0);
	cr_assert_eq(section_length(out), len);
	cr_assert_eq(out[5] >> 1 & 31, 5);
	for (unsigned loop = 0; loop < 4; loop++) {
		size_t end = at + 2 + section_get12(out + at);

		for (at += 2; at < end; at += 2 + (size_t)out[at + 1])
			text[k++] = (char)('0' + (out[at] & 15));
		text[k++] = '|';
		if (loop == 0) {
			cr_assert_eq(section_get12(out + at), len - at - 6);
			at += 2;
		}
		at += 4;
	}
	cr_assert_eq(at - 4, len - 4);
	cr_expect_str_eq(text, expected);
}

static void expect_network(uint8_t table_id, struct desc_edit e,
			   bool any_network, const char *expected)
{
	expect_section(table_id, 0, e, any_network, expected);
}

Test(desc_apply, of_a_network_changes_its_loop_or_that_of_the_stream)
{
	static const uint8_t ids[] = { 0x40, 0x4a };

	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		struct desc_edit e = edit(EDIT_ADD, 0, 0x45, 'x');

		e.table = i == 0 ? EDIT_NIT : EDIT_BAT;
		expect_network(ids[i], e, false, "0|15|1|1|");
		expect_network(ids[i], e, true, "0|15|15|1|");
		e.loop = LOOP_NETWORK;
		expect_network(ids[i], e, false, "05|1|1|1|");
		e = edit(EDIT_REMOVE, 0, 0x41, 0);
		e.table = i == 0 ? EDIT_NIT : EDIT_BAT;
		expect_network(ids[i], e, false, "0||1|1|");
		e.loop = LOOP_NETWORK;
		expect_network(ids[i], e, false, "0|1|1|1|");
		e = edit(EDIT_REPLACE, 0, 0x40, 'x');
		e.table = i == 0 ? EDIT_NIT : EDIT_BAT;
		expect_network(ids[i], e, false, "0|10|1|1|");
		/* the other table */
		e.table = i == 0 ? EDIT_BAT : EDIT_NIT;
		expect_network(ids[i], e, false, "0|1|1|1|");
	}
}

Test(desc_apply, a_network_has_what_is_new_in_its_first_section)
{
	struct desc_edit e = edit(EDIT_ADD, 0, 0x45, 'x');

	e.table = EDIT_NIT;
	expect_section(NIT_TABLE_ID, 1, e, false, "0|15|1|1|");
	e.loop = LOOP_NETWORK;
	expect_section(NIT_TABLE_ID, 1, e, false, "0|1|1|1|");
	e = edit(EDIT_REPLACE, 0, 0x40, 'x');
	e.table = EDIT_NIT;
	e.loop = LOOP_NETWORK;
	expect_section(NIT_TABLE_ID, 0, e, false, "0|1|1|1|");
	expect_section(NIT_TABLE_ID, 1, e, false, "|1|1|1|");
}

Test(desc_apply, a_section_that_ends_in_a_loop_is_malformed)
{
	uint8_t in[] = { NIT_TABLE_ID, 0xf0, 13, 0, 3, 0xcb, 0, 0,
			 0xf0, 9, 0xf0, 0, 0, 0, 0, 0 };
	uint8_t out[SECTION_PSI_MAX];

	section_seal(in, sizeof in);
	cr_expect_eq(desc_apply_nit((struct desc_edits){ NULL, 0 },
				    (struct desc_transport){ 0 }, in,
				    sizeof in, out), -EBADMSG);
}

Test(desc_apply, a_broken_section_is_no_section)
{
	uint8_t in[SECTION_PSI_MAX], out[SECTION_PSI_MAX];
	size_t len = pmt(in);

	for (size_t i = 8; i < len - 4; i++) {
		uint8_t before = in[i];

		in[i] ^= 0x0f;
		(void)desc_apply_pmt((struct desc_edits){ NULL, 0 }, in, len,
				     out);
		(void)desc_apply_sdt((struct desc_edits){ NULL, 0 }, in, len,
				     out);
		(void)desc_apply_nit((struct desc_edits){ NULL, 0 },
				     (struct desc_transport){ 0 }, in, len,
				     out);
		in[i] = before;
	}
}

Test(desc_apply, hashes_the_edits_of_a_table)
{
	struct desc_edit list[] = { edit(EDIT_ADD, 0, 0x44, 'a'),
				    edit(EDIT_REMOVE, 0, 0x45, 0) };
	struct desc_edits edits = { list, 2 };
	uint32_t both = desc_edits_hash(edits, EDIT_PMT);

	cr_expect_neq(both, 0);
	cr_expect_eq(desc_edits_hash(edits, EDIT_SDT), 0);
	cr_expect_eq(desc_edits_hash((struct desc_edits){ 0 }, EDIT_PMT), 0);
	cr_expect_eq(desc_edits_hash(edits, EDIT_PMT), both);
	list[0].bytes[2] = 'b';
	cr_expect_neq(desc_edits_hash(edits, EDIT_PMT), both);
	list[0].bytes[2] = 'a';
	list[1].tag = 0x46;
	cr_expect_neq(desc_edits_hash(edits, EDIT_PMT), both);
	list[1].tag = 0x45;
	list[1].table = EDIT_BAT;
	cr_expect_neq(desc_edits_hash(edits, EDIT_PMT), both);
	list[1].table = EDIT_PMT;
	list[1].loop = LOOP_NETWORK;
	cr_expect_neq(desc_edits_hash(edits, EDIT_PMT), both);
}
