/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SDT of a stream whose keys name services. */
#include "tests/unit/worker/remux/rig.h"

#include "proto/spec/remux_options.h"
#include "proto/spec/tables_spec.h"

#include <criterion/criterion.h>

/* Types and names of the keys are in the SDT of the output, with the numbers of
 * the output, whatever else the options change; pass_sdt passes it. */
Test(remux_names, the_sdt_has_the_types_and_names_of_the_keys)
{
	static const char source[] = "\x00\x03\xff"
		"\x00\x01\xfd\x80\x07" "\x48\x05\x01\x01" "A" "\x01" "B"
		"\x00\x02\xfe\x80\x07" "\x48\x05\x01\x01" "C" "\x01" "D";
	static const struct service_spec list[] = {
		{ .pnr = 2, .type = 25, .name = "E" }, { .pnr = 9, .type = 2 },
		{ .pnr = 1, .lcn = 4 },
	};
	static const struct {
		struct remux_options o;
		size_t len;
		const char *sdt;
	} cases[] = {
		{ { 0 }, 24, "\x00\x01\xfd\x80\x07" "\x48\x05\x01\x01" "A"
			     "\x01" "B" "\x00\x02\xfe\x80\x07"
			     "\x48\x05\x19\x01" "C" "\x01" "E" },
		{ { .set_tsid = 70 }, 24,
		  "\x00\x01\xfd\x80\x07" "\x48\x05\x01\x01" "A"
		  "\x01" "B" "\x00\x02\xfe\x80\x07"
		  "\x48\x05\x19\x01" "C" "\x01" "E" },
		{ { .pnr = 2, .service_type = 3 }, 12,
		  "\x00\x02\xfe\x80\x07" "\x48\x05\x19\x01" "C"
		  "\x01" "E" },
		{ { .pnr = 2, .set_pnr = 9 }, 12,
		  "\x00\x09\xfe\x80\x07" "\x48\x05\x02\x01" "C"
		  "\x01" "D" },
		{ { .sdt = TABLE_PASS }, 24, source + 3 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench b = bench_new_services(&cases[i].o, list, 3);
		static struct sections s;

		two_programs(&b);
		put_table(&b, 0x11, 0x42, source, sizeof source - 1);
		play(&b, 20);
		put_table(&b, 0x11, 0x42, source, sizeof source - 1);
		play(&b, 80);
		feed(&b);
		collect(&b, 0x11, &s);
		cr_assert_geq(s.n, 1, "%zu", i);
		cr_assert_eq(s.len, 11 + cases[i].len + 4, "%zu", i);
		cr_expect_arr_eq(s.last + 11, cases[i].sdt, cases[i].len,
				 "%zu", i);
		bench_done(&b);
	}
}

enum { STEP_MS = 100 };

static const char source_sdt[] = "\x00\x03\xff"
	"\x00\x02\xfe\x80\x07" "\x48\x05\x01\x01" "C" "\x01" "D";

/* The SDTs that come out of so much of the stream. */
static void play_for(struct bench *b, unsigned ms, struct sections *ret)
{
	static uint64_t pcr;

	b->out->n = 0;
	for (unsigned t = 0; t < ms; t += STEP_MS) {
		build_pcr(b->in, 0x201, pcr += STEP_MS * MS);
		for (int k = 0; k < 8; k++) {
			build_payload(b->in, 0x101, 1);
			build_payload(b->in, 0x201, 2);
		}
	}
	feed(b);
	collect(b, 0x11, ret);
}

/* The first SDT has what the source has, and the later ones no other version:
 * receivers read each version. */
Test(remux_names, an_sdt_with_a_name_waits_for_that_of_the_source)
{
	struct remux_options o = { .pnr = 2, .service_name = "N" };
	struct bench b = bench_new(&o);
	static struct sections s;

	two_programs(&b);
	play_for(&b, 3000, &s);
	cr_expect_eq(s.n, 0);
	put_table(&b, 0x11, 0x42, source_sdt, sizeof source_sdt - 1);
	play_for(&b, 3000, &s);
	cr_assert_geq(s.n, 2);
	cr_expect_arr_eq(s.last + 11, "\x00\x02\xfe\x80\x07"
			 "\x48\x05\x01\x01" "C" "\x01" "N", 12);
	/* the first version of the bench */
	cr_expect_eq(s.last[5] >> 1 & 0x1f, 8);
	bench_done(&b);
}

/* A source that has no SDT gets an own one, and the next remux of the stream
 * has it at once. */
Test(remux_names, a_source_without_an_sdt_gets_one_behind_the_wait)
{
	struct remux_options o = { .pnr = 2, .service_name = "N" };
	struct bench b = bench_new(&o);
	static struct sections s;

	two_programs(&b);
	play_for(&b, 4800, &s);
	cr_expect_eq(s.n, 0);
	play_for(&b, 1500, &s);
	cr_assert_geq(s.n, 1);
	cr_expect_arr_eq(s.last + 11, "\x00\x02\xfc\x80\x06"
			 "\x48\x04\x01\x00\x01" "N", 11);
	remux_reset(b.remux);
	two_programs(&b);
	play_for(&b, 1000, &s);
	cr_expect_geq(s.n, 1);
	/* not if that of a source was the last one */
	put_table(&b, 0x11, 0x42, source_sdt, sizeof source_sdt - 1);
	play_for(&b, 1500, &s);
	remux_reset(b.remux);
	two_programs(&b);
	play_for(&b, 3000, &s);
	cr_expect_eq(s.n, 0);
	bench_done(&b);
}
