/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of several inputs a stream plays: a policy, without I/O and clock.
 *
 * Told what is seen of each input, it answers which one is to be played, why,
 * which ones are to be open, and what is sent while that one brings nothing.
 *
 * - active: the first input that is on air, in the order of the list.  When
 *   the one that plays is not on air for the start delay, the best of the
 *   others takes its place; one further up the list that is on air again for
 *   the return delay takes it back.  Others are watched meanwhile: all that
 *   stand before the one that plays, and behind it the first that is well;
 *   never more than FAILOVER_WATCHED_MAX at once, the rest in turns.
 * - stop: the same, but nothing is sent while none is on air.
 * - passive: the next one, round the list; nothing else is open, and nobody
 *   goes back.
 * - disable: only failover_choose() changes anything.
 *
 * An input that was never on air since it was opened has its initial delay
 * instead of the start delay, unless it is known that it cannot be opened; one
 * that brings packets is judged first.  An
 * input that fails again and again is damped (damper.h): it has to wait until
 * it is taken back; where nothing else is on air it is taken all the same,
 * when it has been well for FAILOVER_STEADY_MS.
 *
 * When no input is on air, the last one stays, whatever it brings; another one
 * that brings at least something takes the place of one that brings nothing.
 *
 * Owns nothing but its memory.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FAILOVER_INPUTS_MAX = 32,
	FAILOVER_WATCHED_MAX = 4, /* open besides the one that plays */
	FAILOVER_TURN_MS = 10000, /* of those that are watched in turns */
	FAILOVER_STEADY_MS = 2000,
	/* So long it may take until one that brings packets is judged. */
	FAILOVER_JUDGE_MS = 2500,
	/* An input that failed is not tried again at once. */
	FAILOVER_RETRY_FIRST_MS = 1000,
	FAILOVER_RETRY_LAST_MS = 16000,
};

enum failover_mode {
	FAILOVER_ACTIVE,
	FAILOVER_STOP,
	FAILOVER_PASSIVE,
	FAILOVER_DISABLE,
};

struct failover_input_config {
	bool valid;       /* its address has a meaning */
	/* It begins when it is opened (a file): it is not watched but tried
	 * when its turn comes. */
	bool cold;
	uint32_t initial_ms;
};

struct failover_config {
	enum failover_mode mode;
	uint32_t start_ms;
	uint32_t return_ms;
	bool no_return;      /* active: stay as long as it is on air */
	bool filler;         /* there is something to send instead */
	uint32_t damping_ms; /* half-life of penalties; 0: never damped */
	size_t first;        /* the input to begin with */
	size_t n_inputs;     /* at least 1 */
	struct failover_input_config inputs[FAILOVER_INPUTS_MAX];
};

/* What is seen of an input. */
enum failover_level {
	FAILOVER_UNKNOWN, /* brings packets, and is not judged yet */
	FAILOVER_DEAD,    /* brings nothing */
	FAILOVER_POOR,    /* brings packets, and is not on air */
	FAILOVER_GOOD,    /* on air */
};

struct failover_sight {
	enum failover_level level;
	bool broken; /* cannot be opened, or was closed by a fault */
	bool ended;  /* a file that is through: it never comes back */
};

/* What is sent until the chosen input brings something. */
enum failover_cover {
	FAILOVER_KEEP,   /* what was sent before, as long as it flows */
	FAILOVER_NOTHING,
	FAILOVER_FILLER,
};

enum failover_reason {
	FAILOVER_START,     /* the first choice */
	FAILOVER_FAULT,     /* the one before was not on air */
	FAILOVER_RETURN,    /* further up the list, and on air again */
	FAILOVER_RECOVERED, /* the one before came back in time */
	FAILOVER_MANUAL,    /* somebody said so */
};

struct failover_decision {
	size_t input;
	enum failover_reason reason;
	enum failover_cover cover;
	/* The input may be entered as soon as it can be; else only when it is
	 * on air. */
	bool enter;
	/* It is to be played although it brings nothing. */
	bool force;
	bool wanted[FAILOVER_INPUTS_MAX]; /* to be open */
	uint64_t next_ns; /* decide again then, if nothing happens before */
};

struct failover;

struct failover *failover_new(const struct failover_config *,
			      uint64_t now_ns);
void failover_free(struct failover **);

/* How input i looks; call it when that changes, or each second.  What is not
 * open is not told. */
void failover_see(struct failover *, size_t i, const struct failover_sight *,
		  uint64_t now_ns);

/*
 * playing: the input whose packets are sent, or FAILOVER_PLAYS_NONE for
 * nothing or the filler.  The decision is valid until the next call.
 */
enum { FAILOVER_PLAYS_NONE = -1 };
const struct failover_decision *failover_decide(struct failover *, int playing,
						uint64_t now_ns);

/* By hand: this input (below n_inputs) from now on.  0, -EPERM when the mode
 * does not know that, -EINVAL when the input cannot be played. */
int failover_choose(struct failover *, size_t i, uint64_t now_ns) MUST_CHECK;

/* The one that would follow by hand: the next valid one, round the list. */
size_t failover_following(const struct failover *, size_t i);

/* For the status. */
unsigned failover_penalty(const struct failover *, size_t i, uint64_t now_ns);
bool failover_is_damped(struct failover *, size_t i, uint64_t now_ns);

/* "start", "fault" … */
const char *failover_reason_name(enum failover_reason);
