/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a selector; only for selector*.c. */
#pragma once

#include "common/base/ratelimit.h"
#include "worker/stream/selector.h"

struct selector {
	void (*on_switch)(const struct selector_switch *, void *arg);
	void *arg;

	size_t n;
	/* n inputs, then the filler file, if any */
	struct input_chain *chains;
	struct input_chain *fill; /* the filler file; NULL: none */
	struct filler *filler; /* makes the still picture; NULL: none */
	struct candidate still; /* the state of the still picture */
	/* chooses the input; NULL: no input, or a multiplex */
	struct failover *failover;
	struct mux *mux; /* multiplex of all inputs; NULL: one is on air */
	/* an input chosen by hand is sent even if it stays off air */
	bool forces;
	const struct failover_decision *decision;

	uint64_t now_ns; /* time of this turn */
	uint64_t standby_ns; /* time of the next read of the standby inputs */
	bool changed; /* the state that the policy reads has changed */

	/* the candidate that is sent; NULL: nothing is sent */
	struct candidate *on_air;
	/* the candidate that splice_cut() enters; NULL outside of that call */
	struct candidate *entered;
	/* the candidate whose last units are sent; NULL: none */
	struct candidate *ending;
	/* keeper.opens of the input on air when it was last sent; 0: its
	 * source has not been sent yet */
	unsigned opens;
	/* the input on air before the filler or nothing followed */
	struct input_chain *last;
	enum failover_reason reason; /* why the input on air was chosen */
	/* input of the previous decision */
	size_t chosen;
	/* reason of the previous decision */
	enum failover_reason chosen_reason;
	/* fault of the input that was on air when another one was chosen; NULL:
	 * none */
	const char *left_fault;
	struct splice *splice;
	struct si_versions *si; /* part of the stream's memory */

	struct ratelimit switch_log;
	struct ratelimit onair_log;
	bool logged_onair; /* state in the last line of the log */
	/* reason in that line; NULL: it says `on air', or there is no line */
	const char *logged_fault;
	bool was_onair; /* the stream was on air once since its start */
	unsigned off_s; /* seconds for which the stream is off air */
};

/* The chain of a candidate; NULL for the still picture, and for NULL. */
static inline struct input_chain *selector_chain_of(const struct selector *s,
						    struct candidate *c)
{
	return c != NULL && c != &s->still
		       ? container_of(c, struct input_chain, candidate)
		       : NULL;
}

/* The input on air; NULL: none, or the filler. */
static inline struct input_chain *
selector_input_on_air(const struct selector *s)
{
	if (s->on_air == NULL || s->on_air == &s->still ||
	    (s->fill != NULL && s->on_air == &s->fill->candidate))
		return NULL;
	return container_of(s->on_air, struct input_chain, candidate);
}

/* Switches over as the decision says. */
void selector_follow(struct selector *);

/* Cuts a candidate: no further packet of it is sent. */
void selector_cut(struct selector *, struct candidate *);

/* Writes n_inputs, inputs, chosen, by_hand and filler of the status. */
void selector_report(struct selector *, struct msg_stream_status *);
