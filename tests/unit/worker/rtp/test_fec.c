/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FEC against a model of the matrix. */
#include "tests/unit/rounds.h"
#include "tests/unit/worker/rtp/rtp_rig.h"
#include "worker/rtp/fec.h"
#include "worker/rtp/fec_repair.h"

#include <assert.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 20, CELLS = SIDE * SIDE, SIZE = RTP_HEADER + RTP_RIG_PAYLOAD };

Test(fec, parses_the_headers_of_the_standard)
{
	uint8_t data[FEC_HEAD + 8] = {
		0xa1, 0x80 | 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0,
		0x12, 0x34, 0x05, 0x28, 0x80 | 33, 0, 0, 0,
		0x0a, 0x0b, 0x0c, 0x0d, 0x40, 1, 10, 0, 0x55,
	};
	struct fec_packet p;

	cr_assert_eq(fec_parse(data, sizeof data, &p), 0);
	cr_assert(p.row);
	cr_assert_eq(p.first, 0x1234);
	cr_assert_eq(p.step, 1);
	cr_assert_eq(p.n, 10);
	cr_assert_eq(p.flags, 0x21);
	cr_assert_eq(p.payload_type, 0x80 | 33);
	cr_assert_eq(p.len, 0x0528);
	cr_assert_eq(p.timestamp, 0x0a0b0c0d);
	cr_assert_eq(p.body, data + FEC_HEAD);
	cr_assert_eq(p.body_len, 8);
	cr_assert_eq(p.body[0], 0x55);
	cr_assert_eq(fec_parse(data, FEC_HEAD - 1, &p), -EBADMSG, "short");
	data[24] = 0x48;
	cr_assert_eq(fec_parse(data, sizeof data, &p), -EBADMSG, "scheme");
	data[24] = 0x40;
	data[25] = 2;
	cr_assert_eq(fec_parse(data, sizeof data, &p), -EBADMSG, "a row of 2");
	data[24] = 0;
	cr_assert_eq(fec_parse(data, sizeof data, &p), 0, "a column");
	data[26] = 0;
	cr_assert_eq(fec_parse(data, sizeof data, &p), -EBADMSG, "of none");
	data[26] = 255;
	cr_assert_eq(fec_parse(data, sizeof data, &p), -EBADMSG, "too high");
}

Test(fec, writes_headers_that_it_parses)
{
	struct fec_packet p = { .first = 65535, .step = 7, .n = 9,
				.flags = 0x13, .payload_type = 0x80 | 33,
				.len = 1316, .timestamp = 77, .body_len = 3 };
	uint8_t data[FEC_HEAD + 3] = { 0 };
	struct fec_packet q;

	fec_write(&p, 1000, 90000, data);
	cr_assert_eq(fec_parse(data, sizeof data, &q), 0);
	p.body = data + FEC_HEAD;
	cr_assert_eq(q.first, p.first);
	cr_assert_eq(q.step, p.step);
	cr_assert_eq(q.n, p.n);
	cr_assert_eq(q.row, p.row);
	cr_assert_eq(q.flags, p.flags);
	cr_assert_eq(q.payload_type, p.payload_type);
	cr_assert_eq(q.len, p.len);
	cr_assert_eq(q.timestamp, p.timestamp);
	cr_assert_eq(rtp_get16(data + 2), 1000);
	cr_assert_eq(rtp_get32(data + 4), 90000);
}

/* A sum of another stream, or a lie. */
Test(fec, repairs_no_datagram_of_another_type)
{
	uint8_t data[FEC_HEAD + RTP_RIG_PAYLOAD] = {
		0x80, 96, [14] = 0, RTP_RIG_PAYLOAD, 0x80 | 5,
		[25] = 1, 1,
	};
	struct fec_repair *fec;
	struct rtp_rig r;

	for (uint8_t type = 0; type < 128; type++) {
		bool media = type == 33 || type >= 96;

		rtp_rig_init(&r, (struct rtp_window_config){
			.places = 4096, .paths = 1, .reorder_ms = 20 });
		fec = fec_repair_new(r.window);
		rtp_rig_feed(&r, 0);
		rtp_rig_feed(&r, 2);
		data[12] = (uint8_t)(r.first_seq >> 8);
		data[13] = (uint8_t)(r.first_seq + 1);
		data[16] = 0x80 | type;
		/* number 1, as it is written */
		data[FEC_HEAD + 3] = 1;
		for (size_t i = 4; i < RTP_RIG_PAYLOAD; i++)
			data[FEC_HEAD + i] = (uint8_t)(1 + i);
		data[23] = 90;
		fec_repair_feed(fec, data, sizeof data, r.now_ns);
		rtp_window_turn(r.window, r.now_ns);
		cr_assert_eq(r.n, media ? 3 : 1, "type %u", type);
		fec_repair_free(&fec);
		rtp_rig_done(&r);
	}
}

/* --- the sender --- */

struct link {
	struct rtp_rig rig;
	struct fec_repair *fec;
	unsigned columns, rows;
	uint32_t base;       /* number of the first of this matrix */
	uint32_t next;       /* the next number that may be sent */
	bool *came;          /* by number */
	size_t n_came;
};

static void open_link(struct link *l, unsigned columns, unsigned rows,
		      size_t matrices)
{
	*l = (struct link){ .columns = columns, .rows = rows };
	rtp_rig_init(&l->rig, (struct rtp_window_config){
		.places = 4096, .paths = 1, .reorder_ms = 20 });
	l->fec = fec_repair_new(l->rig.window);
	l->came = calloc(matrices * columns * rows, sizeof *l->came);
}

static void close_link(struct link *l)
{
	fec_repair_free(&l->fec);
	rtp_rig_done(&l->rig);
	free(l->came);
}

/* The output is in the order of the sequence numbers. */
static void collect(struct link *l)
{
	for (size_t i = 0; i < l->rig.n; i++) {
		cr_assert_geq(l->rig.out[i], l->next);
		l->next = l->rig.out[i] + 1;
		l->came[l->rig.out[i]] = true;
		l->n_came++;
	}
	l->rig.n = 0;
}

static void pass_ms(struct link *l)
{
	l->rig.now_ns += 1000000;
	fec_repair_turn(l->fec, l->rig.now_ns);
	rtp_window_turn(l->rig.window, l->rig.now_ns);
	collect(l);
}

/* Both are SIZE long: whole words. */
static void add_to(uint8_t *sum, const uint8_t *one)
{
	for (size_t at = 0; at < SIZE; at += sizeof(uint64_t)) {
		uint64_t a, b;

		memcpy(&a, sum + at, sizeof a);
		memcpy(&b, one + at, sizeof b);
		a ^= b;
		memcpy(sum + at, &a, sizeof a);
	}
}

static_assert(SIZE % sizeof(uint64_t) == 0, "add_to() takes whole words");

/* The sum of n numbers from first on, step apart. */
static void send_sum(struct link *l, uint32_t first, unsigned step,
		     unsigned n, bool row)
{
	uint8_t sum[SIZE] = { 0 }, one[SIZE];
	uint8_t data[FEC_HEAD + RTP_RIG_PAYLOAD] = { 0x80, 96 };
	uint16_t seq = (uint16_t)(l->rig.first_seq + first);
	uint16_t len = 0;

	for (unsigned i = 0; i < n; i++) {
		size_t size = rtp_rig_write(&l->rig, first + i * step, one);

		add_to(sum, one);
		len ^= (uint16_t)(size - RTP_HEADER);
	}
	data[12] = (uint8_t)(seq >> 8);
	data[13] = (uint8_t)seq;
	data[14] = (uint8_t)(len >> 8);
	data[15] = (uint8_t)len;
	data[16] = 0x80 | (sum[1] & 0x7f);
	memcpy(data + 20, sum + 4, 4);
	data[24] = row ? 0x40 : 0;
	data[25] = (uint8_t)step;
	data[26] = (uint8_t)n;
	memcpy(data + FEC_HEAD, sum + RTP_HEADER, RTP_RIG_PAYLOAD);
	fec_repair_feed(l->fec, data, sizeof data, l->rig.now_ns);
}

/* The losses of a matrix: a byte for each cell, row and column. */
struct losses {
	bool cell[CELLS];
	bool row[SIDE], column[SIDE];
};

static void send_matrix(struct link *l, const struct losses *lost)
{
	for (unsigned r = 0; r < l->rows; r++) {
		for (unsigned c = 0; c < l->columns; c++) {
			unsigned i = r * l->columns + c;

			if (!lost->cell[i])
				rtp_rig_feed(&l->rig, l->base + i);
			pass_ms(l);
		}
		if (!lost->row[r])
			send_sum(l, l->base + r * l->columns, 1, l->columns,
				 true);
	}
	for (unsigned c = 0; c < l->columns; c++)
		if (!lost->column[c])
			send_sum(l, l->base + c, l->columns, l->rows, false);
	pass_ms(l);
	l->base += l->columns * l->rows;
}

/* --- the model --- */

/* The only missing cell of n from first on; -1: none or several. */
static int lone(const bool *cell, unsigned first, unsigned step, unsigned n)
{
	int found = -1;

	for (unsigned i = 0; i < n; i++) {
		if (!cell[first + i * step])
			continue;
		if (found >= 0)
			return -1;
		found = (int)(first + i * step);
	}
	return found;
}

/* Marks the cells that follow from the sums as present; true: there were some.
 * */
static bool solve_once(const struct link *l, const struct losses *lost,
		       bool *cell)
{
	bool solved = false;
	int found;

	for (unsigned r = 0; r < l->rows; r++) {
		found = lost->row[r] ? -1 : lone(cell, r * l->columns, 1,
						 l->columns);
		if (found >= 0) {
			cell[found] = false;
			solved = true;
		}
	}
	for (unsigned c = 0; c < l->columns; c++) {
		found = lost->column[c] ? -1 : lone(cell, c, l->columns,
						    l->rows);
		if (found >= 0) {
			cell[found] = false;
			solved = true;
		}
	}
	return solved;
}

static void judge(const struct link *l, const struct losses *lost,
		  uint32_t base, size_t *ret_lost, size_t *ret_repaired)
{
	bool cell[CELLS];

	memcpy(cell, lost->cell, sizeof cell);
	while (solve_once(l, lost, cell))
		;
	for (unsigned i = 0; i < l->columns * l->rows; i++) {
		cr_assert_eq(l->came[base + i], !cell[i],
			     "number %u of the matrix at %u", i, base);
		*ret_lost += cell[i];
		*ret_repaired += lost->cell[i] && !cell[i];
	}
}

static const struct losses nothing;

/* Sends all, then a few whole ones, and judges all. */
static void run(struct link *l, const struct losses *lost, size_t n)
{
	size_t missing = 0, repaired = 0;
	struct rtp_window_counts counts;

	send_matrix(l, &nothing);
	for (size_t i = 0; i < n; i++)
		send_matrix(l, &lost[i]);
	for (size_t i = 0; i < 4; i++)
		send_matrix(l, &nothing);
	for (size_t i = 0; i < n; i++)
		judge(l, &lost[i], (uint32_t)(i + 1) * l->columns * l->rows,
		      &missing, &repaired);
	counts = rtp_rig_counts(&l->rig);
	cr_assert_eq(counts.lost, missing);
	cr_assert_eq(counts.repaired, repaired);
	cr_assert_eq(counts.duplicates, 0);
	cr_assert_eq(counts.late, 0);
}

/* All 65,536 combinations of losses in a matrix of 4 by 4; under the sanitizers
 * each ninth, until an eighth of them was tried. */
Test(fec, repairs_all_that_the_matrix_allows)
{
	enum { ALL = 65536, AT_ONCE = 4096, EACH = SANITIZED ? 9 : 1 };

	for (unsigned from = 0; from < ALL / ROUNDS_DIVISOR; from += AT_ONCE) {
		struct losses *lost = calloc(AT_ONCE, sizeof *lost);
		struct link l;

		for (unsigned i = 0; i < AT_ONCE; i++)
			for (unsigned k = 0; k < 16; k++)
				lost[i].cell[k] = (from + i) * EACH >> k & 1;
		open_link(&l, 4, 4, AT_ONCE + 5);
		run(&l, lost, AT_ONCE);
		close_link(&l);
		free(lost);
	}
}

/* Matrices of any form; sums are lost like media. */
Test(fec, repairs_when_fec_datagrams_are_lost_too)
{
	enum { N = 40 / ROUNDS_DIVISOR };
	static const struct { unsigned columns, rows; } forms[] = {
		{ 5, 5 }, { 10, 10 }, { 20, 5 }, { 5, 20 }, { 1, 10 },
		{ 7, 4 }, { 20, 20 }, { 4, 12 },
	};

	srandom(2022);
	for (unsigned percent = 1; percent <= 40; percent += 6)
		for (size_t f = 0; f < ARRAY_LEN(forms); f++) {
			struct losses *lost = calloc(N, sizeof *lost);
			struct link l;

			for (size_t i = 0; i < N * sizeof *lost; i++)
				((bool *)lost)[i] = random() % 100 < percent;
			open_link(&l, forms[f].columns, forms[f].rows, N + 5);
			run(&l, lost, N);
			close_link(&l);
			free(lost);
		}
}

/* A whole row can go when there are columns, and so can a column of a sender
 * that makes no rows. */
Test(fec, repairs_a_burst_as_long_as_a_row)
{
	struct losses lost = { 0 };
	struct link l;

	for (unsigned i = 0; i < 10; i++) {
		lost.cell[33 + i] = true;
		lost.row[i] = true;
	}
	open_link(&l, 10, 10, 6);
	run(&l, &lost, 1);
	cr_assert_eq(rtp_rig_counts(&l.rig).repaired, 10);
	close_link(&l);
}

Test(fec, delays_no_datagram_without_loss)
{
	struct link l;

	open_link(&l, 10, 10, 20);
	for (unsigned i = 0; i < 500; i++) {
		rtp_rig_feed(&l.rig, i);
		rtp_rig_expect(&l.rig, i, 1);
	}
	close_link(&l);
}

/* Gaps do not wait for FEC that has stopped. */
Test(fec, is_not_waited_for_when_it_stops)
{
	struct link l;
	uint32_t n;

	open_link(&l, 10, 10, 20);
	for (unsigned i = 0; i < 3; i++)
		send_matrix(&l, &nothing);
	n = l.base;
	l.rig.now_ns += UINT64_C(4000000000);
	fec_repair_every_second(l.fec, l.rig.now_ns);
	rtp_rig_feed(&l.rig, n);
	rtp_rig_feed(&l.rig, n + 2);
	rtp_rig_pass(&l.rig, 20);
	cr_assert_eq(l.rig.n, 2);
	close_link(&l);
}
