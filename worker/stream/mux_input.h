/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One PID of another stream that is added to an input: cue messages, teletext,
 * a radio programme.
 *
 * Its stream is opened beside the input and read at the same ticks, and
 * whatever becomes of it, the input does not wait for it.  It brings at most
 * ASIDE_TICK packets a tick.  Its counter goes on by the distances that came,
 * also when the other stream was opened again.  Its time stamps are those of
 * another clock: where that is further than ASIDE_STRAY_MS from the clock of
 * the input, PTS and DTS are moved by as much as the two are apart at their
 * arrival, and the times of cue messages likewise; sections have none.
 *
 * Owns the other input.  Borrows the spec.
 */
#pragma once

#include "proto/spec/io_spec.h"
#include "proto/spec/link_stat.h"
#include "worker/remux/remux.h"

enum {
	ASIDE_TICK = 64,
	/* What was not taken in time is of no use. */
	ASIDE_KEPT = 1024,
	ASIDE_STRAY_MS = 100,
	/* Its tables and clock are waited for that long. */
	ASIDE_PATIENCE_MS = 2000,
};

/* As it stands in the status. */
enum aside_state {
	ASIDE_ABSENT, /* nothing comes of the PID */
	ASIDE_WAITS, /* for its tables and clock, or no table lists it */
	ASIDE_JOINED,
};

struct aside;

/* spec has a mux. */
struct aside *aside_new(const struct input_spec *, unsigned position);
void aside_free(struct aside **);

/* Reads what there is; opens the other stream when it is time. */
void aside_read(struct aside *, uint64_t now_ns);

/* The packets of the input that go into the remux next: what there is goes in
 * front of them. */
void aside_join(struct aside *, struct remux *, const struct ts_run *runs,
		size_t n_runs, uint64_t now_ns);

/* The input is closed, or another one plays there. */
void aside_close(struct aside *);

/* Once a second. */
void aside_second(struct aside *, uint64_t now_ns);

/* Its numbers LINK_MUX_*, since aside_new(). */
void aside_stats(const struct aside *, struct link_stats *ret);

/* Why nothing is added, or not announced; NULL: all is well. */
const char *aside_trouble(const struct aside *);
