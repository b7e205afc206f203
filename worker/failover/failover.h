/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides which of several inputs a stream sends: a policy without I/O and
 * clock.
 *
 * From the state of each input it decides which input is sent and why, which
 * inputs are open, and the output while the chosen input has no packets.
 *
 * - active: the first input of the list that is on air.  When the input that
 *   is sent has been off air for the start delay, the first of the others that
 *   is on air follows.  When it has no packets, or lost packets in a pause (a
 *   hole), the delay is loss_ms.  An input further up the list that has been on
 *   air for the return delay without a hole takes over again.  Open as well
 *   are all inputs in front of the chosen one and, behind it, those up to the
 *   first that is on air or may be soon; at most FAILOVER_WATCHED_MAX at once,
 *   the others in turns.  Cold inputs are not opened before they are chosen.
 * - stop: the same, but nothing is sent while no input is on air.
 * - passive: the next input, round the list.  Only the chosen input is open,
 *   and the stream does not return by itself.
 * - disable: only failover_choose() changes the input.
 *
 * An input that was never on air since it was opened has its initial delay
 * instead of the start delay, unless it is known that it cannot be opened; an
 * input that delivers packets is judged first.  An input that fails repeatedly
 * is damped (damper.h): for some time it is not chosen.  A damped input that is
 * sent is left without a delay.  Where no other input is on air, a damped input
 * is chosen after FAILOVER_STEADY_MS on air.
 *
 * An input that loses packets again and again, without pauses, is left as for a
 * hole, but only for an input that lost none for FAILOVER_CLEAN_MS.
 *
 * An input whose packets ceased is left for any input that is on air, whatever
 * its holes and its damping, and for an input that was on air and has packets
 * again: that one is judged while it is sent.
 *
 * In the modes active and stop, when no input is on air, the last one stays
 * chosen.  In the mode active without a filler an input with packets replaces
 * an input without.  A filler ends when the chosen input is on air, or was on
 * air and has packets again.
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
	FAILOVER_WATCHED_MAX = 4, /* open besides the chosen input */
	/* least time for which an input is watched in its turn */
	FAILOVER_TURN_MS = 10000,
	/* A damped input is chosen only after this time on air. */
	FAILOVER_STEADY_MS = 2000,
	/* For this time after a hole an input replaces only an input that is
	 * off air. */
	FAILOVER_HOLE_MS = 1000,
	/* An input that loses packets again and again is left for another one
	 * that was on air without any loss for this time. */
	FAILOVER_CLEAN_MS = 10000,
	/* The longest time until an input with packets is judged. */
	FAILOVER_JUDGE_MS = 2500,
	/* An input that was replaced because it failed is tried again after
	 * this time, which doubles with each failure up to
	 * FAILOVER_RETRY_LAST_MS. */
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
	bool valid;       /* the address is valid */
	/* The input begins to play when it is opened, as a file does.  So it is
	 * opened only when it is chosen, and not watched before. */
	bool cold;
	/* initial delay: time that a new input has to get on air */
	uint32_t initial_ms;
};

struct failover_config {
	enum failover_mode mode;
	/* start delay: time off air until another input follows */
	uint32_t start_ms;
	/* start delay without packets, after a hole or with repeated losses; at
	 * most start_ms counts */
	uint32_t loss_ms;
	uint32_t return_ms; /* return delay: time on air before the return */
	bool no_return;      /* active: an input stays while it is on air */
	bool filler;         /* a filler is sent if no input is on air */
	uint32_t damping_ms; /* half-life of penalties; 0: never damped */
	size_t first;        /* the input that is chosen at the start */
	/* an operator chose `first'; not for active, stop */
	bool by_hand;
	size_t n_inputs;     /* at least 1 */
	struct failover_input_config inputs[FAILOVER_INPUTS_MAX];
};

/* The state of an input. */
enum failover_level {
	FAILOVER_UNKNOWN, /* has packets, and is not judged yet */
	FAILOVER_DEAD,    /* has no packets */
	FAILOVER_POOR,    /* has packets, and is off air */
	FAILOVER_GOOD,    /* is on air */
};

struct failover_sight {
	enum failover_level level;
	bool broken; /* cannot be opened, or was closed by an error */
	bool ended;  /* a file without loop was read to its end */
	/* packets were lost in a pause, or the clock (PCR) stood still, since
	 * the last failover_see() */
	bool hole;
	bool loss;   /* packets were lost since the last failover_see() */
	/* the last loss is one of repeated losses (loss_window.h) */
	bool lossy;
	/* The input was on air, its packets ceased, and it has packets again,
	 * which are not judged yet. */
	bool fresh;
};

/* The packets that are sent until the stream enters the chosen input. */
enum failover_cover {
	FAILOVER_KEEP,   /* the previous input, as long as it delivers */
	FAILOVER_NOTHING,
	FAILOVER_FILLER,
};

enum failover_reason {
	FAILOVER_START,     /* the first choice */
	FAILOVER_FAULT,     /* the previous input was off air or lost packets */
	FAILOVER_RETURN,    /* an input further up the list is on air again */
	FAILOVER_RECOVERED, /* the previous input recovered in time */
	FAILOVER_MANUAL,    /* a command chose the input */
	FAILOVER_FAILED,    /* a command chose an input that cannot be on air */
};

struct failover_decision {
	size_t input;
	enum failover_reason reason;
	enum failover_cover cover;
	/* The stream may enter the input as soon as it can be decoded; false:
	 * only when it is on air. */
	bool enter;
	/* The input is sent although it is off air. */
	bool force;
	bool wanted[FAILOVER_INPUTS_MAX]; /* inputs that shall be open */
	uint64_t next_ns; /* the latest time of the next decision */
};

struct failover;

struct failover *failover_new(const struct failover_config *,
			      uint64_t now_ns);
void failover_free(struct failover **);

/* Takes the state of an open input i: when it changes, or every second. */
void failover_see(struct failover *, size_t i, const struct failover_sight *,
		  uint64_t now_ns);

/* Makes the next decision.  playing: the input whose packets are sent;
 * FAILOVER_PLAYS_NONE: nothing, or the filler.  The decision is valid until the
 * next call. */
enum { FAILOVER_PLAYS_NONE = -1 };
const struct failover_decision *failover_decide(struct failover *, int playing,
						uint64_t now_ns);

/* Chooses an input, below n_inputs, by a command.  0; -EPERM: the mode chooses
 * by itself; -EINVAL: its address is not valid, or its file has ended. */
int failover_choose(struct failover *, size_t i, uint64_t now_ns) MUST_CHECK;

/* The input that the command to switch chooses: behind i, round the list, the
 * first with a valid address whose file has not ended; i: there is none. */
size_t failover_following(const struct failover *, size_t i);

/* The time at which an input that is not on air is sent all the same
 * (FAILOVER_DISABLE) or replaced (other modes); UINT64_MAX: it is on air. */
uint64_t failover_due_ns(const struct failover *, size_t i);

/* The current penalty of input i (damper.h), for the status. */
unsigned failover_penalty(const struct failover *, size_t i, uint64_t now_ns);
/* Nanoseconds until damping ends if the input does not fail again; 0: it is not
 * damped, or no other input could follow or return. */
uint64_t failover_damped_ns(struct failover *, size_t i, uint64_t now_ns);

/* The name of a reason in the API: "start", "fault" … */
const char *failover_reason_name(enum failover_reason);
