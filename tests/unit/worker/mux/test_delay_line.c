/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets leave a constant time behind their source, whatever the network
 * does. */
#include "worker/mux/delay_line.h"

#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/ts/pcr.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum {
	DELAY_MS = 400,
	PCR_EVERY = 20, /* packets */
	PACKET_US = 1000,
	N = 20000,
};

/* The nth packet of a source; a PCR in each PCR_EVERY. */
static void make(uint8_t p[TS_PACKET], uint64_t n, uint64_t first_pcr,
		 bool pcrs)
{
	memset(p, 0xff, TS_PACKET);
	p[0] = TS_SYNC_BYTE;
	p[1] = 1;
	p[2] = 1;
	p[3] = 0x10;
	if (!pcrs || n % PCR_EVERY != 0)
		return;
	p[3] = 0x30;
	p[4] = 7;
	p[5] = 0x10;
	ts_set_pcr(p, (first_pcr + n * PACKET_US * 27) % PCR_WRAP);
}

struct run {
	struct delay_line line;
	unsigned burst;     /* packets arrive together in so many */
	uint64_t first_pcr;
	bool pcrs;
	int64_t early, late; /* departure less source time and delay, ns */
	uint64_t left;
};

/* Packets that are due by now leave. */
static void leave(struct run *r, uint64_t now_ns, uint64_t base_ns)
{
	while (delay_line_next(&r->line, 0) <= now_ns) {
		uint64_t at = delay_line_next(&r->line, 0);
		int64_t off = (int64_t)(at - base_ns -
					r->left * PACKET_US * 1000 -
					DELAY_MS * MS);

		if (r->left > 1000) {
			r->early = MIN(r->early, off);
			r->late = MAX(r->late, off);
		}
		delay_line_leave(&r->line, at);
		r->left++;
	}
}

static void play(struct run *r)
{
	const uint64_t base = 1000 * SECOND_NS;
	uint8_t p[TS_PACKET];

	r->line.delay_ns = DELAY_MS * MS;
	r->line.max = 4096;
	r->early = INT64_MAX;
	r->late = INT64_MIN;
	for (uint64_t n = 0; n < N; n++) {
		/* the last of a burst arrives without delay */
		uint64_t now = base + (n / r->burst + 1) * r->burst *
					      PACKET_US * 1000;

		make(p, n, r->first_pcr, r->pcrs);
		cr_assert(delay_line_push(&r->line, p, now));
		if ((n + 1) % r->burst == 0)
			leave(r, now, base);
	}
	cr_assert_geq(r->left, N - 2000u, "%u", (unsigned)r->left);
	delay_line_done(&r->line);
}

Test(delay_line, bursts_of_the_network_leave_as_their_source_sent_them)
{
	static const unsigned bursts[] = { 1, 10, 100, 300 };

	for (size_t i = 0; i < ARRAY_LEN(bursts); i++) {
		struct run r = { .burst = bursts[i], .pcrs = true,
				 .first_pcr = PCR_WRAP - 5 * PCR_HZ };

		play(&r);
		/* the same for all packets: the last of a burst with a PCR */
		cr_expect_leq(r.late - r.early, (int64_t)PACKET_US * 1000,
			      "burst %u: %ld to %ld ns", bursts[i],
			      (long)r.early, (long)r.late);
		cr_expect_leq(labs((long)r.late), (long)PCR_EVERY * PACKET_US *
						  1000 + PACKET_US * 1000L,
			      "burst %u: %ld", bursts[i], (long)r.late);
	}
}

Test(delay_line, without_a_pcr_the_time_of_arrival_counts)
{
	struct run r = { .burst = 10 };

	play(&r);
	cr_expect_geq(r.early, 0);
	cr_expect_leq(r.late, 10 * (int64_t)PACKET_US * 1000);
}

/* The stream that it reads was disabled and enabled again, and its first
 * packets are late. */
Test(delay_line, a_clock_that_continues_behind_a_pause_keeps_its_time)
{
	struct delay_line l = { .delay_ns = DELAY_MS * MS, .max = 4096 };
	const uint64_t packet_ns = PACKET_US * UINT64_C(1000);
	const uint64_t base = 1000 * SECOND_NS, late = 120 * MS;
	uint8_t p[TS_PACKET];

	for (uint64_t n = 0; n < 6000; n++) {
		uint64_t source = base + n * packet_ns;
		uint64_t now = source + (n < 3000 ? 0 : late);

		if (n >= 1000 && n < 3500)
			continue;
		make(p, n, PCR_HZ, true);
		if (n == 3500)
			p[5] |= 0x80; /* discontinuity_indicator */
		cr_assert(delay_line_push(&l, p, now));
		while (delay_line_next(&l, 0) <= now)
			delay_line_leave(&l, delay_line_next(&l, 0));
		if (n > 3500 && n < 3600)
			cr_assert_leq(delay_line_next(&l, 0) - base -
					      3500 * packet_ns,
				      DELAY_MS * MS + 5 * MS);
	}
	delay_line_done(&l);
}

Test(delay_line, a_jump_of_the_pcr_moves_no_packet)
{
	struct delay_line l = { .delay_ns = DELAY_MS * MS, .max = 4096 };
	uint64_t now = 1000 * SECOND_NS, last = 0;
	uint8_t p[TS_PACKET];

	for (uint64_t n = 0; n < 3000; n++) {
		/* back by a second, and forward by an hour */
		uint64_t pcr = n < 1000 ? 100 * PCR_HZ
			     : n < 2000 ? 99 * PCR_HZ : 3700 * PCR_HZ;

		make(p, n, pcr, true);
		cr_assert(delay_line_push(&l, p, now));
		while (delay_line_next(&l, 0) <= now) {
			uint64_t at = delay_line_next(&l, 0);

			cr_assert_leq(last, at);
			cr_assert_leq(last == 0 ? 0 : at - last, 30 * MS);
			last = at;
			delay_line_leave(&l, at);
		}
		now += PACKET_US * 1000;
	}
	cr_expect_eq(l.n, DELAY_MS, "%zu", l.n);
	delay_line_done(&l);
}

Test(delay_line, what_a_successor_reads_at_once_leaves_in_time)
{
	struct delay_line l = { .delay_ns = DELAY_MS * MS, .max = 4096 };
	const uint64_t now = 1000 * SECOND_NS;
	uint8_t p[TS_PACKET];

	/* the packets of the last 500 ms */
	for (uint64_t n = 0; n < 501; n++) {
		make(p, n, 100 * PCR_HZ, true);
		cr_assert(delay_line_push(&l, p, now));
	}
	/* those of 400 ms still wait */
	cr_expect_leq(labs((long)delay_line_due(&l, 0, now) - 100),
		      PCR_EVERY, "%zu", delay_line_due(&l, 0, now));
	delay_line_done(&l);
}

Test(delay_line, packets_that_come_too_late_catch_up_at_twice_their_rate)
{
	struct delay_line l = { .delay_ns = DELAY_MS * MS, .max = 8192 };
	uint64_t now = 1000 * SECOND_NS, last = 0, at;
	uint8_t p[TS_PACKET];
	unsigned late = 0;

	for (uint64_t n = 0; n < 6000; n++) {
		make(p, n, 100 * PCR_HZ, true);
		/* nothing comes or leaves for a second, then all at once */
		now = 1000 * SECOND_NS + (n < 2000 || n > 3000 ? n : 3000) *
						 PACKET_US * 1000;
		cr_assert(delay_line_push(&l, p, now));
		if (n >= 2000 && n < 3000)
			continue;
		while ((at = delay_line_next(&l, now - 10 * MS)) <= now) {
			if (n >= 3000) {
				cr_assert_geq(at - last, PACKET_US * 500,
					      "%u: %u ns", (unsigned)n,
					      (unsigned)(at - last));
				late += at - last < PACKET_US * 900;
			}
			last = at;
			delay_line_leave(&l, at);
		}
	}
	/* another second makes up for it */
	cr_expect(late > 1900 && late < 2100, "%u", late);
	cr_expect_leq(l.n, DELAY_MS + 2, "%zu", l.n);
	delay_line_done(&l);
}

Test(delay_line, packets_behind_a_pause_are_no_later_than_others)
{
	struct delay_line l = { .delay_ns = DELAY_MS * MS, .max = 4096 };
	uint64_t now = 1000 * SECOND_NS, at;
	uint8_t p[TS_PACKET];

	for (uint64_t n = 0; n < 2600; n++, now += PACKET_US * 1000) {
		/* tables alone for 1.5 seconds */
		bool pause = n >= 1000 && n < 2500;

		if (!pause || n % 200 == 0) {
			make(p, n, 100 * PCR_HZ, !pause);
			cr_assert(delay_line_push(&l, p, now));
		}
		/* up to the packets that wait behind it */
		while (n < 2500 && (at = delay_line_next(&l, now)) <= now)
			delay_line_leave(&l, at);
	}
	cr_expect_eq(l.n, 100u, "%zu", l.n);
	at = delay_line_next(&l, 0);
	cr_expect_leq(at, 1000 * SECOND_NS + (2500 + DELAY_MS + 1) *
					     PACKET_US * UINT64_C(1000),
		      "%u ms", (unsigned)(at / MS));
	delay_line_done(&l);
}

Test(delay_line, holds_no_more_packets_than_its_maximum)
{
	struct delay_line l = { .delay_ns = DELAY_MS * MS, .max = 1000 };
	uint8_t p[TS_PACKET];
	unsigned held = 0;

	for (uint64_t n = 0; n < 2000; n++) {
		make(p, n, 0, true);
		held += delay_line_push(&l, p, 1000 * SECOND_NS);
	}
	cr_expect_eq(held, 1000u);
	cr_expect_eq(l.n, 1000u);
	delay_line_done(&l);
}

Test(delay_line, memory_that_a_burst_needed_is_freed_and_no_packet_lost)
{
	struct delay_line l = { .delay_ns = DELAY_MS * MS, .max = 8192 };
	const uint64_t base = 1000 * SECOND_NS;
	uint8_t p[TS_PACKET];
	uint64_t next = 0;

	for (uint64_t n = 0; n < 20000; n++) {
		/* four seconds at once, and then as they are sent */
		uint64_t now = base + (n < 4000 ? 4000 : n) * PACKET_US * 1000;

		make(p, n, 100 * PCR_HZ, true);
		memcpy(p + 100, &n, sizeof n);
		cr_assert(delay_line_push(&l, p, now));
		while (delay_line_next(&l, 0) <= now) {
			cr_assert_eq(memcmp(delay_line_first(&l) + 100, &next,
					    sizeof next), 0);
			next++;
			delay_line_leave(&l, delay_line_next(&l, 0));
		}
		if (n == 4000)
			cr_assert_leq(l.room, 4000u * 5 / 4, "%zu", l.room);
		if (n % 1000 == 0)
			delay_line_trim(&l);
	}
	cr_expect_leq(l.room, DELAY_MS * 25u / 16, "%zu", l.room);
	cr_expect_eq(next + l.n, 20000u);
	delay_line_done(&l);
}
