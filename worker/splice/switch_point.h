/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches a source that is not played yet and says at which packet a stream
 * may change over to it.
 *
 * That is a packet where the tables are known, a PCR has been seen and a
 * picture begins that a decoder can start with (worker/ts/rap: H.264 IDR or
 * recovery point, HEVC IRAP, MPEG-2 sequence header); without video, where an
 * audio frame begins.  When none came for the allowed wait, any PES of the
 * main program will do, and after twice the wait any packet.
 *
 * Feed it while the source stands by, too: then it knows tables and clock when
 * the change is wanted.  Pure.  Owns the tables of what it is fed.
 */
#pragma once

#include "worker/ts/psi.h"

enum { SWITCH_POINT_WAIT_MS = 2000 };

struct switch_point;

struct switch_point *switch_point_new(void);
void switch_point_free(struct switch_point **);

/* The source was opened again: forgets all, and what was begun. */
void switch_point_reset(struct switch_point *);

/* From now on an entry is wanted.  The wait counts from here, or from the
 * first packet when none came yet. */
void switch_point_want(struct switch_point *, unsigned wait_ms,
			uint64_t now_ns);

/* None is wanted any more. */
void switch_point_cancel(struct switch_point *);

/*
 * Takes the next packets.  True when the entry is among them: then the packets
 * from there on are written to ret (room for n_runs) and their number to
 * *ret_n (at least 1), and none is wanted any more.  False while none is.
 */
bool switch_point_feed(struct switch_point *, const struct ts_run *runs,
		       size_t n_runs, uint64_t now_ns, struct ts_run *ret,
		       size_t *ret_n);

/* What was fed at one time counts as if it had come at the other. */
void switch_point_shift(struct switch_point *, uint64_t from_ns,
			uint64_t to_ns);

const struct psi *switch_point_psi(const struct switch_point *);

/* The number of the main program, and how far its PCRs (27 MHz, with wrap) are
 * ahead of the time at which they come, smoothed; false while not known. */
bool switch_point_phase(const struct switch_point *, uint16_t *ret_program,
			uint64_t *ret_phase);
