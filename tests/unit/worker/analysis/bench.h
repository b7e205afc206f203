/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A monitor that gets a valid stream, 20 ms at a time, and the changes of a
 * test. */
#pragma once

#include "common/base/units.h"
#include "worker/analysis/monitor.h"

#include "tests/unit/worker/ts/build.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>

#define START (1000 * MS)

enum { VIDEO = 0x101, AUDIO = 0x102, PMT = 0x100, FREE = 0x300 };

struct bench {
	struct monitor *monitor;
	struct build *build;
	struct monitor_counts counts;
	uint64_t ms;
	uint64_t pts, pcr; /* in 90 kHz, in 27 MHz */
	uint32_t losses; /* returned by monitor_feed() */
	bool no_tables, no_pcr, no_audio, no_video, frozen_pts, frozen_pcr;
	bool changed;
	/* bytes of a PES in its first packet (0: all), but of one in so many
	 * milliseconds (0: of each) */
	size_t split;
	unsigned whole_every_ms;
};

static inline void setup(struct bench *b)
{
	*b = (struct bench){ .monitor = monitor_new(NULL, START),
			     .build = build_new() };
}

static inline void done(struct bench *b)
{
	monitor_free(&b->monitor);
	build_free(b->build);
}

static inline void set_pts(uint8_t *packet, uint64_t pts)
{
	struct pes_times at;

	cr_assert(pes_times(packet, &at));
	pes_set_time(packet + at.pts, pts);
}

/* damage gets each packet before it is fed; NULL drops nothing. */
typedef bool damage_fn(uint8_t *packet, uint64_t ms);

static inline void feed(struct bench *b, damage_fn *damage)
{
	uint64_t now = START + b->ms * MS;

	for (size_t i = 0; i < b->build->n; i++) {
		struct ts_run run = { build_packet(b->build, i), 1 };

		if (damage == NULL || damage(build_packet(b->build, i), b->ms))
			b->losses += monitor_feed(b->monitor, &run, 1, NULL,
						  now);
	}
	b->build->n = 0;
}

/* A PES of a packet, or of two. */
static inline void add_unit(struct bench *b, uint16_t pid)
{
	static const uint8_t es[100] = { 0 };

	set_pts(build_pes(b->build, pid, es, sizeof es), b->pts);
	if (b->split > 0 && (b->whole_every_ms == 0 ||
			     b->ms % b->whole_every_ms > 0))
		build_split(b->build, b->split);
}

static inline void step(struct bench *b, damage_fn *damage)
{
	if (!b->no_tables && b->ms % 100 == 0)
		build_tables(b->build);
	if (!b->no_pcr)
		build_pcr(b->build, VIDEO, b->pcr);
	if (!b->no_video)
		add_unit(b, VIDEO);
	for (int i = 0; i < 20 && !b->no_video; i++)
		build_payload(b->build, VIDEO, 0x55);
	if (!b->no_audio)
		add_unit(b, AUDIO);
	feed(b, damage);
	b->ms += 20;
	b->pts += b->frozen_pts ? 0 : 1800;
	b->pcr += b->frozen_pcr ? 0 : 540000;
}

static inline void run(struct bench *b, unsigned seconds, damage_fn *damage)
{
	for (unsigned s = 0; s < seconds; s++) {
		for (int i = 0; i < 50; i++)
			step(b, damage);
		b->changed |= monitor_second(b->monitor, &b->counts,
					     START + b->ms * MS, b->ms);
	}
}

static inline bool raised(const struct bench *b, enum alarm_id id)
{
	return monitor_alarms(b->monitor)[id].raised;
}

static inline uint64_t count(const struct bench *b, enum alarm_id id)
{
	return monitor_alarms(b->monitor)[id].count;
}

/* Only these two are raised (ALARM_COUNT: none). */
static inline void only(const struct bench *b, enum alarm_id a,
			enum alarm_id other)
{
	for (int i = 0; i < ALARM_COUNT; i++)
		cr_assert_eq(raised(b, (enum alarm_id)i),
			     i == (int)a || i == (int)other, "%s",
			     alarm_name((enum alarm_id)i));
}
