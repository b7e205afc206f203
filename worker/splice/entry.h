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

enum { SPLICE_ENTRY_WAIT_MS = 2000 };

struct splice_entry;

struct splice_entry *splice_entry_new(void);
void splice_entry_free(struct splice_entry **);

/* The source was opened again: forgets all, and what was begun. */
void splice_entry_reset(struct splice_entry *);

/* From now on an entry is wanted.  The wait counts from here, or from the
 * first packet when none came yet. */
void splice_entry_begin(struct splice_entry *, unsigned wait_ms,
			uint64_t now_ns);

/* None is wanted any more. */
void splice_entry_end(struct splice_entry *);

/*
 * Takes the next packets.  True when the entry is among them: then the packets
 * from there on are written to ret (room for n_runs) and their number to
 * *ret_n (at least 1), and none is wanted any more.  False while none is.
 */
bool splice_entry_feed(struct splice_entry *, const struct ts_run *runs,
		       size_t n_runs, uint64_t now_ns, struct ts_run *ret,
		       size_t *ret_n);

/* What was fed at one time counts as if it had come at the other. */
void splice_entry_moved(struct splice_entry *, uint64_t from_ns,
			uint64_t to_ns);

const struct psi *splice_entry_psi(const struct splice_entry *);

/* The number of the main program, and how far its PCRs (27 MHz, with wrap) are
 * ahead of the time at which they come, smoothed; false while not known. */
bool splice_entry_phase(const struct splice_entry *, uint16_t *ret_program,
			uint64_t *ret_phase);
