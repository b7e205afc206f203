/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private data passes unchanged where it is requested. */
#include "tests/unit/worker/remux/rig.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct build_es rich[] = {
	{ 0x1b, 0x101, NULL, 0 },
	{ 0x06, 0x105, "\x59\x08" "ger\x10\x00\x01\x00\x02", 10 },
	{ 0x06, 0x106, "\x56\x05" "fra\x09\x00", 7 },
	{ 0x86, 0x107, "\x05\x04" "CUEI", 6 },
	{ 0x15, 0x108, "\x26\x00", 2 },
	{ 0x05, 0x109, "\x6f\x03\x00\x10\xe1", 5 },
	{ 0x0b, 0x10a, "\x52\x01\x05", 3 },
};

static const char *const names[] = {
	"picture", "subtitles", "teletext", "SCTE 35", "ID3", "AIT", "carousel",
};

enum { STREAMS = ARRAY_LEN(rich), ROUNDS = 60 };

static void build_rich(struct bench *b)
{
	static const struct build_entry one = { 1, 0x100 };
	static uint8_t section[1024];
	uint32_t noise = 1;

	pat(b, 0, &one, 1);
	build_section(b->in, 0x100, section,
		      build_pmt(section, (struct build_entry){ 1, 0x101 }, 0,
				rich, STREAMS));
	for (int i = 0; i < ROUNDS; i++) {
		for (size_t k = 0; k < STREAMS; k++) {
			uint8_t *p = build_payload(b->in, rich[k].pid, 0);

			/* whatever is in it, and units begin anywhere */
			for (size_t at = 4; at < TS_PACKET; at++) {
				noise = noise * 1664525 + 1013904223;
				p[at] = (uint8_t)(noise >> 24);
			}
			p[1] |= (uint8_t)(noise >> 10 & 0x40);
		}
		build_pcr(b->in, 0x101, (uint64_t)i * 20 * MS);
	}
}

/* The n-th packet of a PID in a run of them, or NULL. */
static const uint8_t *nth(const uint8_t *data, size_t n_data, uint16_t pid,
			  size_t n)
{
	for (size_t i = 0; i < n_data; i++) {
		const uint8_t *p = data + i * TS_PACKET;

		if (ts_pid(p) == pid && n-- == 0)
			return p;
	}
	return NULL;
}

static void assert_untouched(const struct bench *b, size_t k, uint16_t to)
{
	cr_assert_geq(count(b, to), (size_t)ROUNDS, "%s: %zu", names[k],
		      count(b, to));
	for (size_t i = 0; i < ROUNDS; i++) {
		const uint8_t *in = nth(b->in->data, b->in->n, rich[k].pid, i);
		const uint8_t *out = nth(b->out->data[0], b->out->n, to, i);

		cr_assert(in != NULL && out != NULL);
		cr_assert_arr_eq(out + 3, in + 3, TS_PACKET - 3, "%s: %zu",
				 names[k], i);
		cr_assert_eq(out[1] & 0xe0, in[1] & 0xe0, "%s", names[k]);
	}
}

static void assert_descriptors(const struct bench *b)
{
	const struct psi_program *p = program(b, 0);
	struct pmt pmt;

	cr_assert_eq(pmt_decode(p->pmt.data, p->pmt.len, &pmt), 0);
	cr_assert_eq(pmt.n_streams, (size_t)STREAMS);
	for (size_t k = 0; k < STREAMS; k++) {
		cr_assert_eq(pmt.streams[k].type, rich[k].type, "%s",
			     names[k]);
		cr_assert_eq(pmt.streams[k].descriptors.len, rich[k].desc_len);
		if (rich[k].desc_len > 0)
			cr_assert_arr_eq(pmt.streams[k].descriptors.data,
					 rich[k].desc, rich[k].desc_len, "%s",
					 names[k]);
	}
}

Test(remux_data, requested_data_passes_byte_for_byte)
{
	struct remux_options o = { .pnr = 1, .pass_data = true };
	struct bench b = bench_new(&o);

	build_rich(&b);
	feed(&b);
	for (size_t k = 0; k < STREAMS; k++)
		assert_untouched(&b, k, rich[k].pid);
	assert_descriptors(&b);
	bench_done(&b);
}

Test(remux_data, so_it_does_under_another_pid)
{
	struct remux_options o = { .pnr = 1, .pass_data = true };
	struct bench b;

	for (size_t k = 0; k < STREAMS; k++)
		o.maps[o.n_maps++] = (struct pid_map){
			.what = MAP_PID,
			.source_pid = rich[k].pid,
			.pid = (uint16_t)(rich[k].pid + 0x400),
		};
	b = bench_new(&o);
	build_rich(&b);
	feed(&b);
	for (size_t k = 0; k < STREAMS; k++)
		assert_untouched(&b, k, (uint16_t)(rich[k].pid + 0x400));
	assert_descriptors(&b);
	bench_done(&b);
}

/* TR 101 290: 500 ms for PAT and PMTs, however many there are. */
Test(remux_data, the_tables_of_many_programs_come_in_time)
{
	enum { PROGRAMS = 30, PER_20_MS = 100 };
	struct remux_options o = { .set_tsid = 9 };
	struct bench b = bench_new(&o);
	struct build_entry all[PROGRAMS];
	size_t last[PROGRAMS + 1] = { 0 }, longest = 0;

	for (uint16_t i = 0; i < PROGRAMS; i++)
		all[i] = (struct build_entry){ (uint16_t)(i + 1),
					       (uint16_t)(0x100 + 16 * i) };
	pat(&b, 0, all, PROGRAMS);
	for (size_t i = 0; i < PROGRAMS; i++)
		pmt(&b, all[i], 0, (uint16_t)(all[i].pid + 1), 0);
	for (int i = 0; i < 36; i++) {
		build_pcr(b.in, 0x101, (uint64_t)i * 20 * MS);
		for (int k = 0; k < PER_20_MS - 1; k++)
			build_payload(b.in, (uint16_t)(0x101 + 16 * (k % 30)),
				      1);
	}
	feed(&b);
	for (size_t i = 0; i < b.out->n; i++) {
		uint16_t pid = ts_pid(b.out->data[i]);
		size_t t = pid == 0 ? 0 : (pid - 0x100u) / 16 + 1;

		if (pid != 0 && pid % 16 != 0)
			continue;
		longest = MAX(longest, i - last[t]);
		last[t] = i;
	}
	cr_assert_leq(longest * 20 / PER_20_MS, 500u, "%zu ms",
		      longest * 20 / PER_20_MS);
	for (size_t t = 0; t <= PROGRAMS; t++)
		cr_assert_gt(last[t], b.out->n / 3, "table %zu", t);
	bench_done(&b);
}

/* The entry in the PMT of the guest of a program that has PID 0x101 itself. */
static const struct pmt_stream *invite(struct bench *b, uint16_t pid,
				       uint8_t type, struct pmt *ret)
{
	struct remux_guest g = {
		.pid = pid, .type = type, .len = 6,
		.descriptors = { 0x0a, 4, 'f', 'r', 'a', 0 },
	};
	const struct psi_program *p;

	pat(b, 0, two, 1);
	pmt(b, two[0], 0, 0x101, 0x102);
	feed(b);
	remux_set_guest(b->remux, &g);
	remux_add_guest(b->remux, build_payload(b->in, 0x777, 9));
	b->fed = b->in->n;
	play(b, 20);
	feed(b);
	p = program(b, 0);
	cr_assert_eq(pmt_decode(p->pmt.data, p->pmt.len, ret), 0);
	return ret->n_streams == 3 ? &ret->streams[2] : NULL;
}

Test(remux_data, a_guest_is_announced_on_a_pid_of_its_own)
{
	struct remux_options o = { .pnr = 1 };
	struct bench b = bench_new(&o);
	const struct pmt_stream *s;
	struct pmt found;

	s = invite(&b, 0x101, 3, &found);
	cr_assert_not_null(s);
	cr_assert_eq(s->type, 3);
	cr_assert_eq(s->pid, remux_guest_pid(b.remux));
	cr_assert_neq(s->pid, 0x101);
	cr_assert_eq(s->descriptors.len, 6);
	cr_assert_arr_eq(s->descriptors.data, "\x0a\4fra", 6);
	cr_assert_eq(count(&b, s->pid), 1);
	cr_assert_eq(b.out->cc_errors, 0);
	bench_done(&b);
}

Test(remux_data, a_guest_keeps_a_pid_that_is_free_and_a_cue_is_registered)
{
	struct remux_options o = { 0 };
	struct bench b = bench_new(&o);
	const struct pmt_stream *s;
	struct pmt found;

	s = invite(&b, 0x500, 0x86, &found);
	cr_assert_not_null(s);
	cr_assert_eq(s->pid, 0x500);
	cr_assert_eq(count(&b, 0x500), 1);
	cr_assert_eq(found.descriptors.len, 6);
	cr_assert_arr_eq(found.descriptors.data, "\5\4CUEI", 6);
	bench_done(&b);
}

Test(remux_data, a_guest_of_unknown_type_goes_out_and_is_not_announced)
{
	struct remux_options o = { .pnr = 1 };
	struct bench b = bench_new(&o);
	struct pmt found;

	cr_assert_null(invite(&b, 0x500, 0, &found));
	cr_assert_eq(count(&b, 0x500), 1);
	bench_done(&b);
}

/* Tables of a whole multiplex get the descriptors of the options. */
Test(remux_data, descriptors_of_a_multiplex_are_changed)
{
	static const char sdt[] =
		"\x00\x03\xff"
		"\x00\x01\xfd\x80\x07" "\x48\x05\x01\x01" "A" "\x01" "B"
		"\x00\x02\xfe\x80\x07" "\x48\x05\x01\x01" "C" "\x01" "D";
	struct remux_options o = { .n_edits = 2, .edits = {
		{ .table = EDIT_SDT, .pnr = 2, .len = 3,
		  .bytes = { 0x5d, 1, 'x' } },
		{ .table = EDIT_BAT, .len = 2, .bytes = { 0x5e, 0 } },
	} };
	struct bench b = bench_new(&o);
	static struct sections s;

	two_programs(&b);
	put_table(&b, 0x11, 0x42, sdt, sizeof sdt - 1);
	play(&b, 100);
	feed(&b);
	collect(&b, 0x11, &s);
	cr_assert_gt(s.n, 0);
	cr_assert_eq(s.last[0], 0x42);
	/* the loop of the first service stays */
	cr_expect_arr_eq(s.last + 8, sdt, 15);
	cr_expect_eq(s.last[26], 0x80);
	cr_expect_eq(s.last[27], 7 + 3);
	cr_expect_arr_eq(s.last + 35, "\x5d\x01x", 3);
	/* transport streams 1 and 7, which is that of the output */
	put_table(&b, 0x11, 0x4a, "\xf0\x00\xf0\x0c\x00\x01\x00\x02\xf0\x00"
		  "\x00\x07\x00\x02\xf0\x00", 16);
	play(&b, 100);
	feed(&b);
	collect(&b, 0x11, &s);
	cr_assert_eq(s.last[0], 0x4a);
	cr_expect_arr_eq(s.last + 10,
			 "\xf0\x0e\x00\x01\x00\x02\xf0\x00"
			 "\x00\x07\x00\x02\xf0\x02\x5e\x00", 16);
	cr_expect_not(remux_is_crowded(b.remux, EDIT_BAT));
	bench_done(&b);
}

Test(remux_data, a_table_of_a_multiplex_without_room_stays_as_it_was)
{
	static const char sdt[] =
		"\x00\x03\xff"
		"\x00\x01\xfd\x80\x07" "\x48\x05\x01\x01" "A" "\x01" "B";
	struct remux_options o = { .n_edits = 4 };
	static struct sections s;
	struct bench b;

	for (size_t i = 0; i < o.n_edits; i++)
		o.edits[i] = (struct desc_edit){ .table = EDIT_SDT, .len = 257,
						 .bytes = { 0x5d, 255 } };
	b = bench_new(&o);
	two_programs(&b);
	put_table(&b, 0x11, 0x42, sdt, sizeof sdt - 1);
	play(&b, 100);
	feed(&b);
	collect(&b, 0x11, &s);
	cr_assert_gt(s.n, 0);
	cr_expect_arr_eq(s.last + 8, sdt, 15);
	cr_expect(remux_is_crowded(b.remux, EDIT_SDT));
	cr_expect_not(remux_is_crowded(b.remux, EDIT_NIT));
	bench_done(&b);
}

/* A section of the NIT: the descriptors of its network are n bytes. */
static void put_nit(struct bench *b, uint8_t number, uint8_t last, size_t n)
{
	uint8_t body[1000] = { (uint8_t)(0xf0 | n >> 8), (uint8_t)n };
	uint8_t section[1024];

	for (size_t i = 0; i < n; i += 200) {
		body[2 + i] = 0x4a;
		body[3 + i] = 198;
	}
	body[2 + n] = 0xf0;
	build_section(b->in, 0x10, section,
		      build_table(section, &(struct build_table){
			.table_id = 0x40, .extension = 7, .number = number,
			.last = last, .body = body, .len = 4 + n }));
	play(b, 1);
	feed(b);
}

static uint64_t count_broken(const struct bench *b)
{
	struct remux_counters c;

	remux_counters(b->remux, &c);
	return c.broken;
}

Test(remux_data, a_table_is_without_room_until_it_has_some)
{
	struct remux_options o = { .nit = TABLE_PASS, .n_edits = 1, .edits = { {
		.table = EDIT_NIT, .loop = LOOP_NETWORK, .len = 257,
		.bytes = { 0x5d, 255 } } } };
	struct bench b = bench_new(&o);
	uint64_t broken;

	two_programs(&b);
	put_nit(&b, 0, 0, 800);
	cr_expect(remux_is_crowded(b.remux, EDIT_NIT));
	put_nit(&b, 0, 0, 200);
	cr_expect_not(remux_is_crowded(b.remux, EDIT_NIT));
	/* another section has room */
	put_nit(&b, 0, 1, 800);
	put_nit(&b, 1, 1, 200);
	cr_expect(remux_is_crowded(b.remux, EDIT_NIT));
	put_nit(&b, 0, 1, 200);
	cr_expect_not(remux_is_crowded(b.remux, EDIT_NIT));
	/* malformed: its loop is longer than the section */
	broken = count_broken(&b);
	put_table(&b, 0x10, 0x40, "\xf0\x09\xf0\x00", 4);
	play(&b, 1);
	feed(&b);
	cr_expect_not(remux_is_crowded(b.remux, EDIT_NIT));
	cr_expect_gt(count_broken(&b), broken);
	bench_done(&b);
}

/* The PMT names other PIDs of the source, whose counters are others.  maps: to
 * PIDs that the source does not have, or has before. */
static void change_pids(const char *maps, uint16_t video)
{
	struct remux_options o = { .pnr = 1 };
	struct errmsg why;
	struct bench b;

	cr_assert_eq(remux_maps_read(&o, maps, &why), 0);
	b = bench_new(&o);
	pat(&b, 0, two, 1);
	for (unsigned i = 0; i < 18; i++) {
		const uint16_t pid = i % 2 != 0 ? 0x201 : 0x101;
		const size_t before = count(&b, video);

		pmt(&b, two[0], (uint8_t)i, pid, pid + 1);
		/* the rest of a unit; the clock goes out at once */
		play(&b, 1);
		(void)build_pes(b.in, pid, "", 0);
		(void)build_pes(b.in, pid + 1, "", 0);
		play(&b, 2);
		for (unsigned k = 0; k < i % 5; k++)
			build_payload(b.in, pid, 1);
		feed(&b);
		cr_expect_eq(count(&b, video) - before,
			     (i == 0 ? 16U : 12U) + i % 5, "%s: %u", maps, i);
		cr_expect_eq(b.out->cc_errors, 0, "%s: %u", maps, i);
		b.in->n = b.fed = 0;
	}
	/* a loss stays visible */
	build_payload(b.in, 0x201, 1);
	b.in->n--;
	play(&b, 1);
	feed(&b);
	cr_expect_eq(b.out->cc_errors, 1, "%s", maps);
	bench_done(&b);
}

Test(remux_data, a_mapped_pid_continues_when_the_source_changes_its_own)
{
	change_pids("video=600, audio=601", 600);
	change_pids("video=257, audio=258", 0x101);
}

/* --- a PAT that names a program without a PMT --- */

/* Feeds what was built, at that time. */
static void feed_at(struct bench *b, uint64_t ms)
{
	struct ts_run run = { b->in->data + b->fed * TS_PACKET,
			      b->in->n - b->fed };

	b->fed = b->in->n;
	remux_feed(b->remux, &run, 1, (10000 + ms) * 1000000);
}

/* Returns when the PAT goes out; every_ms: distance of the PMTs. */
static unsigned settle(struct bench *b, unsigned every_ms)
{
	unsigned ms = 0;

	pat(b, 0, two, 2);
	for (; count(b, 0) == 0 && ms < 2000; ms += 20) {
		if (ms % every_ms == 0)
			pmt(b, two[0], 0, 0x101, 0x102);
		play(b, 1);
		feed_at(b, ms);
	}
	return ms;
}

Test(remux_data, a_program_without_a_pmt_does_not_delay_the_others)
{
	struct remux_options o = { .set_tsid = 99 };
	struct bench b = bench_new(&o);
	unsigned ms = settle(&b, 100);

	cr_expect(ms >= 550 && ms < 650, "%u ms", ms);
	cr_assert_eq(program(&b, 0)->number, 1);
	/* its PMT may still come */
	pmt(&b, two[1], 0, 0x201, 0x202);
	play(&b, 1);
	feed_at(&b, ms);
	cr_assert_eq(program(&b, 1)->number, 2);
	bench_done(&b);
}

Test(remux_data, rare_pmts_are_awaited)
{
	struct remux_options o = { .set_tsid = 99 };
	struct bench b = bench_new(&o);
	unsigned ms = settle(&b, 700);

	cr_expect(ms >= 700, "%u ms", ms);
	bench_done(&b);
}
