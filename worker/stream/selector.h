/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inputs of a stream, and which of them it plays.
 *
 * Owns the input chains, the policy (worker/failover) and the splice that
 * makes one stream of what comes from one input after another.  The input that
 * plays is read at every turn, and so is the one that is to follow it; the
 * others that the policy wants to be open are read every SELECTOR_STANDBY_MS,
 * which is enough to judge them.  An input that cannot be opened, or that
 * delivers nothing, does not delay the others.
 *
 * Make before break: what played goes on until the next one can be entered
 * (worker/splice/switch_point), as long as it flows.
 *
 * No loop and no clock: the path calls selector_turn() when selector_next_ns()
 * says so, or packets wait.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "proto/spec/stream_spec.h"
#include "worker/stream/input_chain.h"
#include "worker/stream/memory.h"

enum {
	SELECTOR_STANDBY_MS = 40,
	/* How long one that still flows goes on until there is a picture to
	 * begin the next one with. */
	SELECTOR_PATIENCE_MS = 5000,
};

struct selector;

/* From one input to another; 0 stands for none. */
struct selector_switch {
	unsigned from, to;
	enum failover_reason reason;
	const char *fault; /* of `from`; NULL: it had none */
	bool filler;       /* `to` is 0: the filler plays */
};

struct selector_config {
	const struct msg_stream_start *start; /* borrowed for the call */
	const struct stream_spec *spec;       /* borrowed for the call */
	struct stream_memory *memory;         /* outlives the selector */
	uint64_t now_ns;
	/* What is to be sent; the runs are borrowed. */
	ts_out_fn *out;
	void (*on_switch)(const struct selector_switch *, void *arg);
	void *arg;
};

struct selector *selector_new(const struct selector_config *);
void selector_free(struct selector **);

/* The ring of another stream, for the inputs that read it; fd stays the
 * caller's, -1: it has none any more. */
void selector_link(struct selector *, const char *stream, int fd);

/* Reads, decides, changes over.  Calls out() and on_switch(). */
void selector_turn(struct selector *, uint64_t now_ns);

/* Does something come that is to be looked at every tick? */
bool selector_is_busy(const struct selector *);

/* When it is not busy: what is readable when it has to be looked at, or -1. */
int selector_fd(const struct selector *);

/* When it is not busy: the turn at the latest. */
uint64_t selector_next_ns(const struct selector *, uint64_t now_ns);

/* Ends the second and writes n_inputs and inputs of the status. */
void selector_second(struct selector *, uint64_t now_ns,
		     struct msg_stream_status *status);

/* Is what is sent the only input, byte for byte?  It is no more, once a cut
 * had to be mended. */
bool selector_is_relay(const struct selector *);

/* The input at this position, NULL when there is none. */
const struct input_chain *selector_chain(const struct selector *,
                                         unsigned position);

/* What the next turn will touch, if nothing changes. */
void selector_warm(const struct selector *, struct warm *);

/* The tables of what is sent; borrowed for the life of the selector. */
const struct psi *selector_psi(const struct selector *);

/*
 * By hand: this input, or the next one for 0.  Its position, -EPERM when the
 * stream's backup_type does not know that, -EINVAL when it is none that can be
 * played; why is written then.
 */
int selector_choose(struct selector *, unsigned position, uint64_t now_ns,
		    struct errmsg *why) MUST_CHECK;
