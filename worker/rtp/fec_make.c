/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/fec_make.h"

#include "common/base/alloc.h"

#include <stdlib.h>

enum { BODY_MAX = DATAGRAM_PACKETS * TS_PACKET };

struct sum {
	struct fec_packet head;
	uint8_t body[BODY_MAX];
};

struct fec_make {
	fec_send_fn *send;
	void *arg;
	unsigned columns, rows;
	unsigned cell;        /* index of the next datagram in the matrix */
	uint32_t stamp;       /* RTP time stamp of the last datagram */
	uint16_t seq[FEC_KINDS]; /* next sequence number of columns, rows */
	struct sum row;       /* the current row */
	struct sum *growing;  /* the columns of the current matrix */
	struct sum *whole;    /* the columns of the matrix before */
	unsigned to_send;     /* columns of `whole` that are not sent yet */
	struct sum *sums;     /* the memory of `growing` and `whole` */
};

struct fec_make *fec_make_new(unsigned columns, unsigned rows,
			      fec_send_fn *send, void *arg)
{
	struct fec_make *f = xcalloc(1, sizeof *f);

	f->send = send;
	f->arg = arg;
	f->columns = columns;
	f->rows = rows;
	f->sums = xcalloc(2 * (size_t)columns, sizeof *f->sums);
	f->growing = f->sums;
	f->whole = f->sums + columns;
	return f;
}

void fec_make_free(struct fec_make **f)
{
	if (*f != NULL)
		free((*f)->sums);
	free(*f);
	*f = NULL;
}

static void send_sum(struct fec_make *f, struct sum *s, enum fec_kind kind)
{
	uint8_t head[FEC_HEAD];
	const struct iovec iov[] = {
		{ .iov_base = head, .iov_len = sizeof head },
		{ .iov_base = s->body, .iov_len = s->head.body_len },
	};

	fec_write(&s->head, f->seq[kind]++, f->stamp, head);
	f->send(kind, iov, ARRAY_LEN(iov), f->arg);
}

/* Begins a sum.  rtp: the RTP header of the first datagram in it. */
static void begin(struct sum *s, struct fec_packet head, const uint8_t *rtp)
{
	*s = (struct sum){ .head = head };
	s->head.first = rtp_get16(rtp + 2);
}

static void add(struct sum *s, const struct iovec *iov, size_t n)
{
	const uint8_t *rtp = iov[0].iov_base;
	size_t len = 0;

	for (size_t i = 1; i < n; i++) {
		fec_xor(s->body + len, iov[i].iov_base, iov[i].iov_len);
		len += iov[i].iov_len;
	}
	s->head.flags ^= rtp[0] & 0x3f;
	s->head.payload_type ^= rtp[1];
	s->head.len ^= (uint16_t)len;
	s->head.timestamp ^= rtp_get32(rtp + 4);
	s->head.body_len = MAX(s->head.body_len, len);
}

void fec_make_feed(struct fec_make *f, const struct datagrams *d)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct iovec *iov = &d->iov[d->first[i]];
		size_t n = (size_t)(d->first[i + 1] - d->first[i]);
		const uint8_t *rtp = iov[0].iov_base;
		unsigned row = f->cell / f->columns;
		unsigned column = f->cell % f->columns;
		struct sum *down = &f->growing[column];

		f->stamp = rtp_get32(rtp + 4);
		if (column == 0)
			begin(&f->row, (struct fec_packet){
				.row = true, .step = 1,
				.n = (uint8_t)f->columns }, rtp);
		if (row == 0)
			begin(down, (struct fec_packet){
				.step = (uint8_t)f->columns,
				.n = (uint8_t)f->rows }, rtp);
		add(&f->row, iov, n);
		add(down, iov, n);
		f->cell++;
		if (column + 1 == f->columns)
			send_sum(f, &f->row, FEC_ROW);
		if (f->to_send > 0 && f->cell % f->rows == 0)
			send_sum(f, &f->whole[f->columns - f->to_send--],
				 FEC_COLUMN);
		if (f->cell == f->columns * f->rows) {
			struct sum *was = f->growing;

			f->growing = f->whole;
			f->whole = was;
			f->to_send = f->columns;
			f->cell = 0;
		}
	}
}
