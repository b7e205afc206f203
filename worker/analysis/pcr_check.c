/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/pcr_check.h"

#include "common/base/units.h"
#include "common/base/util.h"

#include <math.h>

#define TICKS_PER_US (PCR_HZ / 1000000)

/* A longer step between two PCRs is a jump. */
#define STEP_MAX (PCR_HZ / 10)

/* At a constant rate the rate between two PCRs deviates by less than this
 * share. */
#define RATE_SPREAD 0.02

/* Adds a sample: the PCR of the nth packet.  The other samples count from the
 * first one. */
static void add_sample(struct pcr_check *c, uint64_t pcr, uint64_t nth)
{
	size_t i = c->n_samples;

	if (i == PCR_SAMPLES)
		return;
	if (i == 0) {
		c->sample_pcr[0] = pcr;
		c->sample_packet[0] = nth;
	} else {
		c->sample_pcr[i] = pcr_diff(pcr, c->sample_pcr[0]);
		c->sample_packet[i] = nth - c->sample_packet[0];
	}
	c->n_samples++;
}

/* The longest step to the next PCR, in ticks, that is no fault of the PCRs. */
static uint64_t longest_step(const struct pcr_check *c)
{
	return (c->damaged + UINT64_C(1)) * STEP_MAX +
	       c->silent_ns / 1000 * TICKS_PER_US;
}

void pcr_check_damaged(struct pcr_check *c)
{
	c->damaged++;
}

void pcr_check_resume(struct pcr_check *c, uint64_t now_ns)
{
	if (!c->started)
		return;
	c->silent_ns += now_ns - c->last_ns;
	c->last_ns = c->moved_ns = now_ns;
}

void pcr_check_restart(struct pcr_check *c)
{
	c->started = false;
	c->jumps -= c->discontinuity_errors;
	c->repetition_errors = c->discontinuity_errors = c->frozen = 0;
	c->silent_ns = c->damaged = 0;
}

void pcr_check_feed(struct pcr_check *c, const uint8_t *packet, uint64_t nth,
		    uint64_t now_ns)
{
	uint64_t pcr, interval, step;

	if (!ts_pcr(packet, &pcr))
		return;
	c->count++;
	c->all++;
	interval = now_ns - c->last_ns;
	step = pcr_diff(pcr, c->last);
	if (c->started) {
		c->arrival_max_ns = MAX(c->arrival_max_ns, interval);
		/* the step of a burst behind a pause is short: its PCRs arrive
		 * late, but none is missing */
		c->repetition_errors +=
			step > longest_step(c) &&
			interval > (PCR_REPETITION_MAX_MS +
				    PCR_ARRIVAL_GRAIN_MS) * MS;
		c->frozen += step == 0;
	}
	if (c->started && step <= STEP_MAX) {
		c->steps++;
		c->steps_ticks += step;
		c->step_max = MAX(c->step_max, step);
		c->span_ticks += step;
		c->span_packets += nth - c->last_packet;
	} else {
		c->n_samples = 0;
	}
	if (c->started && step > STEP_MAX) {
		bool announced = ts_discontinuity(packet);
		bool delayed = step <= longest_step(c);

		c->announced += announced;
		c->discontinuity_errors += !announced && !delayed;
		c->jumps += !announced && !delayed;
	}
	c->silent_ns = c->damaged = 0;
	add_sample(c, pcr, nth);
	if (!c->started || step != 0)
		c->moved_ns = now_ns;
	c->started = true;
	c->last = pcr;
	c->last_ns = now_ns;
	c->last_packet = nth;
}

/* The place of a sample, in packets behind the first one. */
static double packet_of(const struct pcr_check *c, size_t i)
{
	return i == 0 ? 0 : (double)c->sample_packet[i];
}

static double ticks_of(const struct pcr_check *c, size_t i)
{
	return i == 0 ? 0 : (double)c->sample_pcr[i];
}

static void measure(const struct pcr_check *c, struct pcr_report *ret)
{
	double n = (double)c->n_samples, sx = 0, sy = 0, sxx = 0, sxy = 0;
	double at, slope, most = 0;

	if (c->n_samples < 8)
		return;
	/* the straight line through the samples: ticks by packets */
	for (size_t i = 0; i < c->n_samples; i++) {
		double x = packet_of(c, i), y = ticks_of(c, i);

		sx += x;
		sy += y;
		sxx += x * x;
		sxy += x * y;
	}
	slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
	at = (sy - slope * sx) / n;
	if (!(slope > 0))
		return;
	for (size_t i = 0; i < c->n_samples; i++) {
		double x = packet_of(c, i), y = ticks_of(c, i);

		if (i > 0) {
			double packets = x - packet_of(c, i - 1);
			double ticks = y - ticks_of(c, i - 1);

			if (packets < 1 || fabs(ticks / packets - slope) >
						   slope * RATE_SPREAD)
				return; /* the rate is not constant */
		}
		most = fmax(most, fabs(y - at - slope * x));
	}
	ret->constant = true;
	ret->accuracy_ns = (uint32_t)(most * 1000 / 27);
}

uint64_t pcr_check_bps(const struct pcr_check *c)
{
	double bits = (double)c->span_packets * TS_PACKET * 8;

	return c->span_ticks == 0
		       ? 0
		       : (uint64_t)(bits * PCR_HZ / (double)c->span_ticks);
}

void pcr_check_second(struct pcr_check *c, uint64_t now_ns,
		      struct pcr_report *ret)
{
	*ret = (struct pcr_report){
		.repetition_errors = c->repetition_errors,
		.discontinuity_errors = c->discontinuity_errors,
		.frozen = c->frozen,
		.stands = c->count > 0 && c->frozen == c->count,
		.count = c->count,
		.interval_max_us = (uint32_t)(c->step_max / TICKS_PER_US),
		.arrival_max_us = (uint32_t)(c->arrival_max_ns / 1000),
	};
	if (c->steps > 0)
		ret->interval_us = (uint32_t)(c->steps_ticks / c->steps /
					      TICKS_PER_US);
	/* an overdue PCR is an error already before the next one arrives; a
	 * PCR that repeats the last value is not the next one */
	if (c->started && (c->count == 0 || c->last_ns > c->moved_ns) &&
	    now_ns - c->moved_ns >
		    (c->damaged + UINT64_C(1)) * PCR_REPETITION_MAX_MS * MS)
		ret->repetition_errors++;
	measure(c, ret);
	c->count = c->repetition_errors = c->discontinuity_errors = 0;
	c->frozen = c->steps = 0;
	c->steps_ticks = c->step_max = c->arrival_max_ns = 0;
	c->n_samples = 0;
	if (c->started)
		add_sample(c, c->last, c->last_packet);
}
