/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Properties that hold for any inputs. */
#include "tests/unit/rounds.h"
#include "tests/unit/worker/failover/sim.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 60 / ROUNDS_DIVISOR, SECONDS = 1200, QUIET_S = 400 };

/* Numbers that look random and are the same in every run. */
static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Letters that stay for a while, some longer than others. */
static void fill_word(char *word, size_t len, const char *letters,
		      uint32_t *seed)
{
	size_t at = 0, n = strlen(letters);

	while (at < len) {
		char letter = letters[next_random(seed) % n];
		size_t run = 1 + next_random(seed) %
				 (next_random(seed) % 4 ? 5 : 60);

		for (; run > 0 && at < len; run--)
			word[at++] = letter;
	}
	word[len] = '\0';
}

struct story {
	struct sim sim;
	size_t n;
	char words[FAILOVER_INPUTS_MAX][SECONDS + 2];
	unsigned entries[FAILOVER_INPUTS_MAX]; /* by a return */
};

static void tell(struct story *s, const struct failover_config *cfg,
		 const char *letters, uint32_t seed)
{
	s->n = cfg->n_inputs;
	memset(s->entries, 0, sizeof s->entries);
	sim_init(&s->sim, cfg);
	for (size_t i = 0; i < s->n; i++) {
		fill_word(s->words[i], SECONDS, letters, &seed);
		s->sim.words[i] = s->words[i];
	}
}

/* From here on the inputs stay as they are, and one is certainly on air. */
static size_t settle(struct story *s, uint32_t seed)
{
	size_t sound = next_random(&seed) % s->n;

	for (size_t i = 0; i < s->n; i++) {
		s->words[i][SECONDS] = i < sound ? 'D' : 'G';
		s->words[i][SECONDS + 1] = '\0';
	}
	return sound;
}

static void step(struct story *s)
{
	int before = s->sim.playing;

	sim_step(&s->sim);
	if (s->sim.playing >= 0 && s->sim.playing != before &&
	    s->sim.decision->reason == FAILOVER_RETURN)
		s->entries[s->sim.playing]++;
}

static void run(struct story *s, unsigned seconds)
{
	for (unsigned i = 0; i < seconds * 1000 / SIM_STEP_MS; i++)
		step(s);
}

static void config_random(struct failover_config *cfg, uint32_t *seed)
{
	static const enum failover_mode modes[] = { FAILOVER_ACTIVE,
						    FAILOVER_STOP };

	*cfg = sim_config(modes[next_random(seed) % 2],
			  1 + next_random(seed) % 12);
	cfg->start_ms = next_random(seed) % 4 * 1000;
	cfg->loss_ms = cfg->start_ms * (next_random(seed) % 2);
	cfg->return_ms = next_random(seed) % 8 * 1000;
	cfg->damping_ms = next_random(seed) % 3 * 20000;
	cfg->filler = next_random(seed) % 2;
	for (size_t i = 0; i < cfg->n_inputs; i++)
		cfg->inputs[i].cold = next_random(seed) % 8 == 0;
}

Test(failover_holds, ends_with_the_first_input_that_stays_on_air)
{
	struct story *s = calloc(1, sizeof *s);

	for (uint32_t seed = 1; seed <= RUNS; seed++) {
		struct failover_config cfg;
		uint32_t random = seed * 2654435761u;
		size_t sound;

		config_random(&cfg, &random);
		tell(s, &cfg, "GGGDPB", random);
		sound = settle(s, random);
		run(s, SECONDS + QUIET_S);
		cr_assert_eq(s->sim.playing, (int)sound,
			     "seed %u: %d instead of %zu of %zu", seed,
			     s->sim.playing, sound, s->n);
		sim_done(&s->sim);
	}
	free(s);
}

Test(failover_holds, bounds_the_watched_inputs)
{
	struct story *s = calloc(1, sizeof *s);

	for (uint32_t seed = 1; seed <= RUNS; seed++) {
		struct failover_config cfg;
		uint32_t random = seed * 2246822519u;

		config_random(&cfg, &random);
		if (seed % 2) {
			/* many that are on air, and may not yet return */
			cfg = sim_config(FAILOVER_ACTIVE, 32);
			cfg.first = 31;
			cfg.return_ms = 3600 * 1000;
		}
		tell(s, &cfg, "GGDP", random);
		run(s, SECONDS);
		/* the chosen one and one that is still sent instead of it */
		cr_assert_leq(s->sim.open_most, FAILOVER_WATCHED_MAX + 2);
		sim_done(&s->sim);
	}
	free(s);
}

/* How often an input can return that fails each time: before it is damped for
 * the first time, and then once per stretch of damping. */
static unsigned bound_of(const struct failover_config *cfg)
{
	unsigned before = 3 + 1;
	/* from beyond 2500 down to 1000 takes 1.25 half-lives at least */
	unsigned stretch_ms = cfg->damping_ms / 4 * 5;

	return before + SECONDS * 1000 / stretch_ms + 1;
}

Test(failover_holds, chooses_a_flapping_input_no_more_often_than_damping_allows)
{
	struct story *s = calloc(1, sizeof *s);
	unsigned most = 0;

	for (uint32_t seed = 1; seed <= RUNS; seed++) {
		struct failover_config cfg = sim_config(FAILOVER_ACTIVE, 3);
		uint32_t random = seed * 3266489917u;

		cfg.start_ms = 0;
		cfg.return_ms = next_random(&random) % 3 * 1000;
		cfg.damping_ms = 60000;
		tell(s, &cfg, "GD", random);
		/* the last one can be sent meanwhile */
		s->sim.words[2] = "G";
		run(s, SECONDS);
		for (size_t i = 0; i < 2; i++) {
			most = MAX(most, s->entries[i]);
			cr_assert_leq(s->entries[i], bound_of(&cfg),
				      "seed %u: %u times", seed,
				      s->entries[i]);
		}
		sim_done(&s->sim);
	}
	/* there was something to damp */
	cr_assert_gt(most, 3);
	free(s);
}

Test(failover_holds, a_return_is_never_before_the_return_delay)
{
	struct story *s = calloc(1, sizeof *s);

	for (uint32_t seed = 1; seed <= RUNS; seed++) {
		struct failover_config cfg = sim_config(FAILOVER_ACTIVE, 4);
		uint32_t random = seed * 668265263u;
		uint64_t good_since[FAILOVER_INPUTS_MAX] = { 0 };

		cfg.return_ms = 5000;
		tell(s, &cfg, "GGDP", random);
		for (unsigned k = 0; k < SECONDS * 10; k++) {
			int before = s->sim.playing;

			step(s);
			for (size_t i = 0; i < s->n; i++)
				if (sim_letter(&s->sim, i) != 'G')
					good_since[i] = s->sim.now_ms;
			if (s->sim.playing < 0 || s->sim.playing == before ||
			    s->sim.decision->reason != FAILOVER_RETURN)
				continue;
			cr_assert_geq(s->sim.now_ms -
					      good_since[s->sim.playing],
				      cfg.return_ms);
		}
		sim_done(&s->sim);
	}
	free(s);
}

/* The output has a picture as long as one of the watched inputs has one, except
 * the time that the delays allow. */
Test(failover_holds, sends_an_input_on_air_instead_of_one_off_air)
{
	struct story *s = calloc(1, sizeof *s);

	for (uint32_t seed = 1; seed <= RUNS; seed++) {
		struct failover_config cfg = sim_config(FAILOVER_ACTIVE, 2);
		uint32_t random = seed * 374761393u;
		unsigned bad_ms = 0;

		tell(s, &cfg, "GD", random);
		s->sim.words[1] = "G";
		for (unsigned k = 0; k < SECONDS * 10; k++) {
			step(s);
			if (sim_letter(&s->sim, (size_t)s->sim.playing) ==
			    'G')
				bad_ms = 0;
			else
				bad_ms += SIM_STEP_MS;
			cr_assert_leq(bad_ms, cfg.inputs[0].initial_ms +
						      SIM_STEP_MS);
		}
		sim_done(&s->sim);
	}
	free(s);
}
