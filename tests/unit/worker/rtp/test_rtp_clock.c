/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/rtp/rtp_clock.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { PID = 0x101, START = -90000, PER_PCR = 140 };

/* A stream of constant rate that arrives in bursts. */
struct flow {
	struct rtp_clock clock;
	double ms_per_packet;
	double ms;           /* of the next packet, by the stream's clock */
	double base_ms;      /* added to its PCRs */
	uint64_t now_ns;
	uint64_t paused_ns;  /* by which its clock is late */
	unsigned since_pcr;
	uint32_t stamp;
	unsigned markers;
};

static void flow_init(struct flow *f, double kbps)
{
	*f = (struct flow){ .ms_per_packet = 1504 / kbps, .base_ms = 1000,
			    .now_ns = 55 * MS };
	rtp_clock_init(&f->clock, (uint32_t)START, f->now_ns);
}

/* One datagram; the difference of its stamp from the previous one, in 90 kHz.
 * */
static int32_t flow_send(struct flow *f)
{
	uint8_t p[TS_PACKET];
	uint32_t before = f->stamp;
	bool marker;

	f->stamp = rtp_clock_stamp(&f->clock, f->now_ns, &marker);
	f->markers += marker;
	for (unsigned i = 0; i < 7; i++) {
		memset(p, 0xff, sizeof p);
		p[0] = TS_SYNC_BYTE;
		p[1] = 0;
		ts_set_pid(p, PID);
		p[3] = 0x10;
		if (f->since_pcr++ % PER_PCR == 0) {
			p[3] = 0x30;
			p[4] = 7;
			p[5] = 0x10;
			ts_set_pcr(p, (uint64_t)llround(
				fmod((f->ms + f->base_ms) * 27000,
				     (double)PCR_WRAP)));
		}
		rtp_clock_feed(&f->clock, p);
		f->ms += f->ms_per_packet;
	}
	return (int32_t)(f->stamp - before);
}

/* Datagrams that leave 15 at a time, late by this and that. */
static void flow_run(struct flow *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (i % 15 == 0)
			f->now_ns = 55 * MS + f->paused_ns +
				(uint64_t)((f->ms + i % 7) * 1e6);
		(void)flow_send(f);
	}
}

/* Until the time stamps have settled. */
static void flow_settle(struct flow *f)
{
	flow_run(f, 4000);
}

static void assert_follows(struct flow *f, unsigned n)
{
	double begin = f->ms;
	uint32_t first;

	(void)flow_send(f);
	first = f->stamp;
	for (unsigned i = 0; i < n; i++) {
		double due = (f->ms - begin) * 90;

		flow_run(f, 1);
		cr_assert_leq(fabs((int32_t)(f->stamp - first) - due), 1.01,
			      "%d for %.2f", (int)(f->stamp - first), due);
	}
}

Test(rtp_clock, stamps_by_the_time_of_the_stream)
{
	struct flow f;

	flow_init(&f, 10000);
	flow_run(&f, 100);
	/* the start is the given value, and the counter wraps */
	cr_assert_leq(abs((int)(f.stamp - (uint32_t)START)), 90 * 130);
	flow_settle(&f);
	assert_follows(&f, 3000);
	cr_assert_eq(f.markers, 0);
}

Test(rtp_clock, uses_the_machine_clock_before_two_pcrs)
{
	struct flow f;

	flow_init(&f, 10000);
	f.since_pcr = 1; /* the first is far */
	(void)flow_send(&f);
	f.now_ns += 7 * MS;
	cr_assert_eq(flow_send(&f), 7 * 90);
}

Test(rtp_clock, marks_a_new_time_base_once_and_continues)
{
	static const double jumps[] = { 3600e3, -500, 90e3 };

	for (size_t i = 0; i < sizeof jumps / sizeof jumps[0]; i++) {
		struct flow f;
		uint32_t before;

		flow_init(&f, 10000);
		flow_run(&f, 200);
		before = f.stamp;
		f.base_ms += jumps[i] + 1000e3;
		f.now_ns += 500 * MS; /* without packets */
		f.paused_ns = 500 * MS;
		f.since_pcr = 0;
		(void)flow_send(&f);
		(void)flow_send(&f);
		cr_assert_eq(f.markers, 1);
		cr_assert_leq(abs((int)(f.stamp - before) - 500 * 90),
			      90 * 25);
		flow_settle(&f);
		assert_follows(&f, 500);
		cr_assert_eq(f.markers, 1);
	}
}

Test(rtp_clock, adds_the_pause_of_a_source)
{
	for (unsigned goes_on = 0; goes_on < 2; goes_on++) {
		struct flow f;
		uint32_t before;

		flow_init(&f, 10000);
		flow_run(&f, 200);
		before = f.stamp;
		if (goes_on)
			f.ms += 700; /* its clock continued meanwhile */
		else
			f.paused_ns = 700 * MS;
		flow_run(&f, 80);
		cr_assert_leq(abs((int)(f.stamp - before) -
				  (int)(700 + 80 * 1.05) * 90), 90 * 30,
			      "%d ms", (int)(f.stamp - before) / 90);
		cr_assert_eq(f.markers, !goes_on);
		flow_settle(&f);
		assert_follows(&f, 500);
	}
}

/* Packets waited for ms, and leave `faster' times as fast as the stream until
 * none waits. */
static void flow_stall(struct flow *f, double ms, double faster)
{
	uint64_t begin_ns = f->now_ns + (uint64_t)(ms * 1e6);
	double first = f->ms;

	for (unsigned i = 0; ms > 0; i++) {
		uint64_t before = f->now_ns;

		if (i % 15 == 0)
			f->now_ns = begin_ns + (uint64_t)((f->ms - first) *
							  1e6 / faster);
		ms -= i == 0 ? 0 : (faster - 1) / faster * 7 *
					   f->ms_per_packet;
		(void)flow_send(f);
		cr_assert_geq(f->now_ns, before);
	}
}

/* How far the last time stamp is ahead of the clock of the machine. */
static double ahead_ms(const struct flow *f, uint64_t start_ns)
{
	return (int32_t)(f->stamp - (uint32_t)START) / 90.0 -
	       (double)(f->now_ns - start_ns) / 1e6;
}

Test(rtp_clock, is_not_ahead_of_time_after_stalls)
{
	static const double faster[] = { 1000, 4, 1.3 };

	for (size_t i = 0; i < sizeof faster / sizeof faster[0]; i++) {
		struct flow f;

		flow_init(&f, 10000);
		flow_settle(&f);
		for (unsigned k = 0; k < 20; k++) {
			flow_stall(&f, 1000, faster[i]);
			flow_settle(&f);
			cr_assert_leq(fabs(ahead_ms(&f, 55 * MS)), 20,
				      "%.1f ms ahead after stall %u",
				      ahead_ms(&f, 55 * MS), k);
		}
		assert_follows(&f, 500);
	}
}

Test(rtp_clock, is_not_ahead_of_time_after_restarts)
{
	struct flow f;

	flow_init(&f, 10000);
	flow_settle(&f);
	for (unsigned k = 0; k < 20; k++) {
		uint64_t due = rtp_clock_due(&f.clock, f.now_ns);

		rtp_clock_init(&f.clock, 0, f.now_ns);
		rtp_clock_resume(&f.clock, due, f.now_ns);
		flow_stall(&f, 400, 4);
		flow_settle(&f);
		cr_assert_leq(fabs(ahead_ms(&f, 55 * MS)), 20,
			      "%.1f ms ahead after restart %u",
			      ahead_ms(&f, 55 * MS), k);
	}
	cr_assert_eq(f.markers, 0);
	assert_follows(&f, 500);
}

/* An output is opened in a turn, whose time is that of its begin. */
Test(rtp_clock, runs_when_it_was_made_after_the_time_of_its_turn)
{
	struct flow f;

	flow_init(&f, 10000);
	rtp_clock_init(&f.clock, (uint32_t)START, f.now_ns + 5000);
	(void)flow_send(&f);
	cr_assert_leq(abs((int)(f.stamp - (uint32_t)START)), 1);
	cr_assert_eq(rtp_clock_due(&f.clock, f.now_ns), f.clock.last);
	flow_settle(&f);
	cr_assert_leq(fabs(ahead_ms(&f, 55 * MS)), 20, "%.1f ms ahead",
		      ahead_ms(&f, 55 * MS));
	assert_follows(&f, 500);
}

/* The former worker may have left a damaged state. */
Test(rtp_clock, resumes_from_any_numbers)
{
	static const struct {
		uint64_t ticks, at_ns;
	} left[] = {
		{ UINT64_MAX, 55 * MS }, { UINT64_C(1) << 63, 1 },
		{ 5, UINT64_MAX }, { 5, 3600 * SECOND_NS },
	};

	for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
		struct flow f;

		flow_init(&f, 10000);
		rtp_clock_resume(&f.clock, left[i].ticks, left[i].at_ns);
		flow_settle(&f);
		assert_follows(&f, 500);
	}
}

Test(rtp_clock, follows_a_stream_that_is_slower_than_the_machine)
{
	struct flow f;
	double slow_ms;

	flow_init(&f, 10000);
	for (unsigned i = 0; i < 60000; i++) {
		f.paused_ns = (uint64_t)(f.ms * 30); /* 30 ppm */
		flow_run(&f, 1);
	}
	cr_assert_eq(f.markers, 0);
	slow_ms = (double)(rtp_clock_due(&f.clock, f.now_ns) -
			   f.clock.last) / 27000;
	cr_assert_leq(slow_ms, 25, "%.1f ms", slow_ms);
}

Test(rtp_clock, never_goes_back_when_the_rate_falls)
{
	struct flow f;

	flow_init(&f, 20000);
	flow_run(&f, 200);
	f.ms_per_packet *= 0.2;
	for (unsigned i = 0; i < 400; i++) {
		if (i % 60 == 0)
			f.ms_per_packet = i % 120 == 0 ? 0.3 : 0.05;
		cr_assert_geq(flow_send(&f), 0);
	}
	cr_assert_eq(f.markers, 0);
}
