/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A source for the time when every input is down: it repeats the last picture
 * of the stream, with silence.
 *
 * While an input is on air, the filler keeps from the output the tables, the
 * last random access picture of each program's first video (any codec; at most
 * FILLER_PICTURE_MAX bytes) and the parameters of all audio.  While it runs, it
 * generates PAT, PMTs, PCRs, the pictures (large ones less often than
 * FILLER_PICTURES_PER_S) and silent frames of MPEG audio, AAC (ADTS, LATM),
 * AC-3 and E-AC-3, on the PIDs that they had in the output.  It repeats NIT,
 * SDT and present/following EIT every FILLER_SI_MS; other PIDs have no packets.
 * Each start has a new clock: the packets of the filler pass through the splice
 * like those of an input.
 *
 * Pure: the caller provides the time.  Borrows the tables of the output.
 */
#pragma once

#include "worker/ts/psi.h"

enum {
	FILLER_PICTURE_MAX = 1024 * 1024, /* most bytes of a picture */
	FILLER_PICTURES_PER_S = 5,
	FILLER_PCR_MS = 40,     /* interval of the PCRs */
	FILLER_TABLES_MS = 100, /* interval of PAT and PMTs */
	/* Interval of NIT, SDT and EIT; TR 101 290 allows 2 s for SDT (3.5)
	 * and EIT (3.6). */
	FILLER_SI_MS = 1000,
	FILLER_PROGRAMS_MAX = 32,
	FILLER_AUDIO_MAX = 64, /* most audio PIDs that are generated */
	FILLER_TRACKS_MAX = 256, /* most audio PIDs with known parameters */
};

struct filler;

/* Makes a filler.  psi: the tables of the packets of filler_feed(), which the
 * caller keeps up to date; it outlives the filler. */
struct filler *filler_new(const struct psi *);
/* Keeps pictures only of these PIDs: a set with a bit for each PID.  The set
 * outlives the filler; a later change of the set applies only to videos that
 * new tables list. */
void filler_limit(struct filler *, const uint64_t pids[TS_PIDS / 64]);
void filler_free(struct filler **);

/* Takes the packets of an output.  For the filler of a stream: only packets of
 * its inputs, not those of filler_run().  For the filler of a multiplex: those
 * on the PIDs that filler_play() may generate, also the generated ones. */
void filler_feed(struct filler *, const struct ts_run *runs, size_t n_runs);

/* Can the filler run: is a main program known, with a picture of its video, or
 * without video but with audio of a supported coding? */
bool filler_is_ready(const struct filler *);

/* Starts to generate packets now, with a new clock. */
void filler_start(struct filler *, uint64_t now_ns);

/* Stops generating packets, and frees the memory for them. */
void filler_stop(struct filler *);

/* Generates the packets that are due by now_ns and passes them to out().  If no
 * packet is due, does not call out().  A call that is more than a second late
 * skips the missed time. */
void filler_run(struct filler *, uint64_t now_ns, ts_out_fn *out, void *arg);

/* --- a program of a multiplex, whose other programs are on air --- */

struct play;

/* Writes the last PTS (90 kHz; of video the highest one) on a PID of video or
 * audio that filler_feed() has read.  False: no PTS is known. */
bool filler_pts(const struct filler *, uint16_t pid, uint64_t *ret);

/* Makes a generator of pictures, silent audio and PCRs of one program.  number:
 * program_number; pids: the set of PIDs that are generated.  The clock has the
 * value base (90 kHz) at now_ns, and the PTS follow the last ones that
 * filler_feed() has read.  The caller owns the generator.  NULL:
 * filler_has_program() is false. */
struct play *filler_play(const struct filler *, uint16_t number,
			 const uint64_t pids[TS_PIDS / 64], uint64_t base,
			 uint64_t now_ns);
/* True if filler_play() can generate this program: a picture of its video is
 * known, or it has no video, and audio of a supported coding. */
bool filler_has_program(const struct filler *, uint16_t number);

/* The time of the next packet; UINT64_MAX: the filler does not run. */
uint64_t filler_next_ns(const struct filler *);
