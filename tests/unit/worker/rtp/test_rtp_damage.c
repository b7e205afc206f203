/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Datagrams of two paths, with packets that have transport_error_indicator. */
#include "worker/rtp/rtp_damage.h"

#include "common/base/units.h"
#include "worker/rtp/rtp_window.h"
#include "worker/ts/packet.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
	PACKETS = 7,
	LEN = PACKETS * TS_PACKET,
	OUT_MAX = 512,
	SKEW_MS = 100,
	REORDER_MS = 20,
};

struct scene {
	struct rtp_window *window;
	uint64_t now_ns;
	size_t n;
	struct {
		unsigned number;  /* of the datagram */
		unsigned damaged; /* its packets, a bit each */
	} out[OUT_MAX];
};

static void on_out(const uint8_t *payload, size_t len, void *arg)
{
	struct scene *s = arg;

	cr_assert_eq(len, LEN);
	cr_assert_lt(s->n, OUT_MAX);
	s->out[s->n].number = payload[4];
	for (unsigned i = 0; i < PACKETS; i++) {
		const uint8_t *p = payload + i * TS_PACKET;

		cr_assert_eq(p[4], payload[4]);
		s->out[s->n].damaged |= (unsigned)ts_tei(p) << i;
		/* a damaged packet has damaged bytes */
		cr_assert_eq(p[5], ts_tei(p) ? 0xdd : i);
	}
	s->n++;
}

static void on_settle(void *arg)
{
	(void)arg;
}

static void init(struct scene *s, unsigned paths, unsigned delay_ms)
{
	*s = (struct scene){ .now_ns = 5000 * MS };
	s->window = rtp_window_new(&(struct rtp_window_config){
		.places = 256, .paths = paths, .reorder_ms = REORDER_MS,
		.skew_ms = SKEW_MS, .delay_ms = delay_ms, .out = on_out,
		.settle = on_settle, .arg = s,
	});
}

/* damaged: bits of its packets. */
static void feed(struct scene *s, unsigned number, unsigned path,
		 unsigned damaged)
{
	uint8_t data[RTP_HEADER + LEN] = { 0x80, RTP_PAYLOAD_MP2T };
	struct rtp_datagram d;

	rtp_put16(data + 2, (uint16_t)(number + 100));
	rtp_put32(data + 4, number * 900);
	for (unsigned i = 0; i < PACKETS; i++) {
		uint8_t *p = data + RTP_HEADER + i * TS_PACKET;
		bool bad = damaged >> i & 1;

		p[0] = TS_SYNC_BYTE;
		p[1] = bad ? 0x81 : 0x01;
		p[3] = 0x10;
		p[4] = (uint8_t)number;
		p[5] = bad ? 0xdd : (uint8_t)i;
	}
	cr_assert_eq(rtp_parse(data, sizeof data, &d), 0);
	rtp_window_feed(s->window, &d, path, s->now_ns);
}

static void pass(struct scene *s, unsigned ms)
{
	for (; ms > 0; ms--) {
		s->now_ns += MS;
		rtp_window_turn(s->window, s->now_ns);
	}
}

static struct rtp_window_counts counts(const struct scene *s)
{
	struct rtp_window_counts ret;

	rtp_window_counts(s->window, &ret);
	return ret;
}

/* All datagrams below n came out once, in order. */
static void assert_order(const struct scene *s, size_t n)
{
	cr_assert_eq(s->n, n, "%zu of %zu", s->n, n);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(s->out[i].number, i);
}

static unsigned damaged(const struct scene *s)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += (unsigned)__builtin_popcount(s->out[i].damaged);
	return n;
}

/* 100 datagrams, 1 ms apart; the second path is late by so much.  Each third of
 * the first path is damaged, and each fourth of the second. */
static void play_both(struct scene *s, unsigned late_ms)
{
	for (unsigned i = 0; i < 100 + late_ms; i++) {
		if (i < 100)
			feed(s, i, 0, i % 3 == 0 ? 0x12 : 0);
		if (i >= late_ms)
			feed(s, i - late_ms, 1,
			     (i - late_ms) % 4 == 0 ? 0x22 : 0);
		pass(s, 1);
	}
	pass(s, 3 * SKEW_MS);
}

Test(rtp_damage, the_clean_copy_of_the_other_path_is_sent)
{
	static const unsigned lates_ms[] = { 0, 1, 15, 60 };

	for (size_t i = 0; i < 8; i++) {
		struct scene s;
		struct rtp_window_counts c;

		init(&s, 2, i < 4 ? 0 : 80);
		play_both(&s, lates_ms[i % 4]);
		c = counts(&s);
		assert_order(&s, 100);
		for (unsigned k = 0; k < 100; k++) {
			/* packet 1 of each twelfth is damaged in both */
			unsigned bad = k % 12 == 0 ? 0x02 : 0;

			cr_assert_eq(s.out[k].damaged, bad,
				     "late %u ms, datagram %u: %x",
				     lates_ms[i % 4], k, s.out[k].damaged);
		}
		cr_assert_eq(c.lost, 0);
		cr_assert_eq(c.duplicates, 0);
		cr_assert_gt(c.merged, 8);
		cr_assert_gt(c.path[0].lost, 8);
		rtp_window_free(&s.window);
	}
}

Test(rtp_damage, without_a_copy_in_time_the_damaged_datagram_is_sent)
{
	struct scene s;

	init(&s, 2, 0);
	for (unsigned i = 0; i < 10; i++) {
		feed(&s, i, 0, 0);
		feed(&s, i, 1, 0);
		pass(&s, 1);
	}
	feed(&s, 10, 0, 1);
	feed(&s, 11, 0, 0);
	pass(&s, SKEW_MS - 2);
	assert_order(&s, 10);
	pass(&s, 4);
	assert_order(&s, 12);
	cr_assert_eq(s.out[10].damaged, 1);
	cr_assert_eq(counts(&s).lost, 0);
	/* the copy is too late, and is no other datagram */
	feed(&s, 10, 1, 0);
	assert_order(&s, 12);
	rtp_window_free(&s.window);
}

Test(rtp_damage, nothing_waits_for_a_path_that_is_silent)
{
	struct scene s;

	init(&s, 2, 0);
	for (unsigned i = 0; i < 200; i++) {
		feed(&s, i, 0, i < SKEW_MS ? 0 : i & 0x7f);
		assert_order(&s, i + 1);
		pass(&s, 1);
	}
	/* it was there */
	feed(&s, 200, 1, 0);
	pass(&s, 2 * RTP_LIVE_MS);
	feed(&s, 201, 0, 1);
	assert_order(&s, 202);
	rtp_window_free(&s.window);
}

/* The first datagram of the first path is damaged.  The second path starts
 * later, does not have this datagram, or does not start. */
Test(rtp_damage, the_first_datagram_waits_for_a_path_that_may_start)
{
	for (unsigned first = 0; first < 3; first++) {
		const unsigned late_ms = 60;
		struct scene s;

		init(&s, 2, 0);
		for (unsigned i = 0; i <= late_ms; i++) {
			feed(&s, i, 0, i == 0);
			pass(&s, 1);
		}
		assert_order(&s, 0);
		if (first < 2)
			feed(&s, first, 1, 0);
		pass(&s, first < 2 ? 1 : SKEW_MS - late_ms);
		assert_order(&s, late_ms + 1);
		cr_assert_eq(s.out[0].damaged, first > 0);
		cr_assert_eq(counts(&s).lost, 0);
		rtp_window_free(&s.window);
	}
}

Test(rtp_damage, the_same_damage_in_both_is_sent_when_both_are_there)
{
	struct scene s;

	init(&s, 2, 0);
	for (unsigned i = 0; i < 50; i++) {
		feed(&s, i, 0, 1);
		feed(&s, i, 1, 1);
		assert_order(&s, i + 1);
		pass(&s, 1);
	}
	cr_assert_eq(damaged(&s), 50);
	cr_assert_eq(counts(&s).path[0].lost + counts(&s).path[1].lost, 0);
	rtp_window_free(&s.window);
}

Test(rtp_damage, a_single_path_waits_for_none)
{
	struct scene s;

	init(&s, 1, 0);
	for (unsigned i = 0; i < 50; i++)
		feed(&s, i, 0, 0x7f);
	assert_order(&s, 50);
	cr_assert_eq(damaged(&s), 350);
	rtp_window_free(&s.window);
}

Test(rtp_damage, other_payloads_have_none)
{
	uint8_t odd[TS_PACKET + 4] = { TS_SYNC_BYTE, 0x81 };
	uint8_t other[TS_PACKET] = { 0x48, 0x81 };

	cr_assert(!rtp_damage_is_in(odd, sizeof odd));
	cr_assert(rtp_damage_is_in(odd, TS_PACKET));
	cr_assert(!rtp_damage_is_in(other, sizeof other));
	cr_assert(!rtp_damage_is_in(odd, 0));
	cr_assert_eq(rtp_damage_replace(odd, other, TS_PACKET), 0);
	cr_assert_eq(rtp_damage_replace(odd, other, sizeof odd), 0);
}
