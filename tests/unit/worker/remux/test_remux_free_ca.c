/* SPDX-License-Identifier: GPL-3.0-or-later */
/* free_CA_mode of the events of a stream that is scrambled, or no more. */
#include "tests/unit/worker/remux/rig.h"

#include "common/base/crc32.h"
#include "proto/spec/cas_spec.h"

#include <criterion/criterion.h>
#include <string.h>

/* Two events; the first one is in the clear, or both are scrambled. */
static size_t make_eit(uint8_t *ret, uint8_t table_id, bool scrambled)
{
	uint8_t body[] = "\x00\x07\x00\x03\x00\x4e"
			 "\x00\x01\xc0\x79\x12\x45\x00\x01\x30\x00\x80\x0a"
			 "\x4d\x08" "engABCDE"
			 "\x00\x02\xc0\x79\x14\x45\x00\x01\x30\x00\x30\x00";

	body[6 + 10] |= scrambled ? 0x10 : 0;
	return build_table(ret, &(struct build_table){
		.table_id = table_id, .extension = 2, .body = body,
		.len = sizeof body - 1 });
}

/* The flags of both events in the output. */
static void expect(struct bench b, uint8_t table_id, bool scrambled,
		   unsigned first, unsigned second)
{
	static struct sections s;
	uint8_t eit[1024];

	two_programs(&b);
	play(&b, 1);
	build_section(b.in, 0x12, eit, make_eit(eit, table_id, scrambled));
	play(&b, 20);
	feed(&b);
	collect(&b, 0x12, &s);
	cr_assert_eq(s.n, 1);
	cr_expect_eq(crc32_mpeg(s.last, s.len), 0);
	cr_expect_eq(s.last[14 + 10], 0x80 | first << 4);
	cr_expect_eq(s.last[14 + 22 + 10], 0x20 | second << 4);
	bench_done(&b);
}

Test(remux_free_ca, events_are_as_the_services_in_the_sdt)
{
	static const struct remux_options options[] = {
		{ 0 }, { .set_tsid = 70 }, { .pnr = 2 },
	};
	static const struct cas_list cas;

	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		const struct remux_options *o = &options[i];

		expect(bench_new_cas(o, &cas), 0x4e, false, 1, 1);
		expect(bench_new_descrambled(o), 0x50, true, 0, 0);
		expect(bench_new(o), 0x4e, false, 0, 1);
	}
}

Test(remux_free_ca, events_of_others_and_those_that_pass_are_left_alone)
{
	static const struct remux_options pass = { .set_tsid = 70,
						   .eit = TABLE_PASS };
	static const struct remux_options none;

	expect(bench_new_descrambled(&none), 0x4f, true, 1, 1);
	expect(bench_new_descrambled(&pass), 0x4e, true, 1, 1);
}

/* Own EIT of the stream, and those of the source of service 2, or the other
 * way about. */
static const struct service_spec passing = { .pnr = 2,
					     .eit = 1 + ORIGIN_PASS };
static const struct service_spec own = { .pnr = 2, .eit = 1 + ORIGIN_OWN };
static const struct service_spec off = { .pnr = 2, .eit = 1 + ORIGIN_OFF };

Test(remux_free_ca, events_of_a_service_that_pass_are_as_the_sdt)
{
	static const struct remux_options none;

	expect(bench_new_eit(&none, ORIGIN_OWN, &passing, 1), 0x4e, true, 0,
	       0);
}

/* The EIT flags of services 1 and 2 in the SDT. */
static unsigned flags_of(struct bench b)
{
	static const char sdt[] = "\x00\x03\xff" "\x00\x01\xfd\x80\x00"
				  "\x00\x02\xfd\x80\x00";
	static struct sections s;

	two_programs(&b);
	play(&b, 1);
	put_table(&b, 0x11, 0x42, sdt, sizeof sdt - 1);
	play(&b, 20);
	feed(&b);
	collect(&b, 0x11, &s);
	cr_assert_geq(s.n, 1);
	bench_done(&b);
	return (s.last[11 + 2] & 3u) << 4 | (s.last[11 + 5 + 2] & 3u);
}

Test(remux_free_ca, each_service_has_the_flags_of_its_eit)
{
	static const struct remux_options options[] = { { 0 },
							{ .set_tsid = 70 } };

	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		const struct remux_options *o = &options[i];

		cr_expect_eq(flags_of(bench_new_eit(o, ORIGIN_PASS, &own, 1)),
			     0x13);
		cr_expect_eq(flags_of(bench_new_eit(o, ORIGIN_PASS, &off, 1)),
			     0x10);
		cr_expect_eq(flags_of(bench_new_eit(o, ORIGIN_OWN, &passing,
						    1)), 0x31);
		cr_expect_eq(flags_of(bench_new_eit(o, ORIGIN_OFF, &own, 1)),
			     0x03);
	}
}
