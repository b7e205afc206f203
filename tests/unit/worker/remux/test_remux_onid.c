/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The original network of the tables of the source, with the key onid. */
#include "tests/unit/worker/remux/rig.h"

#include "common/base/crc32.h"

#include <criterion/criterion.h>

/* Tables of transport stream 7 in network 3; network 9 has another one. */
static const char sdt[] = "\x00\x03\xff" "\x00\x02\xff\x80\x09"
			  "\x4a\x07\x00\x07\x00\x03\x00\x02\x01";
static const char eit[] = "\x00\x07\x00\x03\x00\x4e";
static const char nit[] = "\xf0\x00\xf0\x12" "\x00\x08\x00\x03\xf0\x00"
			  "\x00\x07\x00\x03\xf0\x00"
			  "\x00\x07\x00\x09\xf0\x00";

/* The original_network_id at this place of the last section of a PID. */
static unsigned onid_in(const struct bench *b, uint16_t pid, size_t at)
{
	static struct sections s;

	collect(b, pid, &s);
	cr_assert_geq(s.n, 1, "PID %u", pid);
	cr_expect_eq(crc32_mpeg(s.last, s.len), 0);
	return (unsigned)s.last[at] << 8 | s.last[at + 1];
}

static void play_tables(struct bench *b)
{
	uint8_t section[1024];

	two_programs(b);
	put_table(b, 0x11, 0x42, sdt, sizeof sdt - 1);
	play(b, 1);
	put_table(b, 0x11, 0x42, sdt, sizeof sdt - 1);
	put_table(b, 0x10, 0x40, nit, sizeof nit - 1);
	build_section(b->in, 0x12, section,
		      build_table(section, &(struct build_table){
			.table_id = 0x4e, .extension = 2, .body = eit,
			.len = sizeof eit - 1 }));
	play(b, 80);
	feed(b);
}

Test(remux_onid, is_in_all_tables_of_the_transport_stream)
{
	static const struct remux_options options[] = {
		{ 0 }, { .set_tsid = 70 }, { .pnr = 2 },
	};

	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		struct bench b = bench_new_onid(&options[i], 34);
		size_t loop = 11 + 5 + 2;

		play_tables(&b);
		cr_expect_eq(onid_in(&b, 0x11, 8), 34, "SDT, %zu", i);
		/* behind the service descriptor of the regenerated one */
		if (options[i].pnr != 0)
			loop += 5;
		cr_expect_eq(onid_in(&b, 0x11, loop + 2), 34, "linkage, %zu",
			     i);
		cr_expect_eq(onid_in(&b, 0x12, 10), 34, "EIT, %zu", i);
		if (options[i].pnr == 0) {
			cr_expect_eq(onid_in(&b, 0x10, 12 + 2), 3, "another");
			cr_expect_eq(onid_in(&b, 0x10, 18 + 2), 34, "NIT");
			cr_expect_eq(onid_in(&b, 0x10, 24), 7);
			cr_expect_eq(onid_in(&b, 0x10, 24 + 2), 9);
		}
		bench_done(&b);
	}
}

Test(remux_onid, stays_without_the_key_and_in_tables_that_pass_by_option)
{
	static const struct remux_options pass = {
		.set_tsid = 70, .sdt = TABLE_PASS, .eit = TABLE_PASS,
		.nit = TABLE_PASS };
	static const struct remux_options none;

	for (int i = 0; i < 2; i++) {
		struct bench b = i == 0 ? bench_new_onid(&pass, 34)
					: bench_new(&none);

		play_tables(&b);
		cr_expect_eq(onid_in(&b, 0x11, 8), 3, "SDT");
		cr_expect_eq(onid_in(&b, 0x12, 10), 3, "EIT");
		cr_expect_eq(onid_in(&b, 0x10, 18 + 2), 3, "NIT");
		bench_done(&b);
	}
}

/* A section of the NIT lists the transport stream of network 9 alone. */
Test(remux_onid, a_section_without_the_transport_stream_keeps_others)
{
	static const struct remux_options options = { .set_tsid = 70 };
	static const char foreign[] = "\xf0\x00\xf0\x06"
				      "\x00\x07\x00\x09\xf0\x00";
	struct bench b = bench_new_onid(&options, 34);
	uint8_t section[1024];

	play_tables(&b);
	build_section(b.in, 0x10, section,
		      build_table(section, &(struct build_table){
			.table_id = 0x40, .extension = 7, .number = 1,
			.last = 1, .body = foreign,
			.len = sizeof foreign - 1 }));
	play(&b, 80);
	feed(&b);
	cr_expect_eq(onid_in(&b, 0x10, 12), 7);
	cr_expect_eq(onid_in(&b, 0x10, 12 + 2), 9);
	bench_done(&b);
}

/* The loop of another network does not get the descriptor. */
Test(remux_onid, descriptors_are_those_of_one_network)
{
	static const struct remux_options options[] = {
		{ .n_edits = 1 }, { .n_edits = 1, .set_tsid = 70 },
	};

	for (size_t i = 0; i < 2 * ARRAY_LEN(options); i++) {
		struct remux_options o = options[i / 2];
		struct bench b;

		o.edits[0] = (struct desc_edit){
			.table = EDIT_NIT, .len = 3, .bytes = { 0x80, 1, 5 } };
		b = i % 2 == 0 ? bench_new(&o) : bench_new_onid(&o, 34);
		play_tables(&b);
		cr_expect_eq(onid_in(&b, 0x10, 18 + 4), 0xf003, "%zu", i);
		cr_expect_eq(onid_in(&b, 0x10, 27 + 2), 9, "%zu", i);
		cr_expect_eq(onid_in(&b, 0x10, 27 + 4), 0xf000, "%zu", i);
		bench_done(&b);
	}
}

/* Another source: its NIT arrives in front of its SDT. */
Test(remux_onid, a_source_without_an_sdt_has_the_descriptors)
{
	const struct remux_options o = {
		.n_edits = 1,
		.edits = { { .table = EDIT_NIT, .len = 3,
			     .bytes = { 0x80, 1, 5 } } },
	};
	struct bench b = bench_new(&o);

	play_tables(&b);
	remux_reset(b.remux);
	b.out->n = 0;
	two_programs(&b);
	play(&b, 1);
	put_table(&b, 0x10, 0x40, nit, sizeof nit - 1);
	play(&b, 80);
	feed(&b);
	cr_expect_eq(onid_in(&b, 0x10, 18 + 4), 0xf003);
	bench_done(&b);
}
