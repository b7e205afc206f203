/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source in front of an output of constant bit rate, and a judge of its units
 * and clock behind it. */
#pragma once

#include "common/base/units.h"
#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/output/cbr.h"
#include "worker/output/pacer.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"
#include "worker/ts/pes_head.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	PID = 0x101,
	SOUND = 0x102,
	SOUNDS = 8,        /* others, on the PIDs behind it */
	KBPS = 5000,
	TURN_MS = 10,
	UNIT_MS = 40,
	UNIT_PACKETS = 60, /* 2.3 Mbit/s */
	LEAD_MS = 700,     /* of a unit's time over its PCR */
};

#define PCR_MS (PCR_HZ / 1000)
#define START (UINT64_C(77777) * MS)

struct bench {
	struct cbr *cbr;
	struct build *ts; /* large: one for all turns */
	struct pes_reader reader;
	uint64_t now_ns;
	/* the source */
	int64_t clock_ms, unit_ms, sound_ms; /* its clock, the next units */
	int64_t close_ms; /* the last of SOUNDS has this lead; 0: no SOUNDS */
	bool announces;            /* the next unit starts a time base */
	size_t split; /* bytes of a PES in its first packet; 0: all */
	/* the output */
	uint64_t places, pcr, pcr_place, pcr_ns;
	bool has_pcr;
	unsigned jumps, units;
	uint64_t jumped_ns;
	double apart_ms; /* the most between two PCRs without a jump */
	double least_ms, most_ms; /* of a unit's time over the clock */
};

static inline void set_clock(struct bench *b, int64_t ms)
{
	b->clock_ms = b->unit_ms = ms;
	b->sound_ms = ms + UNIT_MS / 2;
}

static inline struct bench *bench_new(void)
{
	struct bench *b = calloc(1, sizeof *b);

	b->cbr = cbr_new(KBPS, PACER_BURST_MS);
	b->ts = build_new();
	b->now_ns = START;
	set_clock(b, 100000);
	b->least_ms = INFINITY;
	b->most_ms = -INFINITY;
	return b;
}

static inline void bench_free(struct bench *b)
{
	cbr_free(&b->cbr);
	build_free(b->ts);
	free(b);
}

/* A PCR interval equals the duration of its bits, or of a pause. */
static inline void take_pcr(struct bench *b, const uint8_t *p, uint64_t pcr)
{
	double went = (double)wrap_diff(pcr, b->pcr, PCR_WRAP) / PCR_MS;
	double by_place = (double)(b->places - b->pcr_place) * TS_PACKET *
			  8 / KBPS;
	double passed = (double)(b->now_ns - b->pcr_ns) / MS;

	if (ts_discontinuity(p)) {
		b->jumps++;
		b->jumped_ns = b->now_ns;
	} else if (b->has_pcr) {
		b->apart_ms = fmax(b->apart_ms, went);
		/* ISO/IEC 13818-1 2.4.2.1 allows 30 ppm */
		double exact = 0.0005 + by_place * 3e-5;

		bool hole = passed > by_place + 1.5 * TURN_MS;

		cr_assert(fabs(went - by_place) <= exact ||
				  (hole && fabs(went - passed) < 2 * TURN_MS),
			  "%.4f ms for %.4f, %.1f passed", went, by_place,
			  passed);
	}
	b->has_pcr = true;
	b->pcr = pcr;
	b->pcr_place = b->places;
	b->pcr_ns = b->now_ns;
}

static inline void take_unit(struct bench *b, uint64_t pts)
{
	double ms = (double)wrap_diff(pts * 300, b->pcr, PCR_WRAP) / PCR_MS;

	b->units++;
	b->least_ms = fmin(b->least_ms, ms);
	b->most_ms = fmax(b->most_ms, ms);
}

static inline void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct bench *b = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++, b->places++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;
			struct pes_stamps at;
			uint64_t pcr;

			if (ts_pcr(p, &pcr))
				take_pcr(b, p, pcr);
			if (pes_reader_take(&b->reader, p, &at) == PES_READ)
				take_unit(b, at.pts);
		}
}

/* The first packet of a unit; at: the offset of its PES header. */
static inline uint8_t *add_pes(struct build *ts, uint16_t pid, size_t at,
			       int64_t ms)
{
	static const uint8_t header[] = { 0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5,
					  0x21, 0, 1, 0, 1 };
	uint8_t *p = build_payload(ts, pid, 0);

	p[1] |= 0x40;
	memcpy(p + at, header, sizeof header);
	pes_set_time(p + at + 9, (uint64_t)(ms + LEAD_MS) * PCR_MS / 300);
	return p;
}

/* A packet with PCR and PTS, and more packets. */
static inline void add_unit(struct bench *b, struct build *ts)
{
	uint8_t *p = add_pes(ts, PID, 12, b->unit_ms);

	p[3] |= 0x20;
	p[4] = 7;
	p[5] = b->announces ? 0x90 : 0x10;
	ts_set_pcr(p, (uint64_t)b->unit_ms * PCR_MS);
	if (b->split > 0)
		build_split(ts, b->split);
	for (unsigned i = 1; i < UNIT_PACKETS; i++)
		(void)build_payload(ts, PID, 0);
	b->announces = false;
	b->unit_ms += UNIT_MS;
}

static inline void add_sound(struct bench *b, struct build *ts)
{
	(void)add_pes(ts, SOUND, 4, b->sound_ms);
	if (b->split > 0)
		build_split(ts, b->split);
	for (unsigned i = 1; b->close_ms > 0 && i <= SOUNDS; i++)
		(void)add_pes(ts, (uint16_t)(SOUND + i), 4, b->sound_ms -
			      (i == SOUNDS ? LEAD_MS - b->close_ms : 0));
	b->sound_ms += UNIT_MS;
}

/* Sends the packets of the source up to now. */
static inline void feed(struct bench *b)
{
	struct build *ts = b->ts;
	struct ts_run run;

	ts->n = 0;
	while (MIN(b->unit_ms, b->sound_ms) <= b->clock_ms)
		if (b->sound_ms < b->unit_ms)
			add_sound(b, ts);
		else
			add_unit(b, ts);
	run = build_run(ts);
	cbr_feed(b->cbr, &run, run.n > 0, b->now_ns);
}

/* From here on it is known which units belong to the clock. */
static inline void add_tables(struct bench *b)
{
	struct ts_run run;

	b->ts->n = 0;
	build_tables(b->ts);
	run = build_run(b->ts);
	cbr_feed(b->cbr, &run, 1, b->now_ns);
}

/* The same with SOUNDS; one of them has this lead. */
static inline void add_sounds(struct bench *b, int64_t close_ms)
{
	struct build_es streams[SOUNDS + 2] = { { .type = 0x1b, .pid = PID } };
	uint8_t section[SECTION_PSI_MAX];
	struct ts_run run;
	size_t len;

	add_tables(b);
	for (unsigned i = 0; i <= SOUNDS; i++)
		streams[1 + i] = (struct build_es){
			.type = 0x03, .pid = (uint16_t)(SOUND + i) };
	b->ts->n = 0;
	len = build_pmt(section, (struct build_entry){ 1, PID }, 1, streams,
			ARRAY_LEN(streams));
	build_section(b->ts, 0x100, section, len);
	run = build_run(b->ts);
	cbr_feed(b->cbr, &run, 1, b->now_ns);
	b->close_ms = close_ms;
}

static inline void play(struct bench *b, unsigned ms)
{
	for (unsigned done = 0; done < ms; done += TURN_MS) {
		b->now_ns += TURN_MS * MS;
		b->clock_ms += TURN_MS;
		feed(b);
		cbr_run(b->cbr, b->now_ns, take, b);
	}
}

/* No packets arrive while the worker is awake. */
static inline void hush(struct bench *b, unsigned ms)
{
	for (unsigned done = 0; done < ms; done += TURN_MS) {
		b->now_ns += TURN_MS * MS;
		cbr_run(b->cbr, b->now_ns, take, b);
	}
}

/* As at the source, except for the queue. */
static inline void judge_leads(const struct bench *b, double less_ms,
			       double more_ms)
{
	cr_assert_gt(b->least_ms, LEAD_MS - less_ms, "%.1f ms", b->least_ms);
	cr_assert_lt(b->most_ms, LEAD_MS + more_ms, "%.1f ms", b->most_ms);
}
