/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a failover; only for failover*.c. */
#pragma once

#include "common/base/units.h"
#include "worker/failover/damper.h"
#include "worker/failover/failover.h"

struct input {
	struct failover_input_config cfg;
	bool open;         /* wanted[] in the last decision */
	struct failover_sight sight;
	/* was on air at some time since it was opened or chosen */
	bool was_good;
	/* was not on air when its initial delay ended, cannot be opened, or is
	 * off air again; cleared when it gets on air */
	bool known_bad;
	uint64_t opened_ns; /* time at which it was opened or chosen */
	uint64_t good_ns;  /* start of the time on air, while it is on air */
	uint64_t bad_ns;   /* start of the time off air, while it is off air */
	bool delivered;    /* had packets since it was opened */
	uint64_t dead_ns;  /* time when its packets ceased, while delivered */
	uint64_t hole_ns;  /* time of the last hole; 0: none */
	uint64_t holes_ns; /* start of the last series of holes */
	uint64_t loss_ns;  /* time of the last loss; 0: none */
	/* time of the last loss that was one of repeated losses
	 * (loss_window.h); 0: never */
	uint64_t lossy_ns;
	uint64_t lossies_ns; /* start of the last series of repeated losses */
	uint64_t failed_ns; /* time of the last failure, or of the start */
	/* time at which it last recovered before the next input was entered;
	 * 0: not yet */
	uint64_t stayed_ns;
	/* failures since it was on air or was chosen by a command */
	unsigned failures;
	struct damper damper;
};

struct failover {
	struct failover_config cfg;
	struct failover_decision decision;
	struct input inputs[FAILOVER_INPUTS_MAX];
	size_t turn;      /* index of the first input of the current turn */
	size_t next_turn; /* index of the first input of the next turn */
	/* end of the current turn; UINT64_MAX: no input waits for a turn */
	uint64_t turn_end_ns;
};

static inline bool watches(const struct failover *f)
{
	return f->cfg.mode == FAILOVER_ACTIVE || f->cfg.mode == FAILOVER_STOP;
}

static inline bool is_usable(const struct input *in)
{
	return in->cfg.valid && !in->sight.ended;
}

static inline bool is_good(const struct input *in)
{
	return in->open && in->sight.level == FAILOVER_GOOD;
}

/* The time at which the initial delay of the input ends. */
static inline uint64_t initial_ns(const struct input *in)
{
	uint64_t ms = in->cfg.initial_ms;

	if (in->sight.level == FAILOVER_UNKNOWN)
		ms = MAX(ms, (uint64_t)FAILOVER_JUDGE_MS);
	return in->opened_ns + ms * MS;
}

static inline uint64_t retry_ns(const struct input *in)
{
	uint64_t ms = FAILOVER_RETRY_FIRST_MS;

	if (in->failures == 0)
		return 0;
	ms <<= MIN(in->failures - 1, 8U);
	return in->failed_ns + MIN(ms, (uint64_t)FAILOVER_RETRY_LAST_MS) * MS;
}

/* True if the input is closed and may be opened now. */
static inline bool may_try(const struct input *in, uint64_t now_ns)
{
	return !in->open && is_usable(in) && now_ns >= retry_ns(in);
}

/* Decides which inputs are open. */
void failover_watch(struct failover *, int playing, uint64_t now_ns);
