/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/datagrams.h"

#include "common/util.h"

enum {
	VERSION_2 = 0x80,
	PAYLOAD_MP2T = 33,
};

static void write_header(uint8_t *h, struct rtp_sender *rtp)
{
	uint16_t seq = rtp->seq++;

	h[0] = VERSION_2;
	h[1] = PAYLOAD_MP2T;
	h[2] = (uint8_t)(seq >> 8);
	h[3] = (uint8_t)seq;
	for (unsigned i = 0; i < 4; i++) {
		h[4 + i] = (uint8_t)(rtp->timestamp >> (24 - 8 * i));
		h[8 + i] = (uint8_t)(rtp->ssrc >> (24 - 8 * i));
	}
}

static void add_iov(struct datagrams *d, const void *data, size_t len)
{
	d->iov[d->n_iov++] = (struct iovec){ .iov_base = (void *)data,
					     .iov_len = len };
}

/* Up to a datagram's worth of packets; their number. */
static size_t cut_packets(struct datagrams *d, struct run_cursor *c)
{
	size_t n = 0;

	while (n < PACER_GROUP && c->n_runs > 0) {
		size_t left = c->runs->n - c->done;
		size_t take = MIN(left, PACER_GROUP - n);

		if (take > 0)
			add_iov(d, c->runs->data + c->done * TS_PACKET,
				take * TS_PACKET);
		n += take;
		c->done += take;
		if (take == left) {
			c->runs++;
			c->n_runs--;
			c->done = 0;
		}
	}
	return n;
}

bool datagrams_cut(struct datagrams *d, struct run_cursor *c,
		   struct rtp_sender *rtp)
{
	d->n = d->n_packets = d->n_iov = 0;
	while (c->n_runs > 0 && d->n < DATAGRAMS_MAX &&
	       d->n_iov + DATAGRAM_IOV_MAX <= DATAGRAMS_IOV) {
		uint8_t *header = d->headers[d->n];

		d->first[d->n] = (uint8_t)d->n_iov;
		if (rtp != NULL)
			add_iov(d, header, RTP_HEADER_SIZE);

		size_t n = cut_packets(d, c);

		if (n == 0) {
			/* only empty runs were left */
			d->n_iov = d->first[d->n];
			break;
		}
		if (rtp != NULL)
			write_header(header, rtp);
		d->n_packets += n;
		d->n++;
	}
	d->first[d->n] = (uint8_t)d->n_iov;
	return d->n > 0;
}
