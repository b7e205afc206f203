/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intra refresh: where the readers of a ring begin if an encoder sends an IDR
 * picture at its start alone, and parameter sets in front of each refresh. */
#include "common/base/fd.h"
#include "common/base/ring.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/output/ring_out.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
	VIDEO = 0x101,
	/* pictures, of 100 ms each: not in step with the guesses */
	REFRESH = 21,
	PICTURES = 400,
};

static const uint8_t idr[] = { 0, 0, 1, 0x65, 0x88, 0x80, 0x10, 0, 0 };
static const uint8_t other[] = { 0, 0, 1, 0x41, 0x9a, 0x80, 0x10, 0, 0 };
static const uint8_t sets[] = { 0, 0, 1, 0x67, 0, 0, 1, 0x41, 0x9a };

struct scene {
	int fd;
	struct psi *psi;
	struct ring_out *out;
	struct ring_reader *reader;
	struct build *in;
	uint64_t now_ns;
};

static void begin(struct scene *s)
{
	int err = 0;

	s->fd = ring_create(16 * RING_UNIT, 0);
	s->psi = psi_new();
	s->out = ring_out_new(s->fd, s->psi, &err);
	s->reader = ring_reader_new(s->fd, &err);
	s->in = build_new();
	s->now_ns = 100000 * MS;
	build_tables(s->in);
	for (size_t i = 0; i < s->in->n; i++)
		(void)psi_feed(s->psi, build_packet(s->in, i));
}

static void end(struct scene *s)
{
	ring_out_free(&s->out);
	ring_reader_free(&s->reader);
	psi_free(&s->psi);
	build_free(s->in);
	fd_close(&s->fd);
}

/* A picture; far: its slice is in the second packet, behind a long SEI. */
static void write_picture(struct scene *s, const uint8_t *es, bool far)
{
	struct ts_run run;

	(void)build_pes(s->in, VIDEO, far ? sets : es, far ? 5 : sizeof idr);
	if (far)
		memcpy(build_payload(s->in, VIDEO, 0) + 100, other,
		       sizeof other);
	run = build_run(s->in);
	ring_out_feed(s->out, &run, 1, s->now_ns);
	ring_out_publish(s->out);
	s->now_ns += 100 * MS;
	s->in->n = 0;
}

/* Writes an IDR picture and refreshes.  Returns where the readers begin, in
 * pictures behind the last one: the worst of the second half. */
static unsigned lag_of(bool with_sets, bool everywhere, bool far,
		       enum join_kind *ret_kind)
{
	uint64_t begins[PICTURES + 1];
	struct ring_rap rap = { 0 };
	unsigned worst = 0, lag;
	struct scene s;
	uint32_t gop;
	bool ok;

	begin(&s);
	write_picture(&s, idr, false);
	for (unsigned i = 1; i <= PICTURES; i++) {
		bool has = everywhere || (with_sets && i % REFRESH == 1);

		begins[i] = ring_reader_pos(s.reader, &ok);
		write_picture(&s, has ? sets : other, has && far);
		cr_assert(ring_reader_last_rap(s.reader, 0, 0, &rap));
		for (lag = 0; lag < i && begins[i - lag] > rap.pos; lag++)
			;
		if (i > PICTURES / 2)
			worst = MAX(worst, lag);
	}
	*ret_kind = ring_out_join(s.out, &gop);
	end(&s);
	return worst;
}

Test(ring_refresh, readers_begin_at_the_last_refresh)
{
	enum join_kind kind;

	cr_expect_lt(lag_of(true, false, false, &kind), REFRESH);
	cr_expect_eq(kind, JOIN_GUESS, "the status says so");
	cr_expect_lt(lag_of(true, false, true, &kind), REFRESH);
	cr_expect_eq(kind, JOIN_GUESS);
}

/* A long group of pictures: the picture that decodes is still preferred. */
Test(ring_refresh, sets_in_front_of_no_or_every_picture_are_no_refresh)
{
	enum join_kind kind;

	cr_expect_eq(lag_of(false, false, false, &kind), PICTURES);
	cr_expect_eq(kind, JOIN_PICTURE);
	cr_expect_eq(lag_of(true, true, false, &kind), PICTURES);
	cr_expect_eq(kind, JOIN_PICTURE);
}

/* A file in a loop: its IDR picture returns every 40 s.  At each moment the
 * status says where readers begin. */
Test(ring_refresh, the_status_is_that_of_the_moment)
{
	enum { LOOP = 400 };
	unsigned pictures = 0, guesses = 0;
	struct ring_rap rap = { 0 };
	uint64_t at, idr_at = 0;
	enum join_kind kind;
	struct scene s;
	uint32_t gop;
	bool ok;

	begin(&s);
	for (unsigned i = 0; i < 3 * LOOP; i++) {
		bool begins = i % LOOP == 0;

		at = ring_reader_pos(s.reader, &ok);
		idr_at = begins ? at : idr_at;
		write_picture(&s, begins ? idr
					 : i % REFRESH == 1 ? sets : other,
			      false);
		if (!ring_reader_last_rap(s.reader, 0, 0, &rap))
			continue;
		kind = ring_out_join(s.out, &gop);
		cr_expect_eq(kind, rap.pos < idr_at + 3 * TS_PACKET &&
						   rap.pos >= idr_at
					   ? JOIN_PICTURE
					   : JOIN_GUESS,
			     "picture %u: %d, %lu behind the IDR picture", i,
			     (int)kind, (unsigned long)(rap.pos - idr_at));
		pictures += kind == JOIN_PICTURE;
		guesses += kind == JOIN_GUESS;
	}
	cr_expect_gt(pictures, 0U);
	cr_expect_gt(guesses, pictures);
	end(&s);
}
