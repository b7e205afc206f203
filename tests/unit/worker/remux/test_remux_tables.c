/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole stage: tables beside PAT and PMT. */
#include "tests/unit/worker/remux/rig.h"

#include "proto/spec/cas_spec.h"
#include "proto/spec/field.h"
#include "proto/spec/report_shape.h"
#include "worker/stream/omission_log.h"
#include "worker/ts/pat.h"

#include <criterion/criterion.h>
#include <string.h>

/* A section of EIT, as long as one can be, of this service. */
static size_t long_eit(uint8_t *ret, uint8_t table_id, uint16_t service)
{
	static uint8_t body[4096 - 12];
	uint8_t *p = body;

	memcpy(p, "\x00\x07\x00\x03\x00\x50", 6);
	p += 6;
	while (p < body + sizeof body) {
		size_t left = (size_t)(body + sizeof body - p) - 12;
		size_t loop = MIN(left, 257);

		/* the next event needs 12 bytes, and its loop whole ones */
		if (left - loop > 0 && left - loop < 12 + 2)
			loop -= 14;
		memset(p, 0, 12 + loop);
		p[10] = (uint8_t)(loop >> 8);
		p[11] = (uint8_t)loop;
		p[12] = 0x4d;
		p[13] = (uint8_t)(loop - 2);
		p += 12 + loop;
	}
	return build_table(ret, &(struct build_table){
		.table_id = table_id, .extension = service, .body = body,
		.len = sizeof body });
}

Test(remux_tables, events_of_the_service_go_out_under_its_new_number)
{
	struct remux_options o = { .pnr = 2, .set_pnr = 9, .set_tsid = 70 };
	struct bench b = bench_new(&o);
	static struct sections s;
	uint8_t eit[4096];
	size_t len;

	two_programs(&b);
	len = long_eit(eit, 0x50, 2);
	cr_assert_eq(len, 4096);
	build_section(b.in, 0x12, eit, len);
	play(&b, 1);
	build_section(b.in, 0x12, eit, long_eit(eit, 0x50, 1)); /* another's */
	build_section(b.in, 0x12, eit, long_eit(eit, 0x60, 2)); /* elsewhere */
	play(&b, 50);
	feed(&b);
	collect(&b, 0x12, &s);
	cr_assert_eq(s.n, 1);
	cr_assert_eq(s.len, 4096);
	cr_assert_eq(s.last[3] << 8 | s.last[4], 9);
	cr_assert_eq(s.last[8] << 8 | s.last[9], 70);
	cr_assert_eq(b.out->cc_errors, 0);
	bench_done(&b);
}

static const char services[] =
	"\x00\x03\xff"
	"\x00\x01\xfd\x80\x07" "\x48\x05\x01\x01" "A" "\x01" "B"
	"\x00\x02\xfe\x80\x07" "\x48\x05\x01\x01" "C" "\x01" "D";

Test(remux_tables, the_sdt_has_its_service_alone)
{
	struct remux_options o = { .pnr = 2, .set_pnr = 9 };
	struct bench b = bench_new(&o);
	static struct sections s;

	two_programs(&b);
	put_table(&b, 0x11, 0x42, services, sizeof services - 1);
	play(&b, 100);
	feed(&b);
	collect(&b, 0x11, &s);
	cr_assert_geq(s.n, 2);
	cr_assert_eq(s.len, 11 + 5 + 7 + 4);
	cr_assert_eq(s.last[5] >> 1 & 0x1f, 8);
	cr_assert_arr_eq(s.last + 11, "\x00\x09\xfe\x80\x07"
			 "\x48\x05\x01\x01" "C" "\x01" "D", 12);
	bench_done(&b);
}

Test(remux_tables, rules_of_tables_are_kept)
{
	static const struct {
		enum table_rule sdt, eit, nit, tdt, tot;
		size_t n_sdt, n_nit, n_time;
	} cases[] = {
		{ .n_sdt = 1, .n_nit = 0, .n_time = 20 },
		{ .sdt = TABLE_DROP, .tdt = TABLE_DROP, .tot = TABLE_DROP },
		{ .sdt = TABLE_PASS, .nit = TABLE_PASS, .tot = TABLE_DROP,
		  .n_sdt = 10, .n_nit = 10, .n_time = 10 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct remux_options o = {
			.pnr = 2, .sdt = cases[i].sdt, .eit = cases[i].eit,
			.nit = cases[i].nit, .tdt = cases[i].tdt,
			.tot = cases[i].tot,
		};
		struct bench b = bench_new(&o);

		two_programs(&b);
		for (int k = 0; k < 10; k++) {
			put_table(&b, 0x11, 0x42, services,
				  sizeof services - 1);
			put_table(&b, 0x10, 0x40, "\xf0\x00\xf0\x00", 4);
			build_section(b.in, 0x14, (const uint8_t *)
				      "\x70\x70\x05\xc0\x79\x12\x45\x00", 8);
			build_section(b.in, 0x14, (const uint8_t *)
				      "\x73\x70\x0b\xc0\x79\x12\x45\x00"
				      "\xf0\x00" "CRCC", 14);
			play(&b, 1);
		}
		feed(&b);
		cr_expect_eq(count(&b, 0x11), cases[i].n_sdt, "%zu: %zu", i,
			     count(&b, 0x11));
		cr_expect_eq(count(&b, 0x10), cases[i].n_nit, "%zu", i);
		cr_expect_eq(count(&b, 0x14), cases[i].n_time, "%zu: %zu", i,
			     count(&b, 0x14));
		cr_expect_eq(b.out->cc_errors, 0);
		bench_done(&b);
	}
}

Test(remux_tables, a_whole_multiplex_gets_its_new_number_everywhere)
{
	struct remux_options o = { .set_tsid = 70 };
	struct bench b = bench_new(&o);
	const struct psi_program *list;
	static struct sections s;

	two_programs(&b);
	put_table(&b, 0x11, 0x42, services, sizeof services - 1);
	put_table(&b, 0x10, 0x40, "\xf0\x00\xf0\x06\x00\x07\x00\x03\xf0\x00",
		  10);
	play(&b, 50);
	feed(&b);
	cr_assert_eq(psi_programs(b.out->psi, &list), 2);
	cr_assert_eq(psi_tsid(b.out->psi), 70);
	cr_assert_eq(list[1].audio_pid, 0x202);
	cr_assert_eq(count(&b, 0x101), 250);
	cr_assert_eq(count(&b, 0x202), 200);
	collect(&b, 0x11, &s);
	cr_assert_eq(s.n, 1);
	cr_assert_eq(s.last[4], 70);
	cr_assert_eq(s.len, 11 + 2 * 12 + 4);
	collect(&b, 0x10, &s);
	cr_assert_eq(s.n, 1);
	cr_assert_eq(s.last[13], 70);
	cr_assert_eq(b.out->cc_errors, 0);
	bench_done(&b);
}

Test(remux_tables, a_multiplex_sends_tables_when_all_programs_are_known)
{
	struct remux_options o = { .set_tsid = 70 };
	struct bench b = bench_new(&o);
	struct ts_run run;

	pat(&b, 0, two, 2);
	pmt(&b, two[0], 0, 0x101, 0x102);
	play(&b, 2);
	feed(&b);
	cr_assert_eq(b.out->n, 0);
	cr_assert_eq(remux_state(b.remux), REMUX_NO_PMT);
	pmt(&b, two[1], 0, 0x201, 0x202);
	feed(&b);
	cr_assert_eq(b.out->n, 3, "PAT and two PMTs");
	cr_assert_eq(psi_programs(b.out->psi,
				  &(const struct psi_program *){ NULL }), 2);
	/* a table that changes does not repeat the others */
	pmt(&b, two[1], 1, 0x203, 0x202);
	feed(&b);
	cr_assert_eq(count(&b, 0x100), 1);
	cr_assert_eq(count(&b, 0x200), 2);

	/* a missing table is not waited for without end */
	remux_reset(b.remux);
	b.out->n = 0;
	pat(&b, 0, two, 2);
	pmt(&b, two[0], 0, 0x101, 0x102);
	feed(&b);
	for (uint64_t i = 1; i < 16; i++) {
		build_payload(b.in, 0x101, 1);
		run = (struct ts_run){ build_packet(b.in, b.in->n - 1), 1 };
		remux_feed(b.remux, &run, 1, i * 100000000);
	}
	b.fed = b.in->n;
	cr_assert_gt(count(&b, 0x101), 2);
	cr_assert_eq(count(&b, 0x200), 0);
	bench_done(&b);
}

Test(remux_tables, without_an_option_every_table_passes)
{
	struct remux_options o = { 0 };
	struct bench b = bench_new(&o);
	static const struct build_es es[] = {
		{ 0x1b, 0x101, "\x09\x04\x01\x00\xe1\x50", 6 },
		{ 0x15, 0x102, "\x26\x00", 2 },
	};
	struct pmt found;
	uint8_t section[1024];

	pat(&b, 9, two, 1);
	build_section(b.in, 0x100, section,
		      build_pmt(section, (struct build_entry){ 1, 0x101 }, 3,
				es, 2));
	for (int i = 0; i < 20; i++) {
		put_table(&b, 0x11, 0x42, services, sizeof services - 1);
		put_table(&b, 0x10, 0x40, "\xf0\x00\xf0\x00", 4);
		put_table(&b, 0x12, 0x4e, "\x00\x07\x00\x03\x00\x4e", 6);
		build_payload(b.in, 0x101, 1);
		build_payload(b.in, 0x102, 2);
		build_payload(b.in, 0x150, 3);
		build_payload(b.in, 0x999, 4);
		build_null(b.in);
	}
	feed(&b);
	for (size_t i = 2; i < 10; i++) {
		uint16_t pid = ts_pid(build_packet(b.in, i));

		cr_expect_eq(count(&b, pid), 20, "PID %u: %zu", pid,
			     count(&b, pid));
	}
	cr_assert_eq(pmt_decode(program(&b, 0)->pmt.data,
				program(&b, 0)->pmt.len, &found), 0);
	cr_assert_eq(found.n_streams, 2);
	cr_assert_arr_eq(found.streams[0].descriptors.data, es[0].desc, 6);
	cr_assert_eq(found.version, 6);
	bench_done(&b);
}

static unsigned version_on(const struct bench *b, uint16_t pid)
{
	struct sections found;

	collect(b, pid, &found);
	cr_assert_gt(found.n, 0u, "PID %u", pid);
	return found.last[5] >> 1 & 31;
}

/* Both have version 0, and only the NIT is the same. */
static void play_source(struct bench *b, bool second)
{
	static const struct build_entry seven = { 7, 0x100 };

	pat(b, 9, &seven, 1);
	pmt(b, seven, 3, 0x101, 0x102);
	for (int i = 0; i < 10; i++) {
		put_table(b, 0x10, 0x40, "\xf0\x00\xf0\x00", 4);
		put_table(b, 0x11, 0x42, services, sizeof services - 1);
		put_table(b, 0x12, 0x4e, second ? "\x00\x07\x00\x03\x01\x4e"
					       : "\x00\x07\x00\x03\x00\x4e",
			  6);
		put_table(b, 0x12, 0x60, second ? "\x00\x08\x00\x03\x01\x60"
					       : "\x00\x08\x00\x03\x00\x60",
			  6);
		build_payload(b->in, 0x101, 1);
		build_null(b->in);
	}
	feed(b);
}

static void check_versions(const struct remux_options *o, unsigned nit)
{
	static struct si_versions si;
	struct bench a, b;

	memset(&si, 0, sizeof si);
	a = bench_new_source(o, &si, 1);
	b = bench_new_source(o, &si, 2);
	si_versions_begin(&si, 1);
	play_source(&a, false);
	cr_assert_eq(version_on(&a, 0x12), 0u);
	si_versions_begin(&si, 2);
	play_source(&b, true);
	cr_assert_eq(version_on(&b, 0x12), 1u);
	if (nit > 0)
		cr_assert_eq(version_on(&b, 0x10), 0u);
	cr_assert_eq(count(&b, 0x12),
		     o->pnr && o->eit == TABLE_DEFAULT ? 10u : 20u);
	if (o->sdt == TABLE_PASS)
		cr_assert_eq(version_on(&b, 0x11), 0u);
	bench_done(&a);
	bench_done(&b);
}

Test(remux_tables, versions_of_unchanged_tables_count_through_a_change)
{
	check_versions(&(struct remux_options){ 0 }, 1);
}

Test(remux_tables, so_they_do_when_a_program_is_picked)
{
	check_versions(&(struct remux_options){ .pnr = 7 }, 0);
}

Test(remux_tables, so_they_do_of_tables_that_an_option_passes)
{
	check_versions(&(struct remux_options){
		.pnr = 7, .sdt = TABLE_PASS, .eit = TABLE_PASS,
		.nit = TABLE_PASS,
	}, 1);
}

/* A table that a stream without options has passed gets descriptors. */
Test(remux_tables, so_they_do_when_descriptors_change)
{
	static struct si_versions si;
	struct remux_options o = {
		.pnr = 7, .sdt = TABLE_PASS, .eit = TABLE_PASS,
		.nit = TABLE_PASS, .n_edits = 1,
		.edits = { { .table = EDIT_SDT, .len = 3,
			     .bytes = { 0x5d, 1, 'x' } } },
	};

	for (unsigned version = 1; version < 3; version++) {
		/* as the next worker of the stream */
		struct bench b = bench_new_source(&o, &si, 1);

		si_versions_begin(&si, 1);
		play_source(&b, false);
		cr_expect_eq(version_on(&b, 0x11), version);
		cr_expect_eq(version_on(&b, 0x10), 0);
		cr_expect_eq(version_on(&b, 0x12), 0);
		bench_done(&b);
		o.edits[0].bytes[2] = 'y';
	}
}

Test(remux_tables, a_nit_on_a_pid_of_its_own_is_passed_there)
{
	struct remux_options o = { .pnr = 1, .nit = TABLE_PASS };
	struct bench b = bench_new(&o);
	static const struct build_entry list[] = { { 0, 0x1f }, { 1, 0x100 } };
	const struct psi_section *sections;
	struct pat made;

	pat(&b, 0, list, 2);
	pmt(&b, two[0], 0, 0x101, 0x102);
	for (int i = 0; i < 5; i++)
		put_table(&b, 0x1f, 0x40, "\xf0\x00\xf0\x00", 4);
	feed(&b);
	cr_assert_eq(count(&b, 0x1f), 5);
	cr_assert_eq(psi_pat(b.out->psi, &sections), 1);
	cr_assert_eq(pat_decode(sections[0].data, sections[0].len, &made), 0);
	cr_assert_eq(made.network_pid, 0x1f);
	bench_done(&b);
}

Test(remux_tables, an_ait_comes_with_its_entry_in_the_pmt)
{
	struct remux_options o = { .pnr = 2, .hbbtv_url = "http://a.org/" };
	struct bench b = bench_new(&o);
	struct pmt found;
	static struct sections s;
	uint16_t pid;

	two_programs(&b);
	play(&b, 100);
	feed(&b);
	cr_assert_eq(pmt_decode(program(&b, 0)->pmt.data,
				program(&b, 0)->pmt.len, &found), 0);
	cr_assert_eq(found.n_streams, 3);
	cr_assert_eq(found.streams[2].class, PID_AIT);
	pid = found.streams[2].pid;
	collect(&b, pid, &s);
	cr_assert_geq(s.n, 3);
	cr_assert_eq(s.last[0], 0x74);
	cr_assert_eq(s.last[5] >> 1 & 0x1f,
		     found.streams[2].descriptors.data[4] & 0x1f);
	bench_done(&b);
}

/* A PMT that is full of streams, with one on the PID 0x101 and so on. */
static void full_of_streams(struct bench *b, struct build_entry entry,
			    size_t n)
{
	struct build_es es[PMT_STREAMS_MAX];
	uint16_t pmt_pid = entry.pid;
	uint8_t section[1024];

	entry.pid = 0x101;
	for (size_t i = 0; i < n; i++)
		es[i] = (struct build_es){ i == 0 ? 0x1b : 0x03,
					   (uint16_t)(0x101 + i), NULL, 0 };
	build_section(b->in, pmt_pid, section,
		      build_pmt(section, entry, 0, es, n));
}

/* The control process takes what the worker reports. */
static void expect_report(const struct remux *r)
{
	struct errmsg error = { 0 };
	json_auto_t *report = json_pack(
		"{s:{s:i, s:i, s:i, s:o*, s:o*}}", "remux", "table_changes", 1,
		"broken_sections", 0, "dropped_sections", 0, "omitted",
		omission_list(r), "omitted_sdt", omission_sdt(r));

	cr_expect_eq(field_read(&report_fields, report, NULL, &error), 0, "%s",
		     error.text);
}

Test(remux_tables, an_sdt_that_is_full_reports_what_it_omits)
{
	struct remux_options o = { .pnr = 1 };
	uint8_t body[908] = { 0, 1, 0xff, 0, 1, 0xfc, 0x80 | 900 >> 8,
			      900 & 0xff }, section[1024];
	struct bench b;

	for (size_t at = 8; at < sizeof body; at += 100) {
		body[at] = 0x80;
		body[at + 1] = 98;
	}
	memset(o.service_name, 'n', 200);
	b = bench_new(&o);
	pat(&b, 0, two, 1);
	full_of_streams(&b, two[0], 1);
	play(&b, 100);
	cr_assert_null(remux_omitted_sdt(b.remux));
	build_section(b.in, 0x11, section,
		      build_table(section, &(struct build_table){
			      .table_id = 0x42, .extension = 7,
			      .body = body, .len = sizeof body }));
	play(&b, 100);
	feed(&b);
	cr_assert_not_null(remux_omitted_sdt(b.remux));
	cr_expect_eq(remux_omitted_sdt(b.remux)->n_descriptors, 2);
	expect_report(b.remux);
	bench_done(&b);
}

Test(remux_tables, a_stream_that_has_no_room_in_the_pmt_is_not_sent)
{
	struct remux_options o = { .pnr = 1, .hbbtv_url = "http://a.org/" };

	for (size_t n = 200; n <= 201; n++) {
		struct bench b = bench_new(&o);
		const struct pmt_omitted *missing;
		static struct remux_guest guest = { .pid = 0x801, .type = 3 };
		bool room = n == 200;
		uint16_t number = 0;
		size_t at = 0;

		remux_set_guest(b.remux, &guest);
		pat(&b, 0, two, 1);
		full_of_streams(&b, two[0], n);
		play(&b, 100);
		feed(&b);
		missing = remux_omitted(b.remux, &at, &number);
		cr_assert_not_null(missing);
		cr_expect_eq(number, 1);
		cr_expect_eq(missing->guest, !room, "%zu", n);
		cr_expect(missing->ait);
		cr_expect_eq(missing->n_streams, 0);
		expect_report(b.remux);
		cr_assert_null(remux_omitted(b.remux, &at, &number));
		cr_expect_eq(remux_guest_pid(b.remux), room ? 0x801 : 0);
		/* the AIT had the first free PID */
		cr_expect_eq(count(&b, 0x20), 0);
		cr_expect_gt(count(&b, 0x101), 0);
		bench_done(&b);
	}
}

Test(remux_tables, ca_goes_along_when_asked_for)
{
	static const struct build_es es[] = {
		{ 0x1b, 0x101, "\x09\x04\x01\x00\xe1\x50", 6 },
	};
	struct remux_options o = { .pnr = 1, .pass_ca = true };
	struct bench b = bench_new(&o);
	static struct sections s;
	uint8_t section[1024];

	pat(&b, 0, two, 2);
	build_section(b.in, 0x100, section,
		      build_pmt(section, (struct build_entry){ 1, 0x101 }, 0,
				es, 1));
	put_table(&b, 0x01, 0x01, "\x09\x04\x01\x00\xe1\x60", 6);
	for (int i = 0; i < 50; i++) {
		build_payload(b.in, 0x150, 1);
		build_payload(b.in, 0x160, 1);
		build_payload(b.in, 0x170, 1);
		play(&b, 1);
	}
	feed(&b);
	cr_assert_eq(count(&b, 0x150), 50);
	cr_assert_eq(count(&b, 0x160), 50);
	cr_assert_eq(count(&b, 0x170), 0);
	collect(&b, 0x01, &s);
	cr_assert_geq(s.n, 2);
	cr_assert_arr_eq(s.last + 8, "\x09\x04\x01\x00\xe1\x60", 6);
	bench_done(&b);
}

/* A PAT of 256 sections with a program each.  The one that goes out is in the
 * last section. */
Test(remux_tables, a_program_of_a_pat_with_256_sections_is_picked)
{
	static const uint16_t last[] = { 4, 255 };

	for (size_t k = 0; k < 2; k++) {
		struct remux_options o = { .pnr = (uint16_t)(last[k] + 1) };
		struct bench b = bench_new(&o);
		const struct psi_program *list;
		const struct psi_section *sections;
		uint8_t section[1024];

		for (unsigned i = 0; i <= last[k]; i++) {
			struct build_entry e = { (uint16_t)(i + 1), 0x200 };
			size_t len = build_pat(section, 0, &e, 1);

			section[6] = (uint8_t)i;
			section[7] = (uint8_t)last[k];
			build_mend_crc(section, len);
			build_section(b.in, TS_PID_PAT, section, len);
		}
		pmt(&b, (struct build_entry){ o.pnr, 0x200 }, 0, 0x201,
		    0x202);
		play(&b, 20);
		feed(&b);
		cr_assert_eq(psi_pat(b.out->psi, &sections), 1);
		cr_assert_eq(psi_programs(b.out->psi, &list), 1);
		cr_assert_eq(list[0].number, o.pnr);
		cr_assert_eq(count(&b, 0x202), 80);
		cr_assert_eq(b.out->cc_errors, 0);
		bench_done(&b);
	}
}

/* The scrambler cannot know what they carry. */
Test(remux_tables, no_pid_without_a_table_goes_out_of_a_scrambled_stream)
{
	static const struct remux_options options[] = {
		{ 0 }, { .pass_data = true },
	};
	static const struct cas_list cas;

	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		struct bench b = bench_new_cas(&options[i], &cas);

		two_programs(&b);
		play(&b, 1);
		build_payload(b.in, 0x999, 4);
		put_table(&b, 0x11, 0x42, services, sizeof services - 1);
		play(&b, 20);
		feed(&b);
		cr_expect_eq(count(&b, 0x999), 0, "case %zu", i);
		cr_assert_gt(count(&b, 0x101), 0);
		cr_assert_gt(count(&b, 0x202), 0);
		cr_assert_gt(count(&b, 0x11), 0);
		bench_done(&b);
	}
}

/* Without a program number all of them go out, in full sections. */
Test(remux_tables, a_multiplex_of_256_sections_gets_its_new_number)
{
	struct remux_options o = { .set_tsid = 99 };
	struct bench b = bench_new(&o);
	const struct psi_program *list;
	const struct psi_section *sections;
	uint8_t section[1024];

	for (unsigned i = 0; i < 256; i++) {
		struct build_entry e = { (uint16_t)(i + 1), 0x200 };
		size_t len = build_pat(section, 0, &e, 1);

		section[6] = (uint8_t)i;
		section[7] = 255;
		build_mend_crc(section, len);
		build_section(b.in, TS_PID_PAT, section, len);
	}
	for (uint16_t i = 0; i < 256; i++)
		pmt(&b, (struct build_entry){ i + 1, 0x200 }, 0, 0x201,
		    0x202);
	play(&b, 20);
	feed(&b);
	cr_assert_eq(psi_pat(b.out->psi, &sections), 2);
	cr_assert_eq(psi_programs(b.out->psi, &list), 256);
	cr_assert_eq(psi_tsid(b.out->psi), 99);
	cr_assert_eq(b.out->cc_errors, 0);
	bench_done(&b);
}
