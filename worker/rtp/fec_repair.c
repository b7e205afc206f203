/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/fec_repair.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "proto/spec/rtp_spec.h"
#include "worker/rtp/fec.h"

#include <stdlib.h>

enum {
	/* FEC datagrams that may wait: the rows and columns of three of the
	 * largest standard matrices. */
	WAITING_MAX = 128,
	DATAGRAM_MAX = RTP_LONG_SIZE,
	/* Some encoders send the FEC of a row before its last datagram.  For
	 * this long after the FEC, a datagram that has not arrived is not
	 * taken for lost. */
	COMING_MS = 300,
	/* After this time without FEC, gaps do not wait for a repair. */
	LIVE_MS = 3000,
	/* Datagrams of the matrix until its size is known: the largest matrix
	 * of the standard. */
	MATRIX_FIRST = FEC_MATRIX_MAX,
	REACH_FIRST = 2 * MATRIX_FIRST + FEC_COLUMNS_MAX,
};

/* An FEC datagram that waits, because more than one of its datagrams is
 * missing, or the only missing one may still arrive. */
struct sum {
	uint64_t received_ns;
	uint64_t order; /* age: the lowest number is the oldest sum */
	bool used;      /* false: the entry is free */
	uint16_t size;  /* bytes of the datagram */
	size_t room;    /* bytes allocated at data */
	uint8_t *data;  /* NULL until the first use */
};

struct fec_repair {
	struct rtp_window *window;
	unsigned columns, rows; /* size of the matrix; 0: unknown */
	bool live;              /* FEC arrived, or the module was made, within
				 * LIVE_MS */
	uint64_t received_ns;   /* when the last FEC datagram arrived */
	unsigned n_waiting;     /* used entries of sums */
	uint64_t order;         /* sum.order of the next sum */
	struct fec_repair_counts counts;
	struct sum sums[WAITING_MAX];
};

struct fec_repair *fec_repair_new(struct rtp_window *w)
{
	struct fec_repair *f = xcalloc(1, sizeof *f);

	f->window = w;
	f->live = true;
	rtp_window_set_repair(w, REACH_FIRST, REACH_FIRST);
	return f;
}

void fec_repair_free(struct fec_repair **f)
{
	for (size_t i = 0; *f != NULL && i < WAITING_MAX; i++)
		free((*f)->sums[i].data);
	free(*f);
	*f = NULL;
}

/* --- the matrix --- */

/* Makes the window keep the datagrams that repairs need: those of two matrices,
 * because the FEC of a matrix may be sent during the next matrix. */
static void set_reach(struct fec_repair *f)
{
	unsigned columns = MAX(f->columns, 1U);
	unsigned rows = f->rows > 0 ? f->rows : MATRIX_FIRST / columns;
	unsigned reach = 2 * columns * rows + columns;

	rtp_window_set_repair(f->window, reach, f->live ? reach : 0);
}

/* --- one sum --- */

enum missing { MISSING_NONE, MISSING_ONE, MISSING_MORE, HOPELESS };

/* Returns how many datagrams of a sum are missing; HOPELESS: for one of them a
 * repair is too late.  *ret: the sequence number of the last missing datagram.
 * may_come: if the single missing datagram may still arrive, because no later
 * one has arrived, the result is MISSING_MORE. */
static enum missing find_missing(const struct fec_repair *f,
				 const struct fec_packet *p, bool may_come,
				 uint16_t *ret)
{
	const struct rtp_slot *slot;
	unsigned missing = 0;
	bool coming = false;

	for (unsigned i = 0; i < p->n; i++) {
		switch (rtp_window_find(f->window, fec_seq(p, i), &slot)) {
		case RTP_KEPT:
			break;
		case RTP_PASSED:
			return HOPELESS;
		case RTP_COMING:
			coming = true;
			/* fall through */
		case RTP_MISSING:
			missing++;
			*ret = fec_seq(p, i);
			break;
		}
	}
	if (missing == 0)
		return MISSING_NONE;
	return missing == 1 && !(coming && may_come) ? MISSING_ONE
						     : MISSING_MORE;
}

/* Restores the missing datagram of a sum from its other datagrams.  Returns the
 * size of the datagram; 0: the sum does not fit these datagrams. */
static size_t restore(const struct fec_repair *f, struct fec_packet p,
		      uint16_t missing, uint8_t *ret)
{
	const struct rtp_slot *slot;

	memcpy(ret + RTP_HEADER, p.body, p.body_len);
	for (unsigned i = 0; i < p.n; i++) {
		uint16_t seq = fec_seq(&p, i);

		if (seq == missing ||
		    rtp_window_find(f->window, seq, &slot) != RTP_KEPT)
			continue;
		if (slot->size - (size_t)RTP_HEADER > p.body_len)
			return 0;
		p.flags ^= slot->data[0] & 0x3f;
		p.payload_type ^= slot->data[1];
		p.len ^= (uint16_t)(slot->size - RTP_HEADER);
		p.timestamp ^= rtp_get32(slot->data + 4);
		fec_xor(ret + RTP_HEADER, slot->data + RTP_HEADER,
			slot->size - (size_t)RTP_HEADER);
	}
	if (p.len > p.body_len)
		return 0;
	ret[0] = (uint8_t)(0x80 | p.flags);
	ret[1] = p.payload_type;
	rtp_put16(ret + 2, missing);
	rtp_put32(ret + 4, p.timestamp);
	rtp_put32(ret + 8, rtp_window_ssrc(f->window));
	return RTP_HEADER + (size_t)p.len;
}

/* Repairs a datagram with a sum, if exactly one of its datagrams is missing;
 * then sets *repaired.  True: the sum is not needed any more.  False: it may
 * repair a datagram later. */
static bool try_sum(struct fec_repair *f, const struct fec_packet *p,
		    uint64_t received_ns, uint64_t now_ns, bool *repaired)
{
	bool may_come = now_ns - received_ns < COMING_MS * MS;
	uint16_t missing = 0, last = fec_seq(p, p->n - 1U);
	uint8_t datagram[DATAGRAM_MAX];
	const struct rtp_slot *slot;
	enum missing how_many;
	struct rtp_datagram d;
	size_t size;

	/* the usual case: all its datagrams arrived */
	if (!rtp_window_waits(f->window) &&
	    rtp_window_find(f->window, last, &slot) != RTP_COMING)
		return true;
	how_many = find_missing(f, p, may_come, &missing);
	if (how_many != MISSING_ONE)
		return how_many != MISSING_MORE;
	*repaired = true;
	size = restore(f, *p, missing, datagram);
	if (size == 0)
		return true;
	if (rtp_parse(datagram, size, &d) < 0) {
		/* some encoders do not protect the flags */
		datagram[0] = 0x80;
		if (rtp_parse(datagram, size, &d) < 0)
			return true;
	}
	/* if the result is no media, the sum did not fit these datagrams */
	if (rtp_is_media(&d))
		rtp_window_repair(f->window, &d, now_ns);
	return true;
}

/* --- all sums --- */

/* Stores a sum that cannot repair a datagram yet, in a free entry or instead of
 * the oldest sum. */
static void keep(struct fec_repair *f, const uint8_t *data, size_t len,
		 uint64_t now_ns)
{
	struct sum *s = NULL, *oldest = &f->sums[0];

	for (size_t i = 0; s == NULL && i < WAITING_MAX; i++) {
		if (!f->sums[i].used)
			s = &f->sums[i];
		else if (f->sums[i].order < oldest->order)
			oldest = &f->sums[i];
	}
	f->n_waiting += s != NULL;
	if (s == NULL)
		s = oldest;
	s->used = true;
	s->received_ns = now_ns;
	s->order = f->order++;
	s->size = (uint16_t)len;
	if (len > s->room) {
		s->data = xrealloc(s->data, len);
		s->room = len;
	}
	memcpy(s->data, data, len);
}

void fec_repair_turn(struct fec_repair *f, uint64_t now_ns)
{
	bool repaired = true;

	/* ends, because each repair uses up a sum */
	while (repaired) {
		repaired = false;
		for (size_t i = 0; f->n_waiting > 0 && i < WAITING_MAX; i++) {
			struct sum *s = &f->sums[i];
			struct fec_packet p;

			if (!s->used ||
			    (fec_parse(s->data, s->size, &p) == 0 &&
			     !try_sum(f, &p, s->received_ns, now_ns,
				      &repaired)))
				continue;
			s->used = false;
			f->n_waiting--;
		}
	}
}

void fec_repair_feed(struct fec_repair *f, const uint8_t *data, size_t len,
		     uint64_t now_ns)
{
	struct fec_packet p;
	bool repaired = false;

	if (len > DATAGRAM_MAX || fec_parse(data, len, &p) < 0) {
		f->counts.invalid++;
		return;
	}
	f->counts.received++;
	f->received_ns = now_ns;

	unsigned columns = p.row ? p.n : p.step;
	unsigned rows = p.row ? f->rows : p.n;

	if (!f->live || columns != f->columns || rows != f->rows) {
		f->live = true;
		f->columns = columns;
		f->rows = rows;
		set_reach(f);
	}
	if (!try_sum(f, &p, now_ns, now_ns, &repaired))
		keep(f, data, len, now_ns);
	if (repaired)
		fec_repair_turn(f, now_ns);
}

void fec_repair_every_second(struct fec_repair *f, uint64_t now_ns)
{
	if (f->received_ns == 0)
		f->received_ns = now_ns;
	if (!f->live || now_ns - f->received_ns < LIVE_MS * MS)
		return;
	f->live = false;
	set_reach(f);
}

void fec_repair_counts(const struct fec_repair *f,
		       struct fec_repair_counts *ret)
{
	*ret = f->counts;
}
