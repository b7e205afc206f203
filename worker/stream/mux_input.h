/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds one PID of another stream to an input: cue messages, teletext, a radio
 * programme.
 *
 * The other stream is read at the ticks of the input.  The input does not wait
 * for it.  At most MUX_TICK packets are added at a tick.  The continuity
 * counter continues when the stream is opened again; losses stay visible.  The
 * time stamps of the other stream belong to another clock.  If that clock is
 * further than MUX_STRAY_MS from the clock of the input, PTS, DTS and the times
 * of cue messages are moved by the difference of both clocks at their arrival.
 * Other sections have no times.
 *
 * Owns the keeper of the other stream.  Borrows the spec.
 */
#pragma once

#include "proto/spec/io_spec.h"
#include "proto/spec/link_stat.h"
#include "worker/remux/remux.h"

enum {
	MUX_TICK = 64,
	/* The most packets that wait for the remux. */
	MUX_KEPT = 1024,
	MUX_STRAY_MS = 100,
	/* The longest wait for the tables and the clock of the other stream. */
	MUX_PATIENCE_MS = 2000,
};

/* The state of the added PID, as the status has it. */
enum mux_input_state {
	MUX_ABSENT, /* no packets of the PID */
	MUX_WAITS, /* tables or clock are unknown, or no PMT lists the PID */
	MUX_JOINED,
};

struct mux_input;

/* The spec must have the option mux. */
struct mux_input *mux_input_new(const struct input_spec *, unsigned position);
void mux_input_free(struct mux_input **);

/* Reads waiting packets; opens the other stream when it is time. */
void mux_input_read(struct mux_input *, uint64_t now_ns);

/* Adds the waiting packets to the remux, in front of these packets of the
 * input. */
void mux_input_join(struct mux_input *, struct remux *,
		    const struct ts_run *runs, size_t n_runs, uint64_t now_ns);

/* Closes the other stream, because the input is closed. */
void mux_input_close(struct mux_input *);

/* Call it once a second: logs errors, and reads the counters. */
void mux_input_second(struct mux_input *, uint64_t now_ns);

/* Writes LINK_MUX_*, counted since mux_input_new(). */
void mux_input_stats(const struct mux_input *, struct link_stats *ret);

/* The reason why no packets are added, or why the PMT of the output does not
 * list their PID; NULL: none. */
const char *mux_input_error(const struct mux_input *);
