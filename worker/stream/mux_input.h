/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One PID of another stream that is added to an input: cue messages, teletext,
 * a radio programme.
 *
 * Its stream is opened beside the input and read at the same ticks; the input
 * does not wait for it.  At most MUX_TICK packets a tick are added.  Its
 * continuity counter continues over a reopening, and losses stay visible.  Its
 * time stamps belong to another clock: where that is further than
 * MUX_STRAY_MS from the clock of the input, PTS and DTS are moved by the
 * difference of the two clocks at their arrival, and the times of cue messages
 * likewise; sections have none.
 *
 * Owns the keeper of the other input.  Borrows the spec.
 */
#pragma once

#include "proto/spec/io_spec.h"
#include "proto/spec/link_stat.h"
#include "worker/remux/remux.h"

enum {
	MUX_TICK = 64,
	/* More packets than this do not wait for the remux. */
	MUX_KEPT = 1024,
	MUX_STRAY_MS = 100,
	/* The longest wait for its tables and its clock. */
	MUX_PATIENCE_MS = 2000,
};

/* As it stands in the status. */
enum mux_input_state {
	MUX_ABSENT, /* no packets of the PID */
	MUX_WAITS, /* for its tables and clock, or no table lists it */
	MUX_JOINED,
};

struct mux_input;

/* spec has a mux. */
struct mux_input *mux_input_new(const struct input_spec *, unsigned position);
void mux_input_free(struct mux_input **);

/* Reads waiting packets; opens the other stream when it is time. */
void mux_input_read(struct mux_input *, uint64_t now_ns);

/* Adds the waiting packets to the remux, in front of the next packets of the
 * input, which are given. */
void mux_input_join(struct mux_input *, struct remux *,
		    const struct ts_run *runs, size_t n_runs, uint64_t now_ns);

/* The input is closed. */
void mux_input_close(struct mux_input *);

/* Once a second. */
void mux_input_second(struct mux_input *, uint64_t now_ns);

/* Its numbers LINK_MUX_*, since mux_input_new(). */
void mux_input_stats(const struct mux_input *, struct link_stats *ret);

/* Why no packets are added, or not announced; NULL: they are. */
const char *mux_input_error(const struct mux_input *);
