/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A data path that consists only of its policy, in simulated time.  A word
 * describes an input, one letter a second (the last one stays):  G on air, P
 * packets that are not on air, D nothing, B cannot be opened, E the end of a
 * file.  The output is recorded the same way: the number of the input from 0,
 * '.' no input on purpose, 'F' the filler.
 */
#pragma once

#include "worker/failover/failover.h"

#define SIM_MS UINT64_C(1000000)

enum {
	SIM_STEP_MS = 100,
	SIM_JUDGE_MS = 1000,  /* after the opening, until a level is known */
	SIM_SECONDS_MAX = 4096,
	SIM_START_MS = 987654,
};

struct sim {
	struct failover_config cfg;
	struct failover *failover;
	const struct failover_decision *decision;
	const char *words[FAILOVER_INPUTS_MAX];
	uint64_t now_ms;       /* since the start */
	int playing;           /* an input, or FAILOVER_PLAYS_NONE */
	char plays;            /* as it is noted */
	uint64_t opened_ms[FAILOVER_INPUTS_MAX];
	bool open[FAILOVER_INPUTS_MAX];
	size_t open_most;      /* at once */
	unsigned switches;
	enum failover_reason reasons[SIM_SECONDS_MAX]; /* of the switches */
	char played[SIM_SECONDS_MAX + 1];
};

/* Two delays of a second, no damping, three inputs that are up. */
struct failover_config sim_config(enum failover_mode, size_t n_inputs);

void sim_init(struct sim *, const struct failover_config *);
void sim_done(struct sim *);

void sim_step(struct sim *);
/* To the end of so many more seconds. */
void sim_run(struct sim *, unsigned seconds);

/* The letter of input i now. */
char sim_letter(const struct sim *, size_t i);
