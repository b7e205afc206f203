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

static void assert_follows(struct flow *f, unsigned n)
{
	double begin = f->ms;
	uint32_t first;

	(void)flow_send(f);
	first = f->stamp;
	for (unsigned i = 0; i < n; i++) {
		double due = (f->ms - begin) * 90;

		(void)flow_send(f);
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
	f.now_ns += 40 * MS;
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
			      90 * 10);
		flow_run(&f, 40);
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
		assert_follows(&f, 500);
	}
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
