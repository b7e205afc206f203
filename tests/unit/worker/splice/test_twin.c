/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A switch between two inputs that receive the same packets, as one multicast
 * on two paths. */
#include "tests/unit/worker/splice/stage.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_MS = 10, TICK_PACKETS = SOURCE_RATE / 1000 * TICK_MS };

struct scene {
	struct stage stage;
	struct source *from, *to;
	struct switch_point *entry;
	bool changed;
};

static void tick(struct scene *s)
{
	struct stage *st = &s->stage;
	struct ts_run old = source_make(s->from, TICK_PACKETS);
	struct ts_run new = source_make(s->to, TICK_PACKETS), rest[2];
	size_t n;

	stage_wait(st, TICK_MS);
	if (!s->changed)
		splice_feed(st->splice, &old, 1, st->now_ns);
	else if (splice_is_draining(st->splice, st->now_ns))
		splice_drain(st->splice, &old, 1, st->now_ns);
	if (s->changed) {
		splice_feed(st->splice, &new, 1, st->now_ns);
	} else if (switch_point_feed(s->entry, &new, 1, st->now_ns, rest,
				     &n)) {
		s->changed = true;
		splice_cut(st->splice, s->entry, true, st->now_ns);
		splice_feed(st->splice, rest, n, st->now_ns);
	}
}

/* Plays one, and from a random access point on the other, which is `lag`
 * packets behind (below 0: ahead). */
static void play(struct scene *s, struct source *from, struct source *to,
		 int lag)
{
	*s = (struct scene){ .from = from, .to = to,
			     .entry = switch_point_new(NULL) };
	stage_init(&s->stage);
	source_skip(lag > 0 ? from : to, (size_t)abs(lag));
	for (unsigned i = 0; i < 300; i++)
		tick(s);
	switch_point_want(s->entry, 2000, s->stage.now_ns);
	for (unsigned i = 0; i < 300; i++)
		tick(s);
	cr_assert(s->changed);
}

static void end(struct scene *s)
{
	switch_point_free(&s->entry);
	stage_done(&s->stage);
	free(s->from);
	free(s->to);
}

/* The payload of a PID, with the times in it. */
static size_t payload(const uint8_t *data, size_t len, uint16_t pid,
		      uint8_t *ret)
{
	size_t n = 0;

	for (size_t at = 0; at < len; at += TS_PACKET) {
		const uint8_t *p = data + at;
		size_t from = ts_payload_offset(p);

		if (ts_pid(p) != pid || !ts_has_payload(p))
			continue;
		memcpy(ret + n, p + from, TS_PACKET - from);
		n += TS_PACKET - from;
	}
	return n;
}

/* Is the stream of the PID that of a source without a switch? */
static bool is_whole(const struct scene *s, uint64_t start, size_t skipped,
		     uint16_t pid)
{
	const struct stage *st = &s->stage;
	size_t most = st->n / TS_PACKET + 100;
	uint8_t *ours = malloc(st->n), *theirs = malloc(most * TS_PACKET);
	uint8_t *data = malloc(most * TS_PACKET);
	struct source *alone = source_new(start);
	size_t n, n_theirs, made = 0;
	bool same;

	source_skip(alone, skipped);
	while (made < most) {
		size_t part = most - made < 1000 ? most - made : 1000;

		memcpy(data + made * TS_PACKET,
		       source_make(alone, part).data, part * TS_PACKET);
		made += part;
	}
	n = payload(st->data, st->n, pid, ours);
	n_theirs = payload(data, most * TS_PACKET, pid, theirs);
	same = n > 0 && n_theirs >= n && memcmp(ours, theirs, n) == 0;
	free(ours);
	free(theirs);
	free(data);
	free(alone);
	return same;
}

Test(twin, a_switch_repeats_no_unit_and_moves_no_time)
{
	static const int lags[] = { 0, 1, 7, 20, 55, 85,
				    -1, -7, -20, -55, -85 };

	for (size_t i = 0; i < sizeof lags / sizeof lags[0]; i++) {
		size_t skipped = lags[i] > 0 ? (size_t)lags[i] : 0;
		struct scene s;

		play(&s, source_new(900000), source_new(900000), lags[i]);
		stage_assert_flawless(&s.stage);
		cr_expect(is_whole(&s, 900000, skipped, SOURCE_VIDEO),
			  "pictures, %d packets behind", lags[i]);
		cr_expect(is_whole(&s, 900000, skipped, SOURCE_AUDIO),
			  "sound, %d packets behind", lags[i]);
		end(&s);
	}
}

/* The same times, but not the same packets: entered at a picture that decodes,
 * which may repeat one. */
Test(twin, a_source_with_the_same_clock_alone_is_none)
{
	struct source *to = source_new(900000);
	struct scene s;

	to->first_cc = 5;
	play(&s, source_new(900000), to, 0);
	stage_assert_flawless(&s.stage);
	cr_assert_not(is_whole(&s, 900000, 0, SOURCE_VIDEO));
	end(&s);
}
