/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/rtp/rtp_rig.h"

#include "common/base/units.h"

#include <criterion/criterion.h>
#include <string.h>

static void write32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* Bytes that count up, the first one being `first`; len <= RTP_RIG_PAYLOAD. */
static const uint8_t *ramp(uint8_t first, size_t len)
{
	static uint8_t bytes[256 + RTP_RIG_PAYLOAD];

	if (bytes[1] == 0)
		for (size_t i = 0; i < sizeof bytes; i++)
			bytes[i] = (uint8_t)i;
	cr_assert_leq(len, (size_t)RTP_RIG_PAYLOAD);
	return bytes + first;
}

static void on_out(const uint8_t *payload, size_t len, void *arg)
{
	struct rtp_rig *r = arg;

	cr_assert_eq(len, RTP_RIG_PAYLOAD);
	cr_assert_lt(r->n, (size_t)RTP_RIG_OUT);
	r->out[r->n++] = rtp_get32(payload);
	/* the payload is unchanged */
	cr_assert_arr_eq(payload + 4, ramp((uint8_t)(payload[3] + 4), len - 4),
			 len - 4);
}

static void on_settle(void *arg)
{
	struct rtp_rig *r = arg;

	r->settled++;
}

void rtp_rig_init(struct rtp_rig *r, struct rtp_window_config cfg)
{
	*r = (struct rtp_rig){ .now_ns = 5000 * MS, .ssrc = 1,
			       .first_seq = 65500 };
	cfg.out = on_out;
	cfg.settle = on_settle;
	cfg.arg = r;
	r->window = rtp_window_new(&cfg);
}

void rtp_rig_done(struct rtp_rig *r)
{
	rtp_window_free(&r->window);
	cr_assert_null(r->window);
}

size_t rtp_rig_write(const struct rtp_rig *r, uint32_t number, uint8_t *ret)
{
	uint16_t seq = (uint16_t)(r->first_seq + number);

	ret[0] = 0x80;
	ret[1] = RTP_PAYLOAD_MP2T;
	ret[2] = (uint8_t)(seq >> 8);
	ret[3] = (uint8_t)seq;
	write32(ret + 4, r->first_time + number * 90);
	write32(ret + 8, r->ssrc);
	write32(ret + RTP_HEADER, number);
	memcpy(ret + RTP_HEADER + 4,
	       ramp((uint8_t)(number + 4), RTP_RIG_PAYLOAD - 4),
	       RTP_RIG_PAYLOAD - 4);
	return RTP_HEADER + RTP_RIG_PAYLOAD;
}

void rtp_rig_feed_path(struct rtp_rig *r, uint32_t number, unsigned path)
{
	size_t size = rtp_rig_write(r, number, r->datagram);
	struct rtp_datagram d;

	cr_assert_eq(rtp_parse(r->datagram, size, &d), 0);
	if (r->headerless) {
		d.data = d.payload;
		d.size = d.len;
	}
	rtp_window_feed(r->window, &d, path, r->now_ns);
}

void rtp_rig_feed_all(struct rtp_rig *r, uint32_t from, uint32_t end)
{
	for (uint32_t number = from; number < end; number++)
		rtp_rig_feed(r, number);
}

void rtp_rig_pass(struct rtp_rig *r, unsigned ms)
{
	r->now_ns += ms * MS;
	rtp_window_turn(r->window, r->now_ns);
}

struct rtp_window_counts rtp_rig_counts(const struct rtp_rig *r)
{
	struct rtp_window_counts counts;

	rtp_window_counts(r->window, &counts);
	return counts;
}

void rtp_rig_expect(struct rtp_rig *r, uint32_t from, size_t n)
{
	cr_assert_eq(r->n, n, "%zu came instead of %zu", r->n, n);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(r->out[i], from + i, "%u at %zu", r->out[i], i);
	r->n = 0;
}
