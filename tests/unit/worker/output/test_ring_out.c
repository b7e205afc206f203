/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/output/join_point.h"
#include "worker/output/ring_out.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/ring.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/cc.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START (5000 * MS)

enum { VIDEO = 0x101, AUDIO = 0x102, PMT = 0x100 };

static const uint8_t idr[] = { 0, 0, 0, 1, 0x65, 0x88, 0x80, 0x10 };
static const uint8_t other[] = { 0, 0, 0, 1, 0x41, 0x9a, 0x80, 0x10 };

struct rig {
	int fd;
	struct psi *psi;
	struct ring_out *out;
	struct ring_reader *reader;
	struct build *in;
	uint8_t *got;
	size_t n_got;
};

static void rig_init(struct rig *r)
{
	int err = 0;

	r->fd = ring_create(16 * RING_UNIT, 0);
	cr_assert_geq(r->fd, 0);
	r->psi = psi_new();
	r->out = ring_out_new(r->fd, r->psi, &err);
	cr_assert_neq(r->out, NULL, "%d", err);
	r->reader = ring_reader_new(r->fd, &err);
	cr_assert_neq(r->reader, NULL, "%d", err);
	r->in = build_new();
	r->got = NULL;
	r->n_got = 0;
}

static void rig_done(struct rig *r)
{
	ring_out_free(&r->out);
	ring_reader_free(&r->reader);
	psi_free(&r->psi);
	build_free(r->in);
	free(r->got);
	fd_close(&r->fd);
}

/* Writes all packets of r->in in runs of several lengths, like the data path,
 * then reads the whole ring. */
static void write_and_read(struct rig *r, uint64_t now_ns)
{
	struct ts_run all = build_run(r->in);
	struct ts_run runs[8];
	size_t n_runs = 0, at = 0, len = 1;
	bool ok = true;

	for (size_t i = 0; i < all.n; i++)
		(void)psi_feed(r->psi, all.data + i * TS_PACKET);
	while (at < all.n) {
		len = len % 13 + 1;
		if (len > all.n - at || n_runs == 7)
			len = all.n - at;
		runs[n_runs++] = (struct ts_run){ all.data + at * TS_PACKET,
						  len };
		at += len;
	}
	ring_out_feed(r->out, runs, n_runs, now_ns);
	cr_assert_eq(ring_reader_pos(r->reader, &ok), r->n_got * TS_PACKET,
		     "seen before it was published");
	ring_out_publish(r->out);

	size_t bytes = (size_t)ring_reader_pos(r->reader, &ok);

	cr_assert(ok);
	r->n_got = bytes / TS_PACKET;
	r->got = xrealloc(r->got, bytes + 1);
	cr_assert_eq(pread(r->fd, r->got, bytes, RING_DATA), (ssize_t)bytes);
}

static const uint8_t *got(const struct rig *r, size_t i)
{
	cr_assert_lt(i, r->n_got);
	return r->got + i * TS_PACKET;
}

/* Only inserted packets and the counters of their PIDs may differ. */
static void assert_whole(const struct rig *r)
{
	struct cc *cc = xcalloc(1, sizeof *cc);
	size_t in = 0;

	for (size_t i = 0; i < r->n_got; i++) {
		const uint8_t *p = got(r, i);

		cr_assert_eq(cc_feed(cc, p), CC_OK, "packet %zu", i);
		if (ts_pid(p) == TS_PID_PAT || ts_pid(p) == PMT)
			continue;
		while (ts_pid(build_packet(r->in, in)) == TS_PID_PAT ||
		       ts_pid(build_packet(r->in, in)) == PMT)
			in++;
		cr_assert_arr_eq(p, build_packet(r->in, in), TS_PACKET);
		in++;
	}
	cr_assert_eq(in, r->in->n);
	free(cc);
}

static void assert_tables_at(const struct rig *r, size_t i)
{
	cr_assert_eq(ts_pid(got(r, i)), TS_PID_PAT);
	cr_assert(ts_pusi(got(r, i)));
	cr_assert_eq(ts_pid(got(r, i + 1)), PMT);
	cr_assert(ts_pusi(got(r, i + 1)));
}

Test(ring_out, inserts_the_tables_in_front_of_a_picture)
{
	struct rig r;
	struct ring_rap rap;

	rig_init(&r);
	build_tables(r.in);
	for (unsigned i = 0; i < 30; i++) {
		(void)build_pes(r.in, VIDEO, other, sizeof other);
		(void)build_payload(r.in, AUDIO, 1);
		if (i == 15)
			build_tables(r.in);
	}
	(void)build_pcr(r.in, VIDEO, 123456789);
	(void)build_pes(r.in, VIDEO, idr, sizeof idr);
	(void)build_payload(r.in, VIDEO, 2);
	(void)build_payload(r.in, VIDEO, 3);
	build_tables(r.in);
	(void)build_payload(r.in, VIDEO, 4);
	write_and_read(&r, START);

	cr_assert_eq(r.n_got, r.in->n + 2);
	assert_whole(&r);
	cr_assert(ring_reader_last_rap(r.reader, 0, 0, &rap));

	size_t at = (size_t)rap.pos / TS_PACKET;

	assert_tables_at(&r, at);
	cr_assert_eq(ts_pid(got(&r, at + 2)), VIDEO);
	cr_assert(ts_pusi(got(&r, at + 2)));
	cr_assert_eq(rap.pcr, 123456789);
	cr_assert_eq(rap.pts, BUILD_PTS);
	cr_assert_gt(rap.wall_ms, INT64_C(1700000000000));
	rig_done(&r);
}

Test(ring_out, marks_every_random_access_point)
{
	struct rig r;
	struct ring_rap rap;
	uint64_t last = 0;

	rig_init(&r);
	build_tables(r.in);
	for (unsigned i = 0; i < 5; i++) {
		(void)build_pes(r.in, VIDEO, idr, sizeof idr);
		for (unsigned k = 0; k < 20; k++)
			(void)build_payload(r.in, VIDEO, (uint8_t)k);
	}
	write_and_read(&r, START);
	cr_assert_eq(r.n_got, r.in->n + 5 * 2);
	assert_whole(&r);
	cr_assert(ring_reader_last_rap(r.reader, 0, 0, &rap));
	last = r.n_got - 21 - 2;
	cr_assert_eq(rap.pos, last * TS_PACKET);
	rig_done(&r);
}

/* A program with audio only. */
static void build_radio_tables(struct build *b)
{
	static const struct build_entry program = { 1, PMT };
	static const struct build_es audio = { .type = 0x03, .pid = AUDIO };
	uint8_t section[1024];

	build_section(b, TS_PID_PAT, section,
		      build_pat(section, 0, &program, 1));
	build_section(b, PMT, section,
		      build_pmt(section, program, 0, &audio, 1));
}

Test(ring_out, marks_audio_at_most_every_half_second)
{
	struct rig r;
	struct ring_rap rap;

	rig_init(&r);
	build_radio_tables(r.in);
	write_and_read(&r, START);
	cr_assert_not(ring_reader_last_rap(r.reader, 0, 0, &rap));

	size_t marks = 0;
	uint64_t pos = 0;

	/* frames every 100 ms: 5 s of them */
	for (unsigned i = 1; i <= 50; i++) {
		r.in->n = 0;
		(void)build_pes(r.in, AUDIO, "\xff\xfb", 2);
		write_and_read(&r, START + i * 100 * MS);
		if (ring_reader_last_rap(r.reader, 0, 0, &rap) &&
		    rap.pos != pos) {
			pos = rap.pos;
			marks++;
			assert_tables_at(&r, (size_t)pos / TS_PACKET);
		}
	}
	cr_assert_eq(marks, 10);
	rig_done(&r);
}

/* Ten packets a second without a join point, between two times. */
static void pass_ms(struct rig *r, unsigned from, unsigned to)
{
	for (unsigned ms = from + 100; ms <= to; ms += 100) {
		r->in->n = 0;
		(void)build_payload(r->in, 0x300, (uint8_t)(ms / 100));
		write_and_read(r, START + ms * MS);
	}
}

Test(ring_out, marks_any_packet_of_an_unknown_stream)
{
	struct rig r;
	struct ring_rap rap;

	rig_init(&r);
	(void)build_payload(r.in, 0x300, 1);
	write_and_read(&r, START);
	pass_ms(&r, 0, 1800);
	r.in->n = 0;
	(void)build_pes(r.in, 0x300, other, sizeof other);
	write_and_read(&r, START + 1900 * MS);
	cr_assert_not(ring_reader_last_rap(r.reader, 0, 0, &rap));

	/* first the start of any PES packet ... */
	r.in->n = 0;
	(void)build_payload(r.in, 0x300, 2);
	(void)build_pes(r.in, 0x300, other, sizeof other);
	write_and_read(&r, START + 2100 * MS);
	cr_assert(ring_reader_last_rap(r.reader, 0, 0, &rap));
	cr_assert_eq(rap.pos, 21 * TS_PACKET);

	/* ... then any packet */
	pass_ms(&r, 2100, 6000);
	cr_assert(ring_reader_last_rap(r.reader, 0, 0, &rap));
	cr_assert_eq(rap.pos, 21 * TS_PACKET);
	pass_ms(&r, 6000, 6100);
	cr_assert(ring_reader_last_rap(r.reader, 0, 0, &rap));
	cr_assert_eq(rap.pos, 61 * TS_PACKET);
	rig_done(&r);
}

Test(ring_out, marks_a_picture_after_a_pause)
{
	struct rig r;
	struct ring_rap rap;

	rig_init(&r);
	build_tables(r.in);
	(void)build_pes(r.in, VIDEO, idr, sizeof idr);
	write_and_read(&r, START);
	cr_assert(ring_reader_last_rap(r.reader, 0, 0, &rap));

	uint64_t first = rap.pos;

	/* in the middle of a group of pictures and of an audio frame */
	r.in->n = 0;
	(void)build_payload(r.in, AUDIO, 1);
	(void)build_pes(r.in, VIDEO, other, sizeof other);
	write_and_read(&r, START + 6000 * MS);
	write_and_read(&r, START + 6900 * MS);
	cr_assert(ring_reader_last_rap(r.reader, 0, 0, &rap));
	cr_assert_eq(rap.pos, first);
	r.in->n = 0;
	(void)build_pes(r.in, VIDEO, idr, sizeof idr);
	write_and_read(&r, START + 7000 * MS);
	cr_assert(ring_reader_last_rap(r.reader, 0, 0, &rap));
	cr_assert_gt(rap.pos, first);
	rig_done(&r);
}

Test(ring_out, rejects_a_descriptor_that_is_no_ring)
{
	struct psi *psi = psi_new();
	int err = 0;

	cr_assert_null(ring_out_new(0, psi, &err));
	cr_assert_lt(err, 0);
	psi_free(&psi);
}

Test(ring_out, continues_the_counters_of_another_writer)
{
	struct rig r;
	int err = 0;

	rig_init(&r);
	for (int i = 0; i < 5; i++) {
		build_tables(r.in);
		(void)build_pes(r.in, VIDEO, idr, sizeof idr);
		(void)build_payload(r.in, VIDEO, 0xaa);
		write_and_read(&r, START + (uint64_t)i * 40 * MS);
		/* the next writer has only the ring */
		ring_out_free(&r.out);
		r.out = ring_out_new(r.fd, r.psi, &err);
		cr_assert_not_null(r.out);
		r.in->n = 0;
	}

	struct cc *cc = xcalloc(1, sizeof *cc);

	for (size_t i = 0; i < r.n_got; i++)
		cr_assert_eq(cc_feed(cc, got(&r, i)), CC_OK, "packet %zu", i);
	cr_assert_eq(r.n_got, 5 * 6, "with inserted tables");
	free(cc);
	rig_done(&r);
}

/* A writer that dies while a picture is undecided has counted packets that no
 * reader got. */
Test(ring_out, continues_the_counters_that_readers_saw)
{
	struct rig r;
	int err = 0;

	rig_init(&r);
	build_tables(r.in);
	(void)build_pes(r.in, VIDEO, idr, sizeof idr);
	(void)build_payload(r.in, AUDIO, 1);
	write_and_read(&r, START);
	r.in->n = 0;
	/* counted, and lost with the writer */
	for (int i = 0; i < 5; i++) {
		(void)build_payload(r.in, VIDEO, 2);
		(void)build_payload(r.in, AUDIO, 2);
	}
	r.in->n = 0;
	ring_out_free(&r.out);
	r.out = ring_out_new(r.fd, r.psi, &err);
	cr_assert_not_null(r.out);
	build_tables(r.in);
	(void)build_pcr(r.in, VIDEO, 27000000);
	for (int i = 0; i < 40; i++)
		(void)build_payload(r.in, i % 2 ? VIDEO : AUDIO, 3);
	write_and_read(&r, START + 200 * MS);
	/* a loss behind that stays visible */
	r.in->n = 0;
	(void)build_payload(r.in, VIDEO, 2);
	r.in->n = 0;
	for (int i = 0; i < 4; i++)
		(void)build_payload(r.in, i % 2 ? VIDEO : AUDIO, 3);
	write_and_read(&r, START + 240 * MS);

	struct cc *cc = xcalloc(1, sizeof *cc);
	unsigned errors = 0;

	for (size_t i = 0; i < r.n_got; i++) {
		bool error = cc_feed(cc, got(&r, i)) == CC_ERROR;

		cr_assert(!error || i >= r.n_got - 4, "packet %zu", i);
		errors += error;
	}
	cr_assert_eq(errors, 1);
	free(cc);
	rig_done(&r);
}

/* A PMT before the PAT is known by the PID that the last writer used. */
Test(ring_out, continues_the_counters_before_a_table_is_known)
{
	struct cc *cc = xcalloc(1, sizeof *cc);
	struct rig r;
	int err = 0;

	rig_init(&r);
	for (int i = 0; i < 3; i++) {
		build_tables(r.in);
		(void)build_pes(r.in, VIDEO, idr, sizeof idr);
		write_and_read(&r, START + (uint64_t)i * 40 * MS);
		r.in->n = 0;
	}
	ring_out_free(&r.out);
	psi_free(&r.psi);
	r.psi = psi_new();
	r.out = ring_out_new(r.fd, r.psi, &err);
	cr_assert_not_null(r.out);
	build_tables(r.in);
	cr_assert_eq(ts_pid(build_packet(r.in, 1)), PMT);
	ring_out_feed(r.out, &(struct ts_run){ build_packet(r.in, 1), 1 }, 1,
		      START + 200 * MS);
	ring_out_publish(r.out);
	r.n_got++;
	r.in->n = 0;
	build_tables(r.in);
	write_and_read(&r, START + 240 * MS);
	for (size_t i = 0; i < r.n_got; i++)
		if (ts_pid(got(&r, i)) != TS_PID_PAT)
			cr_assert_eq(cc_feed(cc, got(&r, i)), CC_OK,
				     "packet %zu", i);
	free(cc);
	rig_done(&r);
}

Test(ring_out, marks_a_picture_that_a_later_packet_decides)
{
	struct ring_rap rap;
	struct rig r;
	uint8_t *p;

	rig_init(&r);
	build_tables(r.in);
	(void)build_pes(r.in, VIDEO, "", 0);
	(void)build_payload(r.in, AUDIO, 1);
	build_tables(r.in);
	p = build_payload(r.in, VIDEO, 0xff);
	memcpy(p + TS_PACKET - sizeof idr, idr, sizeof idr);
	(void)build_payload(r.in, VIDEO, 1);
	write_and_read(&r, START);
	assert_whole(&r);
	cr_assert(ring_reader_last_rap(r.reader, 0, 0, &rap));
	cr_assert_eq(rap.pos, 2 * TS_PACKET);
	assert_tables_at(&r, 2);
	cr_assert_eq(ts_pid(got(&r, 4)), VIDEO);
	cr_assert(ts_pusi(got(&r, 4)));
	rig_done(&r);
}

/* A picture that stays undecided delays its packets for a bounded time. */
Test(ring_out, holds_an_undecided_picture_for_half_a_second)
{
	struct rig r;

	rig_init(&r);
	build_tables(r.in);
	/* then the indicator decides */
	for (unsigned i = 0; i < 2; i++) {
		build_pes(r.in, VIDEO, "", 0)[5] |= i == 0 ? 0 : 0x40;
		write_and_read(&r, START + i * JOIN_POINT_HELD_MS * MS);
		cr_assert_eq(r.n_got, i == 0 ? 2 : 3);
		cr_assert_neq(ring_out_next_ns(r.out), UINT64_MAX);
		r.in->n = 0;
	}
	write_and_read(&r, START + 2 * JOIN_POINT_HELD_MS * MS);
	cr_assert_eq(r.n_got, 6);
	cr_assert_eq(ring_out_next_ns(r.out), UINT64_MAX);
	rig_done(&r);
}

/* A picture of 100 ms. */
static void write_picture(struct rig *r, uint64_t *now_ns, const uint8_t *es,
			  unsigned packets)
{
	struct ts_run run;

	r->in->n = 0;
	(void)build_pes(r->in, VIDEO, es, sizeof idr);
	for (unsigned k = 0; k < packets; k++)
		(void)build_payload(r->in, VIDEO, 1);
	run = build_run(r->in);
	ring_out_feed(r->out, &run, 1, *now_ns);
	ring_out_publish(r->out);
	*now_ns += 100 * MS;
}

/* n seconds of pictures, the first of them an IDR. */
static void write_gop(struct rig *r, uint64_t *now_ns, unsigned seconds,
		      unsigned packets)
{
	for (unsigned i = 0; i < 10 * seconds; i++)
		write_picture(r, now_ns, i == 0 ? idr : other, packets);
}

Test(ring_out, guesses_no_join_point_within_a_long_group_of_pictures)
{
	uint64_t now_ns = START, rap_pos;
	struct ring_rap rap;
	uint32_t gop;
	struct rig r;

	rig_init(&r);
	build_tables(r.in);
	write_and_read(&r, now_ns);
	rap_pos = r.n_got * TS_PACKET;
	write_gop(&r, &now_ns, 12, 2);
	cr_assert(ring_reader_last_rap(r.reader, 0, 0, &rap));
	cr_assert_eq(rap.pos, rap_pos);
	/* much later guesses are marked, and the picture is still preferred */
	for (unsigned i = 0; i < 100; i++)
		write_picture(&r, &now_ns, other, 0);
	cr_assert(ring_reader_last_rap(r.reader, 0, 0, &rap));
	cr_assert_eq(rap.pos, rap_pos);
	cr_assert(ring_reader_last_rap(r.reader, 0, rap_pos + 1, &rap));
	cr_assert(rap.guess);
	cr_assert_eq(ring_out_join(r.out, &gop), JOIN_PICTURE);
	rig_done(&r);
}

Test(ring_out, prefers_guesses_at_parameter_sets)
{
	static const uint8_t sets[] = { 0, 0, 1, 0x67, 0x42, 0x80,
					0, 0, 1, 0x41, 0x9a, 0x80 };
	struct ring_rap rap = { 0 };
	uint32_t gop;
	struct rig r;

	rig_init(&r);
	build_tables(r.in);
	write_and_read(&r, START);
	for (unsigned i = 1; i <= 200; i++) {
		r.in->n = 0;
		(void)build_payload(r.in, AUDIO, 1);
		(void)build_pes(r.in, VIDEO, i % 15 == 0 ? sets : other,
				i % 15 == 0 ? sizeof sets : sizeof other);
		write_and_read(&r, START + i * 100 * MS);
		cr_assert_eq(ring_out_join(r.out, &gop),
			     i < 150 ? JOIN_UNKNOWN : JOIN_GUESS);
		if (!ring_reader_last_rap(r.reader, 0, 0, &rap) && i < 150)
			continue;
		cr_assert_arr_eq(got(&r, rap.pos / TS_PACKET + 2) + TS_PACKET -
				 sizeof sets, sets, sizeof sets, "%u", i);
	}
	rig_done(&r);
}

/* They are further apart than the time-out, and no PTS can be read. */
Test(ring_out, follows_the_indicators_of_scrambled_pictures)
{
	struct ring_rap rap;
	uint64_t pos = 0;
	struct rig r;
	uint32_t gop;
	uint8_t *p;

	rig_init(&r);
	build_tables(r.in);
	write_and_read(&r, START);
	for (unsigned i = 0; i < 130; i++) {
		r.in->n = 0;
		(void)build_pcr(r.in, VIDEO, 2700000 * (uint64_t)(i + 1));
		if (i % 40 == 0)
			pos = (r.n_got + 1) * TS_PACKET;
		p = build_pes(r.in, VIDEO, other, sizeof other);
		p[3] |= 0x80;
		p[5] |= i % 40 == 0 ? 0x40 : 0;
		write_and_read(&r, START + i * 100 * MS);
		cr_assert(ring_reader_last_rap(r.reader, 0, 0, &rap));
		cr_assert_eq(rap.pos, pos, "%u", i);
		cr_assert_eq(ring_out_join(r.out, &gop), JOIN_PICTURE);
	}
	cr_assert_eq(gop, 4000);
	rig_done(&r);
}

Test(ring_out, the_ring_grows_to_four_groups_of_pictures)
{
	uint64_t now_ns = START;
	struct rig r;
	int err = 0;

	rig_init(&r);
	ring_out_free(&r.out);
	ring_reader_free(&r.reader);
	fd_close(&r.fd);
	r.fd = ring_create(4 * RING_UNIT, 64 * RING_UNIT);
	r.out = ring_out_new(r.fd, r.psi, &err);
	r.reader = ring_reader_new(r.fd, &err);
	build_tables(r.in);
	for (size_t i = 0; i < r.in->n; i++)
		(void)psi_feed(r.psi, build_packet(r.in, i));
	/* three units a group: 10 s of 300 packets in a tenth of a second */
	for (unsigned i = 0; i < 4; i++)
		write_gop(&r, &now_ns, 10, 30);

	bool ok;
	size_t gop = 100 * 31 * TS_PACKET;

	(void)ring_reader_pos(r.reader, &ok);
	cr_assert(ok);
	cr_assert_geq(ring_reader_size(r.reader), 4 * gop - RING_UNIT);
	cr_assert_leq(ring_reader_size(r.reader), 5 * gop);
	rig_done(&r);
}
