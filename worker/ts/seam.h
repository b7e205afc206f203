/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One stream without an end, made of passes over the same finite one.
 *
 * From the second pass on the continuity counters of each PID go on, and PCR,
 * PTS and DTS are moved on by what the passes before lasted, so that a decoder
 * sees neither a loss nor a jump where the end meets the beginning.  What
 * jumps inside a pass keeps jumping.
 *
 * Owns a little memory per PID it meets.  Pure.
 */
#pragma once

#include "worker/ts/packet.h"

struct seam;

struct seam *seam_new(void);
void seam_free(struct seam **);

/* Takes the next packet of the pass and changes it in place. */
void seam_feed(struct seam *, uint8_t *packet);

/* The end was reached: what comes is the beginning again. */
void seam_next_pass(struct seam *);
