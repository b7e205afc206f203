/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single lost datagrams of a steady source that is read every ten milliseconds,
 * in virtual time. */
#include "worker/failover/loss_window.h"

#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>

enum {
	READ_MS = 10,
	STEADY_MS = 15000,
	RUN_MS = 60000,
	PACKET_BITS = 188 * 8,
	PPM = 1000000,
};

/* Which datagrams are lost after STEADY_MS. */
struct losses {
	unsigned every_ms; /* one in this time, for ... */
	unsigned for_ms;
	unsigned share_ppm; /* or, if it is not 0, this share by chance */
};

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* The time from the first loss until the losses go on; 0: they never do. */
static unsigned goes_on_ms(unsigned kbps, struct losses l, uint32_t seed)
{
	uint64_t each_us = UINT64_C(1000) * DATAGRAM_PACKETS * PACKET_BITS /
			   kbps;
	uint64_t next_us = 1, lost_ms = STEADY_MS;
	struct loss_window w = { 0 };
	bool gap = false;

	seed = seed * 2654435761u + 1;
	for (uint64_t ms = READ_MS; ms < STEADY_MS + RUN_MS; ms += READ_MS) {
		struct silence_read r = { 0 };

		for (; next_us < ms * 1000; next_us += each_us) {
			bool lost = next_random(&seed) % PPM < l.share_ppm;

			lost &= ms >= STEADY_MS;
			if (l.every_ms > 0 && ms >= lost_ms &&
			    ms < STEADY_MS + l.for_ms) {
				lost = true;
				lost_ms += l.every_ms;
			}
			r.n += lost ? 0 : DATAGRAM_PACKETS;
			r.gap |= gap && !lost;
			gap = lost;
		}
		if (r.n > 0 && loss_window_feed(&w, &r, ms * MS))
			return (unsigned)(ms - STEADY_MS);
	}
	return 0;
}

Test(loss_window, counts_losses_and_their_share)
{
	static const struct {
		unsigned kbps;
		struct losses losses;
		unsigned least_ms, most_ms; /* 0: the losses are none */
	} cases[] = {
		/* 20 in ten seconds, */
		{ 1500, { .every_ms = 200, .for_ms = 60000 }, 3700, 4200 },
		{ 1500, { .every_ms = 300, .for_ms = 60000 }, 5600, 6100 },
		{ 1500, { .every_ms = 480, .for_ms = 60000 }, 9000, 9500 },
		{ 1500, { .every_ms = 550, .for_ms = 60000 }, 0, 0 },
		{ 1500, { .every_ms = 200, .for_ms = 3700 }, 0, 0 },
		/* and 0.6 % of the packets */
		{ 4000, { .every_ms = 200, .for_ms = 60000 }, 3900, 5100 },
		{ 4000, { .every_ms = 300, .for_ms = 60000 }, 5900, 7700 },
		{ 8000, { .every_ms = 200, .for_ms = 60000 }, 8000, 9900 },
		{ 8000, { .every_ms = 300, .for_ms = 60000 }, 0, 0 },
		{ 15000, { .every_ms = 200, .for_ms = 60000 }, 0, 0 },
		/* losses next to each other are one */
		{ 1500, { .every_ms = 20, .for_ms = 1000 }, 0, 0 },
		{ 1500, { .every_ms = 20, .for_ms = 60000 }, 2800, 3500 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		unsigned ms = goes_on_ms(cases[i].kbps, cases[i].losses, 1);

		cr_expect(ms >= cases[i].least_ms && ms <= cases[i].most_ms,
			  "case %zu: %u ms", i, ms);
	}
}

/* One datagram of five hundred, at any rate. */
Test(loss_window, single_losses_by_chance_are_none)
{
	static const unsigned kbps[] = { 1500, 2300, 4000, 8000, 15000, 38000,
					 80000 };
	const struct losses l = { .share_ppm = 2000 };

	for (size_t i = 0; i < ARRAY_LEN(kbps); i++)
		for (uint32_t seed = 0; seed < 10; seed++)
			cr_expect_eq(goes_on_ms(kbps[i], l, seed), 0U,
				     "%u kbit/s, seed %u", kbps[i], seed);
}

/* One of fifty is lost too often for all but the slowest. */
Test(loss_window, many_losses_by_chance_go_on)
{
	static const unsigned kbps[] = { 2300, 4000, 8000, 15000, 38000 };
	const struct losses l = { .share_ppm = 20000 };

	for (size_t i = 0; i < ARRAY_LEN(kbps); i++)
		for (uint32_t seed = 0; seed < 10; seed++)
			cr_expect_gt(goes_on_ms(kbps[i], l, seed), 0U,
				     "%u kbit/s, seed %u", kbps[i], seed);
}

Test(loss_window, a_long_time_without_packets_forgets_all)
{
	struct silence_read r = { .n = 7, .gap = true };
	struct loss_window w = { 0 };
	uint64_t now_ms = 1000;

	for (int i = 1; i < LOSS_LEAST; i++, now_ms += 200)
		cr_assert_not(loss_window_feed(&w, &r, now_ms * MS));
	now_ms += 1000 * 1000;
	for (int i = 1; i < LOSS_LEAST; i++, now_ms += 200)
		cr_assert_not(loss_window_feed(&w, &r, now_ms * MS));
	cr_assert(loss_window_feed(&w, &r, now_ms * MS));
}

/* Such packets differ by their counter alone. */
static void put_equal(struct build *b)
{
	uint8_t *p = build_payload(b, 0x101, 1);

	p[12] = p[13] = 1;
}

/* The time of the gap behind so many packets of a PID since a loss at 1 s. */
static uint64_t gap_ms(unsigned packets)
{
	struct loss_finder f = { 0 };
	struct build *b = build_new();
	uint64_t ns = 0;
	struct ts_run run;

	put_equal(b);
	(void)loss_finder_feed(&f, build_run(b), 0, SECOND_NS, &ns);
	loss_finder_note(&f);
	b->n = 0;
	for (unsigned i = 0; i < packets; i++)
		put_equal(b);
	b->cc[0x101]++;
	put_equal(b);
	run = build_run(b);
	cr_assert_eq(loss_finder_feed(&f, run, SECOND_NS, 2 * SECOND_NS, &ns),
		     1);
	build_free(b);
	return ns / MS;
}

/* Sixteen equal packets leave the counter of a PID as it was. */
Test(loss_window, a_gap_behind_any_packet_is_a_loss_of_its_own)
{
	cr_expect_eq(gap_ms(0), 1000);
	for (unsigned n = 1; n <= 32; n++)
		cr_expect_eq(gap_ms(n), 2000, "%u packets", n);
}
