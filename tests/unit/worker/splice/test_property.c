/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any events of a stream, in any order: counters continue except for lost
 * packets, clocks and units never go back.
 */
#include "tests/unit/rounds.h"
#include "tests/unit/worker/splice/stage.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { ROUNDS = 60 / ROUNDS_DIVISOR, STEPS = 20, SOURCES = 4 };

struct world {
	uint32_t seed;
	struct stage stage;
	struct source *sources[SOURCES];
	size_t active;
	uint64_t lost;   /* times that packets were lost where nothing is cut */
	uint64_t silent; /* times that nothing came for long */
	uint64_t cut;    /* times that a source ended without a word */
};

static uint32_t draw(struct world *w, uint32_t below)
{
	w->seed ^= w->seed << 13;
	w->seed ^= w->seed >> 17;
	w->seed ^= w->seed << 5;
	return w->seed % below;
}

static void renew(struct world *w, size_t i)
{
	uint64_t start = (uint64_t)draw(w, UINT32_MAX) << 1 | draw(w, 2);

	/* near the wrap at first, then anywhere else: a source that restarts
	 * with the expected time has not restarted */
	if (w->sources[i] == NULL && draw(w, 3) == 0)
		start = (UINT64_C(1) << 33) - draw(w, 1000000);
	free(w->sources[i]);
	w->sources[i] = source_new(start);
	w->sources[i]->lead_ms = 300 + draw(w, 900);
	w->sources[i]->gop = 4 + draw(w, 40);
	w->sources[i]->first_cc = (uint8_t)draw(w, 16);
	w->sources[i]->no_audio = draw(w, 8) == 0;
	source_skip(w->sources[i], draw(w, 3000));
}

static void step(struct world *w)
{
	struct source *now = w->sources[w->active];
	size_t next = (w->active + 1 + draw(w, SOURCES - 1)) % SOURCES;
	unsigned gap = SPLICE_SILENCE_MS + 10 + draw(w, 3000);

	switch (draw(w, 7)) {
	case 0: /* as planned, with a living source before */
	case 1:
		stage_change(&w->stage, now, w->sources[next], 3500);
		w->active = next;
		return;
	case 2: /* it died; the next one is unchanged */
		stage_wait(&w->stage, gap);
		splice_cut(w->stage.splice, NULL, false, w->stage.now_ns);
		w->active = next;
		w->silent++;
		w->cut++;
		break;
	case 3: /* it restarts */
		renew(w, w->active);
		stage_wait(&w->stage, gap);
		w->silent++;
		w->cut++;
		break;
	case 4: /* the worker dies */
		stage_restart(&w->stage);
		source_skip(now, gap);
		stage_wait(&w->stage, gap);
		w->silent++;
		w->cut++;
		break;
	case 5: /* the network loses packets */
		source_skip(now, 1 + draw(w, 60));
		w->lost++;
		w->cut++;
		break;
	default:
		break;
	}
	stage_play(&w->stage, w->sources[w->active], 500 + draw(w, 2000));
}

static void run(uint32_t seed)
{
	struct world w = { .seed = seed };
	const struct judge *j = &w.stage.judge;
	const char *first;

	stage_init(&w.stage);
	for (size_t i = 0; i < SOURCES; i++)
		renew(&w, i);
	stage_play(&w.stage, w.sources[0], 1500);
	for (int i = 0; i < STEPS; i++)
		step(&w);
	first = j->n_events > 0 ? j->events[j->n_events - 1] : "";
	cr_assert_eq(j->sync + j->tei + j->discontinuities + j->crc, 0,
		     "seed %u: %s", seed, first);
	/* of four PIDs each */
	cr_assert_leq(j->cc, 4 * w.lost, "seed %u: %ju of %ju", seed,
		      (uintmax_t)j->cc, (uintmax_t)w.lost);
	cr_assert_eq(j->pcr_back + j->dts_back, 0, "seed %u: %s", seed, first);
	cr_assert_leq(j->pcr_jump, w.silent + w.lost, "seed %u: %s", seed,
		      first);
	cr_assert_leq(j->cut_short, 2 * w.cut, "seed %u: %s", seed, first);
	/* at most 1.2 s by itself, 1 s lifted, 3 s without a PCR before */
	cr_assert_lt(j->lead_max, 27000 * 5300, "seed %u: %s", seed, first);
	stage_done(&w.stage);
	for (size_t i = 0; i < SOURCES; i++)
		free(w.sources[i]);
}

Test(property, cuts_of_all_kinds_in_any_order, .timeout = 120)
{
	for (uint32_t i = 1; i <= ROUNDS; i++)
		run(i * 2654435761U);
}
