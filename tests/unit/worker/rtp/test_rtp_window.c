/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/rtp/rtp_rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const struct rtp_window_config alone = {
	.places = 1024,
	.paths = 1,
	.reorder_ms = 20,
};

Test(rtp_window, sends_datagrams_in_order_at_once)
{
	struct rtp_rig r;

	rtp_rig_init(&r, alone);
	for (uint32_t i = 0; i < 5000; i++) {
		rtp_rig_feed(&r, i);
		rtp_rig_expect(&r, i, 1);
		cr_assert_not(rtp_window_waits(r.window));
	}
	cr_assert_eq(rtp_rig_counts(&r).lost, 0);
	cr_assert_eq(rtp_rig_counts(&r).path[0].received, 5000);
	cr_assert_eq(r.settled, 0, "nothing was kept");
	rtp_rig_done(&r);
}

Test(rtp_window, waits_for_an_overtaken_datagram_no_longer_than_needed)
{
	struct rtp_rig r;

	rtp_rig_init(&r, alone);
	rtp_rig_feed(&r, 0);
	rtp_rig_feed(&r, 2);
	rtp_rig_feed(&r, 3);
	rtp_rig_expect(&r, 0, 1);
	cr_assert(rtp_window_waits(r.window));
	rtp_rig_feed(&r, 1);
	rtp_rig_expect(&r, 1, 3);
	cr_assert_not(rtp_window_waits(r.window));
	cr_assert_eq(rtp_rig_counts(&r).reordered, 1);
	cr_assert_eq(rtp_rig_counts(&r).lost, 0);
	rtp_rig_done(&r);
}

Test(rtp_window, counts_a_loss_once_and_the_late_datagram)
{
	struct rtp_rig r;

	rtp_rig_init(&r, alone);
	rtp_rig_feed(&r, 0);
	rtp_rig_feed(&r, 3);
	rtp_rig_pass(&r, 19);
	rtp_rig_expect(&r, 0, 1);
	rtp_rig_pass(&r, 1);
	rtp_rig_expect(&r, 3, 1);
	cr_assert_eq(rtp_rig_counts(&r).lost, 2);
	rtp_rig_feed(&r, 1);
	rtp_rig_expect(&r, 0, 0);
	cr_assert_eq(rtp_rig_counts(&r).lost, 2);
	cr_assert_eq(rtp_rig_counts(&r).late, 1);
	rtp_rig_feed(&r, 1);
	cr_assert_eq(rtp_rig_counts(&r).duplicates, 1);
	rtp_rig_feed(&r, 4);
	rtp_rig_expect(&r, 4, 1);
	rtp_rig_done(&r);
}

Test(rtp_window, closes_a_gap_at_once_without_reordering)
{
	struct rtp_window_config cfg = alone;
	struct rtp_rig r;

	cfg.reorder_ms = 0;
	rtp_rig_init(&r, cfg);
	rtp_rig_feed(&r, 0);
	rtp_rig_feed(&r, 2);
	cr_assert_eq(r.n, 2);
	cr_assert_eq(rtp_rig_counts(&r).lost, 1);
	rtp_rig_done(&r);
}

Test(rtp_window, drops_duplicates)
{
	struct rtp_rig r;

	rtp_rig_init(&r, alone);
	for (uint32_t i = 0; i < 100; i++) {
		rtp_rig_feed(&r, i);
		rtp_rig_feed(&r, i);
		if (i > 50)
			rtp_rig_feed(&r, i - 50);
	}
	rtp_rig_expect(&r, 0, 100);
	/* waiting ones as well */
	rtp_rig_feed(&r, 101);
	rtp_rig_feed(&r, 101);
	rtp_rig_feed(&r, 100);
	rtp_rig_expect(&r, 100, 2);
	cr_assert_eq(rtp_rig_counts(&r).duplicates, 150);
	cr_assert_eq(rtp_rig_counts(&r).lost, 0);
	rtp_rig_done(&r);
}

Test(rtp_window, accepts_datagrams_without_headers)
{
	struct rtp_rig r;

	rtp_rig_init(&r, alone);
	r.headerless = true;
	rtp_rig_feed_all(&r, 0, 50);
	/* the first of another count is kept */
	r.ssrc = 2;
	r.first_seq = 7;
	rtp_rig_feed_all(&r, 50, 60);
	rtp_rig_feed(&r, 61);
	rtp_rig_feed(&r, 60);
	rtp_rig_expect(&r, 0, 62);
	cr_assert_eq(rtp_rig_counts(&r).lost, 0);
	cr_assert_eq(rtp_rig_counts(&r).path[0].stray, 0);
	rtp_rig_done(&r);
}

/* After a restart of the sender no datagram is lost, nor counted as lost. */
Test(rtp_window, follows_a_sender_that_restarts)
{
	static const struct {
		uint32_t ssrc;
		uint16_t seq;
		uint32_t time;
	} starts[] = {
		{ 2, 7, 99 },          /* as the standard wants it */
		{ 1, 30000, 0 },       /* another number alone */
		{ 1, 65500, 77000000 } /* the same numbers, another time */,
		{ 1, 65490, 0x80000000 },
	};

	for (size_t i = 0; i < 4; i++) {
		struct rtp_rig r;

		rtp_rig_init(&r, alone);
		rtp_rig_feed_all(&r, 0, 50);
		r.ssrc = starts[i].ssrc;
		r.first_seq = (uint16_t)(starts[i].seq - 50);
		r.first_time = starts[i].time;
		rtp_rig_feed_all(&r, 50, 100);
		rtp_rig_expect(&r, 0, 100);
		cr_assert_eq(rtp_rig_counts(&r).lost, 0, "%zu", i);
		cr_assert_eq(rtp_rig_counts(&r).path[0].stray, 0, "%zu", i);
		rtp_rig_done(&r);
	}
}

/* A datagram that a restart overtook is late: the sequence is not switched
 * again, and no datagram is sent twice. */
Test(rtp_window, does_not_restart_for_an_overtaken_datagram)
{
	struct rtp_rig r;

	rtp_rig_init(&r, alone);
	rtp_rig_feed_all(&r, 0, 50);
	r.ssrc = 2;
	r.first_seq = 9000;
	r.first_time = 1U << 31;
	rtp_rig_feed_all(&r, 55, 65);
	rtp_rig_feed_all(&r, 50, 55);
	rtp_rig_feed_all(&r, 65, 100);
	cr_assert_eq(r.n, 95);
	for (uint32_t i = 0; i < 95; i++)
		cr_assert_eq(r.out[i], i < 50 ? i : i + 5);
	rtp_rig_done(&r);
}

/* RFC 3550 A.1: a jump is followed when two datagrams in order continue it. */
Test(rtp_window, follows_a_jump_from_its_second_datagram_on)
{
	static const int jumps[] = { 3001, 30000, -30000, 32767, -32768,
				     -600 };

	for (size_t i = 0; i < ARRAY_LEN(jumps); i++) {
		struct rtp_rig r;

		rtp_rig_init(&r, alone);
		rtp_rig_feed_all(&r, 0, 300);
		/* one alone is none */
		r.first_seq = (uint16_t)(r.first_seq + jumps[i]);
		rtp_rig_feed(&r, 300);
		r.first_seq = (uint16_t)(r.first_seq - jumps[i]);
		rtp_rig_feed(&r, 300);
		rtp_rig_expect(&r, 0, 301);
		cr_assert_eq(rtp_rig_counts(&r).path[0].stray, 1, "%d",
			     jumps[i]);

		r.first_seq = (uint16_t)(r.first_seq + jumps[i]);
		rtp_rig_feed(&r, 301);
		rtp_rig_expect(&r, 0, 0);
		rtp_rig_feed_all(&r, 302, 400);
		rtp_rig_expect(&r, 301, 99);
		cr_assert_eq(rtp_rig_counts(&r).lost, 0, "%d", jumps[i]);
		rtp_rig_done(&r);
	}
}

/* Two that send to one port under the same SSRC, one datagram each in turn. */
Test(rtp_window, stays_with_one_of_two_senders_with_one_ssrc)
{
	struct rtp_rig r;

	rtp_rig_init(&r, alone);
	for (uint32_t i = 0; i < 1000; i++) {
		r.first_seq = 65500;
		rtp_rig_feed(&r, i);
		r.first_seq = 20000;
		rtp_rig_feed(&r, i);
	}
	rtp_rig_expect(&r, 0, 1000);
	cr_assert_eq(rtp_rig_counts(&r).lost, 0);
	cr_assert_eq(rtp_rig_counts(&r).path[0].stray, 999);
	rtp_rig_done(&r);
}

/* As many senders as there are datagrams. */
Test(rtp_window, survives_a_flood_of_senders)
{
	struct rtp_rig r;

	rtp_rig_init(&r, alone);
	for (uint32_t i = 0; i < 1000; i++) {
		r.ssrc = 1;
		rtp_rig_feed(&r, i);
		for (uint32_t k = 0; k < 50; k++) {
			r.ssrc = 2 + 50 * i + k;
			rtp_rig_feed(&r, 12345 + k);
		}
		rtp_rig_pass(&r, 1);
	}
	rtp_rig_expect(&r, 0, 1000);
	cr_assert_eq(rtp_rig_counts(&r).lost, 0);
	cr_assert_eq(rtp_rig_counts(&r).path[0].stray, 49999);
	rtp_rig_done(&r);
}

Test(rtp_window, ignores_single_datagrams_of_other_senders)
{
	struct rtp_rig r;

	rtp_rig_init(&r, alone);
	for (uint32_t i = 0; i < 100; i++) {
		rtp_rig_feed(&r, i);
		r.ssrc = 2;
		rtp_rig_feed(&r, 1000 + 7 * i);
		r.ssrc = 1;
	}
	rtp_rig_expect(&r, 0, 100);
	cr_assert_eq(rtp_rig_counts(&r).lost, 0);
	/* the last may still turn out to be another count */
	cr_assert_eq(rtp_rig_counts(&r).path[0].stray, 99);
	rtp_rig_done(&r);
}

/* Two senders in runs: the window stays with the last one. */
Test(rtp_window, does_not_alternate_between_two_senders)
{
	struct rtp_rig r;

	rtp_rig_init(&r, alone);
	rtp_rig_feed(&r, 0);
	for (uint32_t i = 0; i < 20; i++) {
		r.ssrc = 1;
		rtp_rig_feed(&r, 4 * i + 1);
		rtp_rig_feed(&r, 4 * i + 2);
		r.ssrc = 2;
		for (uint32_t k = 0; k < 4; k++)
			rtp_rig_feed(&r, 1000 + 4 * i + k);
		rtp_rig_pass(&r, 10);
	}
	cr_assert_eq(r.n, 3 + 80);
	cr_assert_eq(rtp_rig_counts(&r).path[0].stray, 38);
	/* when it falls silent, the other is taken */
	r.ssrc = 1;
	r.n = 0;
	rtp_rig_pass(&r, 1000);
	for (uint32_t i = 0; i < 10; i++)
		rtp_rig_feed(&r, 2000 + i);
	rtp_rig_expect(&r, 2000, 10);
	rtp_rig_done(&r);
}

Test(rtp_window, does_not_follow_late_datagrams)
{
	struct rtp_rig r;

	rtp_rig_init(&r, alone);
	rtp_rig_feed_all(&r, 0, 300);
	r.n = 0;
	/* 200 back, and in a row */
	rtp_rig_feed_all(&r, 90, 100);
	rtp_rig_feed_all(&r, 300, 310);
	rtp_rig_expect(&r, 300, 10);
	cr_assert_eq(rtp_rig_counts(&r).duplicates, 10);
	rtp_rig_done(&r);
}

Test(rtp_window, bounds_the_waiting_datagrams_by_its_places)
{
	struct rtp_rig r;

	rtp_rig_init(&r, alone);
	rtp_rig_feed(&r, 0);
	r.n = 0;
	rtp_rig_feed_all(&r, 2, 600);
	/* 512 wait at most, the gap among them */
	rtp_rig_expect(&r, 2, 598);
	cr_assert_eq(rtp_rig_counts(&r).lost, 1);
	/* a gap longer than all places */
	rtp_rig_feed(&r, 600 + 2000);
	rtp_rig_pass(&r, 20);
	rtp_rig_expect(&r, 2600, 1);
	cr_assert_eq(rtp_rig_counts(&r).lost, 2001);
	rtp_rig_done(&r);
}

/* A datagram that is too long to be kept is sent, and the gap before it is
 * lost. */
Test(rtp_window, sends_datagrams_that_are_too_long_to_wait)
{
	static uint8_t data[RTP_LONGEST + 1];
	struct rtp_datagram d;
	struct rtp_rig r;

	rtp_rig_init(&r, alone);
	for (uint32_t i = 0; i < 1000; i++) {
		size_t size = rtp_rig_write(&r, i, data);

		cr_assert_eq(rtp_parse(data, size, &d), 0);
		d.size = sizeof data;
		if (i != 500)
			rtp_window_feed(r.window, &d, 0, r.now_ns);
		rtp_rig_pass(&r, 1);
	}
	cr_assert_eq(r.n, 999);
	cr_assert_eq(rtp_rig_counts(&r).lost, 1);
	cr_assert_gt(rtp_rig_counts(&r).too_long, 0);
	rtp_rig_done(&r);
}

/* Compares the output with a model under random loss, order and duplicates. */
Test(rtp_window, sends_each_datagram_once_and_in_order)
{
	enum { N = 4000, SPREAD = 8 };

	srandom(20261120);
	for (unsigned round = 0; round < 30; round++) {
		struct rtp_rig r;
		uint32_t order[N];
		bool gone[N] = { false };
		size_t lost = 0, n = 0, twice = 0;

		rtp_rig_init(&r, alone);
		r.first_seq = (uint16_t)random();
		r.first_time = (uint32_t)random();
		for (uint32_t i = 0; i < N; i++) {
			order[i] = i;
			gone[i] = i > 0 && i < N - SPREAD &&
				  random() % 100 < (long)round;
			lost += gone[i];
		}
		/* no datagram moves by more than SPREAD, the first stays */
		for (uint32_t i = 1; i + SPREAD < N; i += SPREAD)
			for (uint32_t k = SPREAD - 1; k > 0; k--) {
				uint32_t j = (uint32_t)random() % (k + 1);
				uint32_t was = order[i + k];

				order[i + k] = order[i + j];
				order[i + j] = was;
			}
		for (uint32_t i = 0; i < N; i++) {
			if (gone[order[i]])
				continue;
			rtp_rig_feed(&r, order[i]);
			if (random() % 50 == 0) {
				rtp_rig_feed(&r, order[i]);
				twice++;
			}
			rtp_rig_pass(&r, 1);
		}
		rtp_rig_pass(&r, 100);
		for (uint32_t i = 0; i < N; i++)
			if (!gone[i])
				cr_assert_eq(r.out[n++], i, "round %u", round);
		cr_assert_eq(r.n, n);
		cr_assert_eq(rtp_rig_counts(&r).lost, lost);
		cr_assert_eq(rtp_rig_counts(&r).duplicates, twice);
		cr_assert_eq(rtp_rig_counts(&r).late, 0);
		rtp_rig_done(&r);
	}
}

enum { JUMBO_PAYLOAD = 47 * 188, LONG_PAYLOAD = 49 * 188 };

struct long_rig {
	size_t n;
	uint32_t last;
};

static void on_long(const uint8_t *payload, size_t len, void *arg)
{
	struct long_rig *r = arg;
	uint32_t number = rtp_get32(payload);

	cr_assert_eq(len, LONG_PAYLOAD);
	cr_assert(r->n++ == 0 || number > r->last, "%u", number);
	r->last = number;
}

static void on_long_settle(void *arg)
{
	(void)arg;
}

static void feed_long(struct rtp_window *w, uint32_t i, unsigned path)
{
	static uint8_t data[RTP_HEADER + LONG_PAYLOAD];
	struct rtp_datagram d;

	data[0] = 0x80;
	data[1] = RTP_PAYLOAD_MP2T;
	for (unsigned k = 0; k < 2; k++)
		data[2 + k] = (uint8_t)(i >> (8 - 8 * k));
	for (unsigned k = 0; k < 4; k++) {
		data[4 + k] = (uint8_t)(180 * i >> (24 - 8 * k));
		data[RTP_HEADER + k] = (uint8_t)(i >> (24 - 8 * k));
	}
	cr_assert_eq(rtp_parse(data, sizeof data, &d), 0);
	rtp_window_feed(w, &d, path, i * UINT64_C(2000000));
	rtp_window_turn(w, i * UINT64_C(2000000));
}

/* 2,000 datagrams, every 500th is lost. */
static void play_long(unsigned delay_ms, unsigned paths)
{
	struct long_rig r = { 0 };
	struct rtp_window_config cfg = {
		.places = 1024, .paths = paths, .reorder_ms = 20,
		.skew_ms = 20, .delay_ms = delay_ms, .out = on_long,
		.settle = on_long_settle, .arg = &r,
	};
	struct rtp_window *w = rtp_window_new(&cfg);
	struct rtp_window_counts c;

	for (uint32_t i = 1; i <= 2000; i++)
		for (unsigned path = 0; i % 500 != 250 && path < paths; path++)
			feed_long(w, i, path);
	rtp_window_counts(w, &c);
	cr_assert_eq(c.lost, 4, "%zu", (size_t)c.lost);
	cr_assert_eq(r.n, 1996, "%zu went out", r.n);
	rtp_window_free(&w);
}

/* Longer than two thousand bytes, as a network of jumbo frames has them: each
 * tenth was overtaken by the next, some wait for the other path. */
static void play_jumbo(unsigned delay_ms, unsigned paths)
{
	static uint8_t data[RTP_HEADER + JUMBO_PAYLOAD];
	struct rtp_datagram d;
	struct rtp_rig r;

	rtp_rig_init(&r, (struct rtp_window_config){
				 .places = 1024, .paths = paths,
				 .reorder_ms = 20, .skew_ms = 20,
				 .delay_ms = delay_ms });
	for (uint32_t i = 0; i < 3000; i++) {
		uint32_t number = i % 10 == 4 ? i + 1 : i % 10 == 5 ? i - 1 : i;

		cr_assert_eq(rtp_parse(data, rtp_rig_write(&r, number, data),
				       &d), 0);
		d.size = sizeof data; /* of padding, say */
		for (unsigned path = 0; path < paths; path++)
			if (paths == 1 || i % 7 != path)
				rtp_window_feed(r.window, &d, path, r.now_ns);
		rtp_rig_pass(&r, 1);
	}
	rtp_rig_pass(&r, 100);
	rtp_rig_expect(&r, 0, 3000);
	cr_assert_eq(rtp_rig_counts(&r).lost, 0);
	cr_assert_eq(rtp_rig_counts(&r).too_long, 0);
	rtp_rig_done(&r);
}

Test(rtp_window, reorders_jumbo_frames)
{
	play_jumbo(0, 1);
	play_jumbo(50, 1);
	play_jumbo(0, 2);
	play_jumbo(50, 2);
}

/* Such datagrams cannot be kept, and are sent behind a gap. */
Test(rtp_window, closes_a_gap_before_a_long_datagram)
{
	play_long(0, 1);
	play_long(50, 1);
	play_long(0, 2);
	play_long(50, 2);
}

/* More of them behind a gap than there is room for: it is given up. */
Test(rtp_window, bounds_the_memory_of_jumbo_frames)
{
	enum { N = RTP_LONG_MAX + 500 };
	static uint8_t data[RTP_HEADER + JUMBO_PAYLOAD];
	struct rtp_datagram d;
	struct rtp_rig r;

	rtp_rig_init(&r, (struct rtp_window_config){
				 .places = 16384, .paths = 1,
				 .reorder_ms = 1000 });
	for (uint32_t i = 0; i < N; i++) {
		cr_assert_eq(rtp_parse(data, rtp_rig_write(&r, i, data), &d),
			     0);
		d.size = sizeof data;
		if (i != 100)
			rtp_window_feed(r.window, &d, 0, r.now_ns);
		if (i == 100)
			rtp_rig_expect(&r, 0, 100);
		if (i == 100 + RTP_LONG_MAX)
			rtp_rig_expect(&r, 0, 0);
	}
	rtp_rig_expect(&r, 101, N - 101);
	cr_assert_eq(rtp_rig_counts(&r).lost, 1);
	cr_assert_eq(rtp_rig_counts(&r).too_long, 0);
	rtp_rig_done(&r);
}

/* Short ones that wait go out before it. */
Test(rtp_window, sends_waiting_datagrams_before_a_long_one)
{
	static uint8_t data[RTP_HEADER + LONG_PAYLOAD];
	struct rtp_datagram d;
	struct rtp_rig r;

	rtp_rig_init(&r, alone);
	rtp_rig_feed(&r, 0);
	rtp_rig_feed(&r, 2);
	rtp_rig_feed(&r, 5);
	rtp_rig_expect(&r, 0, 1);
	(void)rtp_rig_write(&r, 4, data);
	cr_assert_eq(rtp_parse(data, RTP_HEADER + RTP_RIG_PAYLOAD, &d), 0);
	d.size = sizeof data; /* of padding, say */
	rtp_window_feed(r.window, &d, 0, r.now_ns);
	cr_assert_eq(r.n, 3);
	cr_assert_eq(r.out[0], 2);
	cr_assert_eq(r.out[1], 4);
	cr_assert_eq(r.out[2], 5);
	cr_assert_eq(rtp_rig_counts(&r).lost, 2);
	r.n = 0;
	rtp_rig_feed(&r, 6);
	rtp_rig_expect(&r, 6, 1);
	rtp_rig_done(&r);
}
