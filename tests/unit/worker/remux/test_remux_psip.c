/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of ATSC of a source whose single program goes out. */
#include "tests/unit/worker/remux/rig.h"

#include "common/base/crc32.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PSIP = 0x1ffb, MGT = 0xc7, TVCT = 0xc8, STT = 0xcd, EIT0 = 0x1d00,
       IDS = 0x100, MGT_BYTES = 77 };

static struct bench b;

/* The last section of a table that came out, by its table_id. */
static struct { size_t n, len; uint8_t data[4096]; } out[IDS];

static void collect_psip(void)
{
	static struct section_assembler assembler;
	static uint8_t buffer[4096];

	memset(out, 0, sizeof out);
	section_init(&assembler, buffer, sizeof buffer);
	for (size_t i = 0; i < b.out->n; i++) {
		const uint8_t *section;
		size_t len;

		if (ts_pid(b.out->data[i]) != PSIP)
			continue;
		section_push(&assembler, b.out->data[i]);
		while ((section = section_pull(&assembler, &len))) {
			cr_assert_eq(crc32_mpeg(section, len), 0);
			memcpy(out[section[0]].data, section, len);
			out[section[0]].len = len;
			out[section[0]].n++;
		}
	}
	cr_assert_eq(assembler.crc_errors, 0);
}

static void put(uint8_t id, uint8_t version, uint8_t number, const void *body,
		size_t len)
{
	uint8_t section[4096];

	build_section(b.in, PSIP, section,
		      build_table(section, &(struct build_table){
			.table_id = id, .extension = id == TVCT ? 7 : 0,
			.version = version, .number = number, .last = 1,
			.body = body, .len = len }));
}

/* A channel with the service location of this program's two components. */
static size_t channel(uint8_t *p, uint8_t pnr)
{
	uint8_t page = (uint8_t)(0xe0 | pnr);
	const uint8_t rest[] = {
		0xf0, 0x1c, 0x01, 0x04, 0, 0, 0, 0, 0, 7, 0, pnr,
		0x6d, 0xc2, 0, pnr, 0xfc, 17,
		0xa1, 15, page, 0x01, 2, 0x02, page, 0x01, 'e', 'n', 'g',
		0x81, page, 0x02, 'e', 'n', 'g',
	};

	memset(p, 0, 14);
	p[1] = (uint8_t)('0' + pnr);
	memcpy(p + 14, rest, sizeof rest);
	return 14 + sizeof rest;
}

/* A section with these channels, 0: none. */
static void put_tvct(uint8_t version, uint8_t number, uint8_t first,
		     uint8_t second)
{
	uint8_t body[256] = { 0, (uint8_t)((first > 0) + (second > 0)) };
	size_t len = 2;

	if (first > 0)
		len += channel(body + len, first);
	if (second > 0)
		len += channel(body + len, second);
	body[len++] = 0xfc;
	body[len++] = 0;
	put(TVCT, version, number, body, len);
}

/* Lists the TVCT with this version, EIT-0 and an RRT with a descriptor. */
static void put_mgt(uint8_t version)
{
	const uint8_t body[] = {
		0, 0, 3,
		0, 0, 0xff, 0xfb, (uint8_t)(0xe0 | version), 0, 0, 2, 0, 0xf0,
		0,
		1, 0, 0xfd, 0x00, 0xe1, 0, 0, 0, MGT_BYTES, 0xf0, 0,
		3, 1, 0xff, 0xfb, 0xe2, 0, 0, 0, 99, 0xf0, 2, 0x40, 0,
		0xf0, 0,
	};

	put(MGT, version, 0, body, sizeof body);
}

static void put_others(void)
{
	static const uint8_t time[] = { 0, 1, 2, 3, 4, 18, 0, 0 };
	static const uint8_t event[] = { 0, 0 };
	uint8_t section[64];

	put(STT, 0, 0, time, sizeof time);
	put(0xcc, 0, 0, event, sizeof event);
	build_section(b.in, EIT0, section,
		      build_table(section, &(struct build_table){
			.table_id = 0xcb, .body = event,
			.len = sizeof event }));
}

static void start(const struct remux_options *options)
{
	b = bench_new(options);
	two_programs(&b);
	play(&b, 4);
}

static void play_on(void)
{
	play(&b, 40);
	feed(&b);
	collect_psip();
}

static unsigned get16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

Test(remux_psip, is_reduced_to_the_program)
{
	static const uint8_t location[] = {
		0xa1, 15, 0xe3, 0x00, 2, 0x02, 0xe3, 0x00, 'e', 'n', 'g',
		0x81, 0xe2, 0x02, 'e', 'n', 'g',
	};
	const struct remux_options options = {
		.pnr = 2, .set_pnr = 9, .set_tsid = 70, .n_maps = 1,
		.maps = { { .what = MAP_PID, .source_pid = 0x201,
			    .pid = 0x300 } },
	};
	const uint8_t *vct = out[TVCT].data, *mgt = out[MGT].data;

	start(&options);
	put_tvct(2, 0, 1, 2);
	put_mgt(2);
	put_others();
	play_on();
	cr_assert_eq(out[TVCT].n, 1u);
	cr_expect_eq(get16(vct + 3), 70u);
	cr_expect_eq(vct[5], 0xc5, "its version");
	cr_expect_eq(get16(vct + 6), 0u, "the only section");
	cr_assert_eq(vct[9], 1, "channels");
	cr_expect_eq(vct[11], '2');
	cr_expect_eq(get16(vct + 10 + 22), 70u);
	cr_expect_eq(get16(vct + 10 + 24), 9u);
	cr_expect_eq(vct[10 + 26], 0x2d, "no ETM");
	cr_expect_eq(get16(vct + 10 + 30), 0xfc00u + sizeof location);
	cr_expect_eq(memcmp(vct + 42, location, sizeof location), 0);
	cr_expect_eq(out[TVCT].len, 42 + sizeof location + 2 + 4);

	cr_assert_eq(out[MGT].n, 1u);
	cr_assert_eq(get16(mgt + 9), 2u, "tables");
	cr_expect_eq(get16(mgt + 11), 0u);
	cr_expect_eq(get16(mgt + 16), 0u);
	cr_expect_eq(get16(mgt + 18), out[TVCT].len);
	cr_expect_eq(get16(mgt + 22), 0x301u);
	cr_expect_eq(get16(mgt + 29), 99u);
	cr_expect_eq(get16(mgt + 31), 0xf002u);
	cr_expect_eq(out[MGT].len, 35u + 2 + 4);

	cr_assert_eq(out[STT].n, 1u);
	cr_expect_eq(out[0xcc].n, 0u);
	cr_expect_eq(count(&b, EIT0), 0u);
	bench_done(&b);
}

/* Until a VCT with the version that it lists has come. */
Test(remux_psip, the_mgt_waits_for_its_vct)
{
	start(&(struct remux_options){ .pnr = 1 });
	put_mgt(0);
	play_on();
	cr_assert_eq(out[MGT].n, 0u);
	/* the channels are in the second section */
	put_tvct(0, 0, 2, 0);
	put_tvct(0, 1, 1, 0);
	put_mgt(0);
	play_on();
	cr_assert_eq(out[TVCT].n, 1u);
	cr_assert_eq(out[MGT].n, 1u);
	put_mgt(1);
	play_on();
	cr_assert_eq(out[MGT].n, 1u);
	put_tvct(1, 0, 1, 2);
	put_mgt(1);
	play_on();
	cr_assert_eq(out[TVCT].n, 2u);
	cr_assert_eq(out[MGT].n, 2u);
	/* without the program there is none */
	put_tvct(2, 0, 2, 0);
	put_mgt(2);
	play_on();
	cr_assert_eq(out[TVCT].n, 2u);
	cr_assert_eq(out[MGT].n, 2u);
	bench_done(&b);
}

Test(remux_psip, what_is_malformed_or_dropped_does_not_go_out)
{
	static const uint8_t cut[] = { 0, 2, 0, 0, 0, 0 };
	static const uint8_t few[] = { 0 };
	struct remux_options options = { .pnr = 1 };
	struct remux_counters counters;

	start(&options);
	put(TVCT, 0, 0, cut, sizeof cut);
	put(TVCT, 0, 0, few, sizeof few);
	put(MGT, 0, 0, cut, sizeof cut);
	put(MGT, 0, 0, few, sizeof few);
	play_on();
	cr_assert_eq(out[TVCT].n + out[MGT].n, 0u);
	remux_counters(b.remux, &counters);
	cr_assert_eq(counters.broken, 4u);
	bench_done(&b);

	options.drop.words[PSIP / 64] |= UINT64_C(1) << PSIP % 64;
	options.drop.given = true;
	start(&options);
	put_tvct(0, 0, 1, 2);
	put_others();
	play_on();
	cr_assert_eq(count(&b, PSIP), 0u);
	bench_done(&b);
}

/* A whole multiplex keeps its tables, with the guide. */
Test(remux_psip, of_a_whole_multiplex_passes)
{
	start(&(struct remux_options){ 0 });
	put_tvct(0, 0, 1, 2);
	put_mgt(0);
	put_others();
	play_on();
	cr_assert_eq(out[TVCT].data[9], 2);
	cr_assert_eq(out[MGT].n, 1u);
	cr_assert_eq(count(&b, EIT0), 1u);
	bench_done(&b);
}
