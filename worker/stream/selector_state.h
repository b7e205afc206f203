/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a selector is made of; for selector*.c only. */
#pragma once

#include "common/base/ratelimit.h"
#include "worker/filler/filler.h"
#include "worker/splice/splice.h"
#include "worker/stream/selector.h"

#include <string.h>

#define SELECTOR_MS UINT64_C(1000000)

enum still_state {
	STILL_OFF,
	STILL_WATCHED, /* runs, and is to be entered */
	STILL_FLOWS,
	STILL_RESTS,   /* its last units are to end */
};

struct selector {
	ts_out_fn *out;
	void (*on_switch)(const struct selector_switch *, void *arg);
	void *arg;

	size_t n;
	struct input_chain *chains; /* n of them, and maybe the fill behind */
	struct input_chain
		*fill; /* a file that plays when none does; or NULL */
	struct failover *failover; /* NULL: there is no input */
	const struct failover_decision *decision;

	uint64_t now_ns;       /* of this turn */
	struct input_chain *reading; /* whose packets the batch has */
	uint64_t standby_ns;   /* when the standbys are read next */
	bool seen; /* an input chain does not look as it did */

	struct input_chain *playing; /* the policy's; NULL: none */
	struct input_chain *left; /* that played when none began to */
	enum failover_reason reason; /* for it */
	/* of the decision, and what ailed the one before when it was made */
	size_t chosen;
	enum failover_reason chosen_why;
	const char *ailed;     /* NULL: nothing */
	bool filling;          /* the filler is to play instead */

	struct input_chain
		*flowing; /* what is sent comes from it; NULL: nothing */
	unsigned opens;        /* of its source, when it was last sent on */
	struct input_chain *pending; /* to follow it; NULL: none */
	struct input_chain *resting; /* its last units are to end; NULL: none */
	struct splice *splice;
	struct si_versions *si; /* the stream's memory */
	struct filler *still;  /* a picture instead of a file; NULL: none */
	enum still_state still_state;
	struct switch_point *still_entry;

	struct ratelimit switch_log;
	struct ratelimit onair_log;
	bool told_onair;       /* what the log said last, and ... */
	const char *told_fault; /* ... why not; NULL: nothing yet */
	bool was_onair;        /* ever */
	unsigned off_s;        /* so long the chosen one is off air */
	struct batch batch;    /* the last: it is large */
};

/* --- selector_flow.c --- */

/* What an input chain has made of what it read. */
void selector_take(struct selector *, struct input_chain *,
                   const struct ts_run *, size_t n_runs);

/* What the splice has made of it: sent. */
ts_out_fn selector_send;

/* What is due of the filler that is no input chain. */
void selector_run_still(struct selector *);

/* Goes on as the decision says. */
void selector_follow(struct selector *);

/* The input chain whose rest is awaited may be closed when it has come. */
void selector_look_at_rest(struct selector *);

/* --- selector_report.c --- */

void selector_report(struct selector *, struct msg_stream_status *);
