/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A source that stands in when every input is down: the last picture that the
 * stream showed, again and again, with silence.
 *
 * While the stream plays it learns from what goes out: the tables, the last
 * random access picture of each program's first video (any codec; at most
 * FILLER_PICTURE_MAX bytes), and the parameters of all audio.  While it runs
 * it makes PAT, PMTs, PCRs, the pictures at FILLER_PICTURES_PER_S and silent
 * frames of MPEG audio, AAC (ADTS, LATM), AC-3 and E-AC-3, on the same PIDs;
 * other PIDs are silent.  Its clock begins anew with each start: it goes
 * through the splice as any other source does.
 *
 * Pure: time is what the caller says.  Borrows the tables of what goes out.
 */
#pragma once

#include "worker/ts/psi.h"

enum {
	FILLER_PICTURE_MAX = 1024 * 1024,
	FILLER_PICTURES_PER_S = 5,
	FILLER_PCR_MS = 40,
	FILLER_TABLES_MS = 100,
	FILLER_PROGRAMS_MAX = 32,
	FILLER_AUDIO_MAX = 64, /* tracks */
};

struct filler;

/* psi follows what filler_feed() is given, and outlives the filler. */
struct filler *filler_new(const struct psi *);
void filler_free(struct filler **);

/* What goes out while an input plays.  Not to be fed with its own. */
void filler_feed(struct filler *, const struct ts_run *runs, size_t n_runs);

/* Is enough known to make something of it: a main program with a picture, or
 * with audio that can be silenced? */
bool filler_is_ready(const struct filler *);

/* It begins to play now. */
void filler_start(struct filler *, uint64_t now_ns);

/* It plays no more: gives back what it needed for that. */
void filler_stop(struct filler *);

/* Makes what is due by now_ns and hands it to out(), if it is anything.  What
 * a late call brings together is bounded: time that was missed by more than a
 * second is passed over. */
void filler_run(struct filler *, uint64_t now_ns, ts_out_fn *out, void *arg);

/* When something is due next. */
uint64_t filler_next_ns(const struct filler *);
