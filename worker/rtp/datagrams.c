/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/datagrams.h"

#include "common/base/util.h"
#include "worker/rtp/rtp_packet.h"

enum {
	VERSION_2 = 0x80,
	MARKER = 0x80,
};

static void write_header(uint8_t *h, struct rtp_sender *rtp)
{
	uint16_t seq = rtp->seq++;
	bool marker;
	uint32_t stamp = rtp_clock_stamp(&rtp->clock, rtp->now_ns, &marker);

	h[0] = VERSION_2;
	h[1] = RTP_PAYLOAD_MP2T | (marker ? MARKER : 0);
	rtp_put16(h + 2, seq);
	rtp_put32(h + 4, stamp);
	rtp_put32(h + 8, rtp->ssrc);
}

static void add_iov(struct datagrams *d, const void *data, size_t len)
{
	d->iov[d->n_iov++] = (struct iovec){ .iov_base = (void *)data,
					     .iov_len = len };
}

/* Adjacent packets; rtp may be NULL. */
static void add_packets(struct datagrams *d, const uint8_t *data, size_t n,
			struct rtp_sender *rtp)
{
	add_iov(d, data, n * TS_PACKET);
	for (size_t i = 0; i < n && rtp != NULL; i++)
		rtp_clock_feed(&rtp->clock, data + i * TS_PACKET);
}

/* Skips empty runs. */
static bool is_at_end(struct run_cursor *c)
{
	while (c->n_runs > 0 && c->done == c->runs->n) {
		c->runs++;
		c->n_runs--;
		c->done = 0;
	}
	return c->n_runs == 0;
}

/* Adds the packets of one datagram; their number. */
static size_t cut_packets(struct datagrams *d, struct run_cursor *c,
			  struct rtp_sender *rtp)
{
	size_t n = 0;

	while (n < DATAGRAM_PACKETS && !is_at_end(c)) {
		size_t take = MIN(c->runs->n - c->done, DATAGRAM_PACKETS - n);

		add_packets(d, c->runs->data + c->done * TS_PACKET, take, rtp);
		n += take;
		c->done += take;
	}
	return n;
}

bool datagrams_cut(struct datagrams *d, struct run_cursor *c,
		   struct rtp_sender *rtp)
{
	d->n = d->n_packets = d->n_iov = 0;
	while (!is_at_end(c) && d->n < DATAGRAMS_MAX &&
	       d->n_iov + DATAGRAM_IOV_MAX <= DATAGRAMS_IOV) {
		d->first[d->n] = (uint8_t)d->n_iov;
		if (rtp != NULL) {
			/* stamped before its packets advance the clock */
			write_header(d->headers[d->n], rtp);
			add_iov(d, d->headers[d->n], RTP_HEADER_SIZE);
		}
		d->n_packets += cut_packets(d, c, rtp);
		d->n++;
	}
	d->first[d->n] = (uint8_t)d->n_iov;
	return d->n > 0;
}
