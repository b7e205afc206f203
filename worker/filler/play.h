/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Generates the packets of the filler: tables, PCRs, repeated pictures, silent
 * frames.
 *
 * Copies its arguments, so that later changes do not affect a run; borrows the
 * tables for the call of play_new().
 */
#pragma once

#include "worker/filler/picture.h"
#include "worker/filler/si_keeper.h"
#include "worker/filler/silent.h"
#include "worker/ts/psi.h"

enum { PLAY_LONGEST_MS = 2000 };

struct play;

struct play *play_new(const struct psi *, const struct si_keeper *,
		      uint64_t now_ns);
/* Generates a part of a stream, without tables: the clock begins at base (90
 * kHz), and pictures have a lower rate. */
struct play *play_new_part(uint64_t base, uint64_t now_ns);
void play_add_clock(struct play *, uint16_t pid);
void play_free(struct play **);

void play_add_picture(struct play *, const struct picture_keeper *,
		      uint16_t pid, uint8_t stream_type);
void play_add_audio(struct play *, uint16_t pid, uint8_t stream_id,
		    const struct silent *);

/* Lets the time stamps of the PID begin behind this PTS. */
void play_follow_pts(struct play *, uint16_t pid, uint64_t pts);
/* Stops (hold) or resumes the begin of further pictures.  The next picture
 * begins at now_ns at the earliest. */
void play_hold_pictures(struct play *, bool hold, uint64_t now_ns);
/* True if no picture is sent in part. */
bool play_is_whole(const struct play *);

/* The approximate rate in packets per second. */
uint64_t play_rate(const struct play *);
/* Limits the rate in packets per second: pictures repeat less often, but one in
 * PLAY_LONGEST_MS stays.  False: the rate is still higher.  Without pictures
 * there is nothing to limit. */
bool play_limit(struct play *, uint64_t rate);

/* As filler_run() and filler_next_ns(). */
void play_run(struct play *, uint64_t now_ns, ts_out_fn *out, void *arg);
uint64_t play_next_ns(struct play *);
