/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/pcr.h"

#include <string.h>

enum {
	/* The fewest ticks of 27 MHz per packet, at 10 Gbit/s: a step of the
	 * PCR that is shorter for its packets is wrong. */
	TICKS_PER_PACKET_MIN = 4,
	/* After this many packets without a PCR, while the rate is unknown,
	 * PCRs of another PID are accepted. */
	PACKETS_WITHOUT_PCR = 20000,
};

static const uint64_t gap_max_ticks = PCR_HZ / 1000 * PCR_GAP_MAX_MS;

void pcr_clock_init(struct pcr_clock *c, uint16_t pid)
{
	*c = (struct pcr_clock){ .pid = pid, .fixed = pid != TS_PID_NULL };
}

/* The duration of a number of packets at the last rate, in ticks of 27 MHz; 0:
 * the rate is unknown. */
static uint64_t ticks_since(const struct pcr_clock *c, uint64_t packets)
{
	if (c->span_packets == 0)
		return 0;
	if (c->broken && packets > c->span_packets)
		return c->span_ticks;
	return packets * c->span_ticks / c->span_packets;
}

/* Does the clock use the PCRs of this PID?  The clock changes to it when the
 * PCRs of its own PID are missing for long, unless its PID is fixed. */
static bool follow_pid(struct pcr_clock *c, uint16_t pid)
{
	uint64_t packets = c->packets - c->at_packets;

	if (pid == c->pid)
		return true;
	if (c->fixed)
		return false;
	if (c->has_pcr && (c->span_packets > 0
			   ? ticks_since(c, packets) <= gap_max_ticks
			   : packets <= PACKETS_WITHOUT_PCR))
		return false;
	c->pid = pid;
	return true;
}

bool pcr_clock_feed(struct pcr_clock *c, const uint8_t *packet)
{
	uint64_t pcr;
	uint64_t before = c->packets++;
	uint16_t old_pid = c->pid;

	if (!ts_pcr(packet, &pcr) || ts_tei(packet) ||
	    !follow_pid(c, ts_pid(packet)))
		return false;

	uint64_t ticks = pcr_diff(pcr % PCR_WRAP, c->last_pcr);
	uint64_t packets = before - c->at_packets;
	bool good = c->has_pcr && c->pid == old_pid &&
		!ts_discontinuity(packet) && ticks <= gap_max_ticks;

	/* a repeated packet repeats its PCR */
	if (good && ticks == 0)
		return false;
	if (good && ticks / TICKS_PER_PACKET_MIN < packets)
		good = false;

	if (good) {
		c->at_ticks += ticks;
	} else {
		c->at_ticks += ticks_since(c, packets);
		c->jumps += c->has_pcr;
	}
	c->has_pcr = true;
	c->broken = false;
	c->last_pcr = pcr % PCR_WRAP;
	c->at_packets = before;
	if (good) {
		c->span_ticks = ticks;
		c->span_packets = packets;
	}
	return good;
}

uint64_t pcr_clock_ticks(const struct pcr_clock *c)
{
	return c->at_ticks + ticks_since(c, c->packets - c->at_packets);
}

uint64_t pcr_clock_bps(const struct pcr_clock *c)
{
	if (c->span_packets == 0)
		return 0;
	return c->span_packets * TS_PACKET * 8 * PCR_HZ / c->span_ticks;
}

bool pcr_strip(uint8_t *p)
{
	const size_t field = 6;
	uint64_t pcr;

	if (!ts_pcr(p, &pcr))
		return true;
	if (!ts_has_payload(p))
		return false;
	p[5] &= (uint8_t)~0x10;
	memmove(p + 6, p + 6 + field, (size_t)p[4] - 1 - field);
	memset(p + 5 + p[4] - field, 0xff, field);
	return true;
}
