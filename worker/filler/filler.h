/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A source for the time when every input is down: it repeats the last picture
 * of the stream, with silence.
 *
 * While an input is on air, the filler keeps from the output the tables, the
 * last random access picture of each program's first video (any codec; at most
 * FILLER_PICTURE_MAX bytes) and the parameters of all audio.  While it runs, it
 * generates PAT, PMTs, PCRs, the pictures at FILLER_PICTURES_PER_S and silent
 * frames of MPEG audio, AAC (ADTS, LATM), AC-3 and E-AC-3, on the same PIDs.
 * It repeats NIT, SDT and present/following EIT each FILLER_SI_MS; other PIDs
 * have no packets.  Each start has a new clock: the filler goes through the
 * splice like any other source.
 *
 * Pure: the caller provides the time.  Borrows the tables of the output.
 */
#pragma once

#include "worker/ts/psi.h"

enum {
	FILLER_PICTURE_MAX = 1024 * 1024,
	FILLER_PICTURES_PER_S = 5,
	FILLER_PCR_MS = 40,
	FILLER_TABLES_MS = 100,
	FILLER_SI_MS = 1000, /* TR 101 290 3.5: 2 s at most */
	FILLER_PROGRAMS_MAX = 32,
	FILLER_AUDIO_MAX = 64, /* tracks of a run */
	FILLER_TRACKS_MAX = 256, /* tracks with known parameters */
};

struct filler;

/* psi has the tables of the packets of filler_feed(), and outlives the filler.
 * */
struct filler *filler_new(const struct psi *);
/* Keeps pictures of these PIDs alone.  The set outlives the filler; the caller
 * may change it in front of new tables. */
void filler_limit(struct filler *, const uint64_t pids[TS_PIDS / 64]);
void filler_free(struct filler **);

/* Takes the packets of an output.  Of a stream: those of its inputs, without
 * those of filler_run().  Of a multiplex: all packets, with those of
 * filler_play(). */
void filler_feed(struct filler *, const struct ts_run *runs, size_t n_runs);

/* Can the filler run: is a main program known, with a picture or with audio of
 * a supported coding? */
bool filler_is_ready(const struct filler *);

/* Starts to generate packets now, with a new clock. */
void filler_start(struct filler *, uint64_t now_ns);

/* Stops generating packets, and frees the memory for them. */
void filler_stop(struct filler *);

/* Generates the packets that are due by now_ns and passes them to out(), if
 * any. A call that is more than a second late skips the missed time. */
void filler_run(struct filler *, uint64_t now_ns, ts_out_fn *out, void *arg);

/* --- a program of a multiplex, whose other programs are on air --- */

struct play;

/* The last PTS on a PID of video or audio that filler_feed() took; false: no
 * PTS is known. */
bool filler_pts(const struct filler *, uint16_t pid, uint64_t *ret);

/* Generates pictures, sound and PCRs of one program, of the PIDs of the set
 * alone.  Its clock begins at base (90 kHz) now, and its PTS are behind those
 * of the packets.  The caller owns it.  NULL: there is no picture and no audio
 * of a supported coding. */
struct play *filler_play(const struct filler *, uint16_t number,
			 const uint64_t pids[TS_PIDS / 64], uint64_t base,
			 uint64_t now_ns);
/* True if filler_play() can generate this program. */
bool filler_has_program(const struct filler *, uint16_t number);

/* The time of the next packet; UINT64_MAX: the filler does not run. */
uint64_t filler_next_ns(const struct filler *);
