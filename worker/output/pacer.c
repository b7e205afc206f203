/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/pacer.h"

#include "common/base/units.h"
#include "common/base/util.h"

#define PACKET_BITS_NS (UINT64_C(188) * 8 * 1000000000)

#define HOLD_NS (PACER_HOLD_MS * MS)
#define SLICE_NS (100 * MS)
/* A shorter measurement says nothing about the rate. */
#define FIRST_NS (20 * MS)
/* A longer pause starts a new measurement. */
#define PAUSE_NS (500 * MS)
/* 1.5 kbit/s to 15 Gbit/s */
#define PACKET_NS_MIN UINT64_C(100)
#define PACKET_NS_MAX (1000 * MS)

enum {
	SLICES_GOOD = 10, /* measurements until the rate is used: a second */
	RATE_WEIGHT = 8,  /* weight of the past against a new slice */
	/* The bucket fills by DRAIN_BASE percent of the clock, and by one
	 * percent more for each millisecond in the queue.  At 100 percent small
	 * errors of the rate would add up. */
	DRAIN_BASE = 110,
	DRAIN_MAX = 400,
};

void pacer_init(struct pacer *p)
{
	*p = (struct pacer){ 0 };
}

void pacer_disable(struct pacer *p)
{
	p->unpaced = true;
}

void pacer_set_burst(struct pacer *p, unsigned ms)
{
	p->burst_ms = ms;
}

static uint64_t usual_burst_ns(const struct pacer *p)
{
	return (p->burst_ms > 0 ? p->burst_ms : PACER_BURST_MS) * MS;
}

bool pacer_is_settled(const struct pacer *p)
{
	return p->slices >= SLICES_GOOD;
}

static uint64_t clamp_packet_ns(uint64_t ns)
{
	return MIN(MAX(ns, PACKET_NS_MIN), PACKET_NS_MAX);
}

void pacer_hint(struct pacer *p, uint64_t pcr_bps)
{
	p->pcr_packet_ns =
		pcr_bps > 0 ? clamp_packet_ns(PACKET_BITS_NS / pcr_bps) : 0;
}

/* The duration of a packet by the best known rate. */
static uint64_t packet_ns(const struct pacer *p)
{
	if (!pacer_is_settled(p) && p->pcr_packet_ns > 0)
		return p->pcr_packet_ns;
	return p->packet_ns;
}

static void begin_slice(struct pacer *p, uint64_t now_ns)
{
	p->slice_ns = now_ns;
	p->slice_packets = 0;
}

void pacer_arrived(struct pacer *p, uint64_t now_ns, size_t n)
{
	if (n == 0)
		return;
	if (!p->started) {
		p->started = true;
		p->now_ns = now_ns;
		p->credit_ns = (int64_t)usual_burst_ns(p);
		begin_slice(p, now_ns);
	}

	uint64_t elapsed = now_ns - p->slice_ns;

	if (elapsed > PAUSE_NS) {
		begin_slice(p, now_ns);
	} else if (elapsed >= SLICE_NS && p->slice_packets > 0) {
		uint64_t ns = clamp_packet_ns(elapsed / p->slice_packets);
		double rate = 1.0 / (double)ns;
		double past = 1.0 / (double)p->packet_ns;
		unsigned weight = MIN(p->slices, (unsigned)RATE_WEIGHT);

		/* averages rates, not durations: a burst in one slice and no
		 * packet in the next must give the mean of both */
		rate = (past * weight + rate) / (weight + 1);
		p->packet_ns = clamp_packet_ns((uint64_t)(1.0 / rate));
		if (p->slices < SLICES_GOOD)
			p->slices++;
		begin_slice(p, now_ns);
	}
	p->slice_packets += n;
	if (p->slices == 0)
		p->packet_ns = clamp_packet_ns(
			MAX(now_ns - p->slice_ns, FIRST_NS) /
			p->slice_packets);
}

/* How fast the bucket fills, in percent of the clock: faster, the more packets
 * wait. */
static uint64_t drain(const struct pacer *p, size_t waiting)
{
	uint64_t queue_ms = waiting * packet_ns(p) / MS;

	return MIN(DRAIN_BASE + queue_ms, (uint64_t)DRAIN_MAX);
}

/* True if a partly filled datagram has waited for PACER_HOLD_MS.  moved:
 * packets leave now, so the wait begins again. */
static bool is_hold_over(struct pacer *p, uint64_t now_ns, bool moved)
{
	if (!p->held || moved) {
		p->held = true;
		p->held_ns = now_ns;
		return false;
	}
	return now_ns - p->held_ns >= HOLD_NS;
}

size_t pacer_release(struct pacer *p, uint64_t now_ns, size_t waiting)
{
	if (!p->started || waiting == 0) {
		p->held = false;
		return 0;
	}

	/* releases grow before late wake-ups make the queue drop packets */
	bool late = waiting * packet_ns(p) > PACER_QUEUE_MS / 2 * MS;
	uint64_t most = late ? PACER_LATE_BURST_MS * MS : usual_burst_ns(p);
	uint64_t elapsed = MIN(now_ns - p->now_ns, most);

	p->now_ns = now_ns;
	p->credit_ns += (int64_t)(elapsed * drain(p, waiting) / 100);
	p->credit_ns = MIN(p->credit_ns, (int64_t)most);
	if (p->unpaced)
		p->credit_ns = INT64_MAX / 2;

	uint64_t each = packet_ns(p);
	size_t groups = 0, n;

	if (p->credit_ns > 0)
		groups = (size_t)((uint64_t)p->credit_ns /
				  (each * DATAGRAM_PACKETS)) + 1;
	n = MIN(groups, waiting / DATAGRAM_PACKETS) * DATAGRAM_PACKETS;

	if (waiting - n == 0 || waiting - n >= DATAGRAM_PACKETS) {
		p->held = false;
	} else if (is_hold_over(p, now_ns, n > 0) && p->credit_ns > 0) {
		p->held = false;
		n = waiting;
	}
	p->credit_ns -= (int64_t)(n * each);
	return n;
}

uint64_t pacer_next_ns(const struct pacer *p, size_t waiting)
{
	if (!p->started || waiting == 0)
		return UINT64_MAX;
	if (waiting < DATAGRAM_PACKETS && p->credit_ns > 0)
		return (p->held ? p->held_ns : p->now_ns) + HOLD_NS;

	/* due when half the bucket is full: more and smaller releases */
	int64_t need = (int64_t)usual_burst_ns(p) / 2 - p->credit_ns;

	if (need <= 0)
		return p->now_ns;
	return p->now_ns + (uint64_t)need * 100 / drain(p, waiting);
}

bool pacer_is_behind(const struct pacer *p, size_t waiting)
{
	return !p->unpaced && waiting * packet_ns(p) > usual_burst_ns(p);
}

size_t pacer_queue_max(const struct pacer *p)
{
	uint64_t each = packet_ns(p);

	if (each == 0)
		return DATAGRAM_PACKETS;
	return MAX((size_t)(PACER_QUEUE_MS * MS / each) + DATAGRAM_PACKETS * 8,
		   (size_t)PACER_QUEUE_MIN);
}
