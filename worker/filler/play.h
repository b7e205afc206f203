/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Generates the packets of the filler: tables, PCRs, repeated pictures, silent
 * frames.
 *
 * It copies its arguments, so that later changes do not affect a run; it
 * borrows the tables only while play_new() runs.
 */
#pragma once

#include "worker/filler/picture.h"
#include "worker/filler/si_keeper.h"
#include "worker/filler/silent.h"
#include "worker/ts/psi.h"

/* The longest interval between repetitions of a picture. */
enum { PLAY_LONGEST_MS = 2000 };

struct play;

/* Makes a generator of a whole stream, with tables and SI. */
struct play *play_new(const struct psi *, const struct si_keeper *,
		      uint64_t now_ns);
/* Makes a generator of one program of a multiplex, without tables: the clock
 * has the value base (90 kHz) at now_ns, and pictures have a lower rate. */
struct play *play_new_part(uint64_t base, uint64_t now_ns);
/* Adds PCRs on this PID. */
void play_add_clock(struct play *, uint16_t pid);
void play_free(struct play **);

void play_add_picture(struct play *, const struct picture_keeper *,
		      uint16_t pid, uint8_t stream_type);
void play_add_audio(struct play *, uint16_t pid, uint8_t stream_id,
		    const struct silent *);

/* Makes the time stamps of the PID begin behind this PTS (90 kHz). */
void play_follow_pts(struct play *, uint16_t pid, uint64_t pts);
/* hold true: no further picture begins.  False: pictures begin again, the first
 * one at now_ns at the earliest. */
void play_hold_pictures(struct play *, bool hold, uint64_t now_ns);
/* True if each picture that has begun was sent to its end. */
bool play_is_whole(const struct play *);

/* The approximate rate in packets per second. */
uint64_t play_rate(const struct play *);
/* Limits the rate in packets per second: pictures repeat less often, but at
 * least once in PLAY_LONGEST_MS.  False: the rate is still higher.  True: the
 * rate is within the limit, or there are no pictures. */
bool play_limit(struct play *, uint64_t rate);

/* play_run() generates packets like filler_run(); play_next_ns() returns the
 * time of the next packet. */
void play_run(struct play *, uint64_t now_ns, ts_out_fn *out, void *arg);
uint64_t play_next_ns(struct play *);
