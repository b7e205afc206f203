/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/failover/sim.h"

#include <criterion/criterion.h>
#include <string.h>

struct failover_config sim_config(enum failover_mode mode, size_t n_inputs)
{
	struct failover_config cfg = {
		.mode = mode,
		.start_ms = 1000,
		.loss_ms = 1000,
		.return_ms = 3000,
		.n_inputs = n_inputs,
	};

	for (size_t i = 0; i < n_inputs; i++)
		cfg.inputs[i] = (struct failover_input_config){
			.valid = true,
			.initial_ms = 2000,
		};
	return cfg;
}

static uint64_t now_ns(const struct sim *s)
{
	return (SIM_START_MS + s->now_ms) * SIM_MS;
}

static void decide(struct sim *s)
{
	size_t n = 0;

	s->decision = failover_decide(s->failover, s->playing, now_ns(s));
	for (size_t i = 0; i < s->cfg.n_inputs; i++) {
		if (s->decision->wanted[i] && !s->open[i])
			s->opened_ms[i] = s->now_ms;
		s->open[i] = s->decision->wanted[i];
		n += s->open[i];
	}
	s->open_most = MAX(s->open_most, n);
	cr_assert(s->decision->wanted[s->decision->input]);
	cr_assert_gt(s->decision->next_ns, now_ns(s));
}

char sim_letter(const struct sim *s, size_t i)
{
	const char *word = s->words[i];

	return word[MIN(s->now_ms / 1000, strlen(word) - 1)];
}

static struct failover_sight look(const struct sim *s, size_t i)
{
	char letter = sim_letter(s, i);
	bool young = s->now_ms - s->opened_ms[i] < SIM_JUDGE_MS;
	struct failover_sight sight = { .broken = letter == 'B',
					.ended = letter == 'E' };

	if (letter == 'B' || letter == 'E')
		sight.level = FAILOVER_DEAD;
	else if (young && letter != 'D')
		sight.level = FAILOVER_UNKNOWN;
	else
		sight.level = letter == 'G'   ? FAILOVER_GOOD
			      : letter == 'P' ? FAILOVER_POOR
					      : FAILOVER_DEAD;
	return sight;
}

static void plays(struct sim *s, int playing, char letter)
{
	if (playing >= 0)
		s->reasons[s->switches++ % SIM_SECONDS_MAX] =
			s->decision->reason;
	s->playing = playing;
	s->plays = letter;
}

/* As the path does it, with a picture to begin with at every moment. */
static void carry_out(struct sim *s)
{
	int to = (int)s->decision->input;
	char letter = sim_letter(s, s->decision->input);
	bool brings = letter == 'G' || letter == 'P';

	if (s->playing != to &&
	    ((s->decision->enter && brings) || s->decision->force)) {
		plays(s, to, (char)('0' + to));
		decide(s);
	} else if (s->decision->cover != FAILOVER_KEEP) {
		plays(s, FAILOVER_PLAYS_NONE,
		      s->decision->cover == FAILOVER_FILLER ? 'F' : '.');
		decide(s);
	}
}

void sim_init(struct sim *s, const struct failover_config *cfg)
{
	*s = (struct sim){ .cfg = *cfg, .playing = FAILOVER_PLAYS_NONE };
	for (size_t i = 0; i < cfg->n_inputs; i++)
		s->words[i] = "G";
	s->failover = failover_new(cfg, now_ns(s));
	decide(s);
	s->playing = (int)s->decision->input;
	s->plays = (char)('0' + s->playing);
	decide(s);
}

void sim_done(struct sim *s)
{
	failover_free(&s->failover);
}

void sim_step(struct sim *s)
{
	s->now_ms += SIM_STEP_MS;
	for (size_t i = 0; i < s->cfg.n_inputs; i++) {
		struct failover_sight sight = look(s, i);

		if (s->open[i])
			failover_see(s->failover, i, &sight, now_ns(s));
	}
	decide(s);
	carry_out(s);
	/* as it is when the second ends */
	if ((s->now_ms + SIM_STEP_MS) % 1000 == 0 &&
	    s->now_ms / 1000 < SIM_SECONDS_MAX)
		s->played[s->now_ms / 1000] = s->plays;
}

void sim_run(struct sim *s, unsigned seconds)
{
	for (unsigned i = 0; i < seconds * 1000 / SIM_STEP_MS; i++)
		sim_step(s);
}
