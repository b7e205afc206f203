/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/splice/stage.h"

#include "common/base/alloc.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_MS = 10, TICK_PACKETS = SOURCE_RATE / 1000 * TICK_MS };

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct stage *s = arg;

	s->last = runs[0].data;
	for (size_t i = 0; i < n_runs; i++) {
		size_t len = runs[i].n * TS_PACKET;

		s->packets += runs[i].n;
		if (s->n + len > s->size) {
			s->size = 2 * s->size + len;
			s->data = xrealloc(s->data, s->size);
		}
		memcpy(s->data + s->n, runs[i].data, len);
		s->n += len;
		judge_take(&s->judge, runs[i].data, len,
			   (int64_t)(s->now_ns / 1000 * 27));
	}
}

static struct splice *make(struct stage *s)
{
	return splice_new(&(struct splice_config){
		.out = on_out, .arg = s, .continuity = s->state });
}

void stage_init(struct stage *s)
{
	*s = (struct stage){ .now_ns = 5000 * STAGE_MS };
	s->state = xcalloc(1, sizeof *s->state);
	s->splice = make(s);
	judge_init(&s->judge);
}

void stage_done(struct stage *s)
{
	splice_free(&s->splice);
	judge_done(&s->judge);
	free(s->state);
	free(s->data);
}

void stage_again(struct stage *s)
{
	uint8_t *data = s->data;
	size_t size = s->size;

	s->data = NULL;
	stage_done(s);
	stage_init(s);
	s->data = data;
	s->size = size;
}

void stage_restart(struct stage *s)
{
	splice_free(&s->splice);
	cr_assert(splice_continuity_check(s->state, s->now_ns));
	s->splice = make(s);
}

void stage_wait(struct stage *s, unsigned ms)
{
	s->now_ns += ms * STAGE_MS;
}

void stage_play(struct stage *s, struct source *source, unsigned ms)
{
	for (unsigned i = 0; i < ms / TICK_MS; i++) {
		struct ts_run run = source_make(source, TICK_PACKETS);

		stage_wait(s, TICK_MS);
		splice_feed(s->splice, &run, 1, s->now_ns);
	}
}

void stage_change(struct stage *s, struct source *from, struct source *to,
		  unsigned ms)
{
	struct switch_point *entry = switch_point_new(NULL);
	bool changed = false;

	switch_point_want(entry, 2000, s->now_ns);
	for (unsigned i = 0; i < ms / TICK_MS; i++) {
		struct ts_run old = source_make(from, TICK_PACKETS);
		struct ts_run new = source_make(to, TICK_PACKETS), rest[2];
		size_t n;

		stage_wait(s, TICK_MS);
		if (!changed)
			splice_feed(s->splice, &old, 1, s->now_ns);
		else if (splice_is_draining(s->splice, s->now_ns))
			splice_drain(s->splice, &old, 1, s->now_ns);
		if (changed) {
			splice_feed(s->splice, &new, 1, s->now_ns);
		} else if (switch_point_feed(entry, &new, 1, s->now_ns, rest,
					     &n)) {
			changed = true;
			splice_cut(s->splice, entry, true, s->now_ns);
			splice_feed(s->splice, rest, n, s->now_ns);
		}
	}
	cr_assert(changed);
	switch_point_free(&entry);
}

void stage_assert_flawless(const struct stage *s)
{
	const struct judge *j = &s->judge;
	const char *first = j->n_events > 0 ? j->events[0] : "";

	cr_assert_eq(j->sync + j->tei + j->cc, 0, "%s", first);
	cr_assert_eq(j->discontinuities, 0);
	cr_assert_eq(j->pcr_back + j->pcr_jump, 0, "%s", first);
	cr_assert_eq(j->dts_back + j->dts_late, 0, "%s", first);
	cr_assert_eq(j->cut_short + j->crc, 0, "%s", first);
	cr_assert_eq(j->idle_versions + j->silent_changes, 0, "%s", first);
}
