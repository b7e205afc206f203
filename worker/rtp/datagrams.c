/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/datagrams.h"

#include "common/base/util.h"
#include "worker/rtp/rtp_packet.h"

#include <string.h>

enum {
	VERSION_2 = 0x80,
	MARKER = 0x80,
};

static void add_iov(struct datagrams *d, const void *data, size_t len)
{
	d->iov[d->n_iov++] = (struct iovec){ .iov_base = (void *)data,
					     .iov_len = len };
}

/* True if the cursor has no packets left.  Skips empty runs. */
static bool is_at_end(struct run_cursor *c)
{
	while (c->n_runs > 0 && c->done == c->runs->n) {
		c->runs++;
		c->n_runs--;
		c->done = 0;
	}
	return c->n_runs == 0;
}

static void add_packets(struct datagrams *d, const uint8_t *data, size_t n,
			bool trailers)
{
	static const uint8_t trailer[DATAGRAM_TRAILER];

	if (!trailers) {
		add_iov(d, data, n * TS_PACKET);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		add_iov(d, data + i * TS_PACKET, TS_PACKET);
		add_iov(d, trailer, sizeof trailer);
	}
}

/* Adds the packets of one datagram, and returns their number. */
static size_t cut_packets(struct datagrams *d, struct run_cursor *c,
			  struct rtp_sender *rtp)
{
	size_t n = 0;

	while (n < DATAGRAM_PACKETS && !is_at_end(c)) {
		size_t take = MIN(c->runs->n - c->done, DATAGRAM_PACKETS - n);

		const uint8_t *data = c->runs->data + c->done * TS_PACKET;

		add_packets(d, data, take, c->trailers);
		for (size_t i = 0; i < take && rtp != NULL; i++)
			rtp_clock_feed(&rtp->clock, data + i * TS_PACKET);
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
			uint8_t *h = d->headers[d->n];
			bool marker;
			/* the stamp is taken before the packets of the
			 * datagram advance the clock */
			uint32_t stamp = rtp_clock_stamp(
				&rtp->clock, rtp->now_ns, &marker);

			h[0] = VERSION_2;
			h[1] = RTP_PAYLOAD_MP2T | (marker ? MARKER : 0);
			rtp_put16(h + 2, rtp->seq++);
			rtp_put32(h + 4, stamp);
			rtp_put32(h + 8, rtp->ssrc);
			add_iov(d, h, RTP_HEADER_SIZE);
		}
		d->n_packets += cut_packets(d, c, rtp);
		d->n++;
	}
	d->first[d->n] = (uint8_t)d->n_iov;
	return d->n > 0;
}

const uint8_t *datagram_gather(const struct datagrams *d, size_t i,
			       uint8_t buf[DATAGRAM_SIZE_MAX],
			       size_t *ret_len)
{
	const struct iovec *v = &d->iov[d->first[i]];
	const struct iovec *end = &d->iov[d->first[i + 1]];

	*ret_len = v->iov_len;
	if (v + 1 == end)
		return v->iov_base;
	for (*ret_len = 0; v < end; v++) {
		memcpy(buf + *ret_len, v->iov_base, v->iov_len);
		*ret_len += v->iov_len;
	}
	return buf;
}
