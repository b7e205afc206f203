/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A shared-memory ring of TS packets: one writer, any number of readers.
 *
 * The master creates it and keeps the descriptor, so the ring outlives a
 * crashed writer or reader; a respawned writer goes on at the same position.
 * One header, then data.  Positions are absolute byte counts since the ring
 * was made; the byte of position p is at RING_DATA + p % size.  size is a
 * multiple of RING_UNIT, so a packet never wraps and pages align.
 *
 * The size is sealed: a hostile writer cannot make a reader fault.  Readers
 * have a read-only descriptor and trust no number in the header.
 */
#pragma once

#include "common/base/util.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	RING_PACKET = 188,
	RING_UNIT = 47 * 4096, /* lcm(188, 4096) */
	RING_DATA = 16384,     /* where the data starts in the file */
	RING_INDEX = 256,      /* random access points kept */
	RING_SIZE_DEFAULT = 87 * RING_UNIT, /* 16 MiB */
};

/* A random access point: PAT and PMT stand in front of it at pos. */
struct ring_rap {
	uint64_t pos;
	uint64_t pcr;     /* 27 MHz */
	uint64_t pts;     /* 90 kHz */
	int64_t wall_ms;  /* CLOCK_REALTIME */
};

/* --- master --- */

/* A new sealed memfd of at least size data bytes (rounded up to RING_UNIT,
 * at most 1 GiB); or -errno.  The caller owns the descriptor. */
int ring_create(size_t size) MUST_CHECK;

/* --- writer --- */

struct ring_writer;

/* Maps the ring behind fd (not taken); goes on where the last writer ended.
 * NULL with *ret_err = -errno when fd is no sound ring. */
struct ring_writer *ring_writer_new(int fd, int *ret_err);
void ring_writer_free(struct ring_writer **);

/* Where the next packet goes: room for *n contiguous packets (n > 0).  Write
 * there, then ring_commit().  Nobody sees them before ring_publish(). */
uint8_t *ring_room(struct ring_writer *, size_t *n);
void ring_commit(struct ring_writer *, size_t n);

/* The absolute position of the next packet. */
uint64_t ring_writer_pos(const struct ring_writer *);

/* The packets that stand in front of one another up to `back` bytes before
 * there: *n of them, 0 when there are none left.  Whatever a writer before this
 * one wrote. */
const uint8_t *ring_before(const struct ring_writer *, uint64_t back,
			   size_t *n);

/* Notes a random access point at pos (committed, maybe not yet published). */
void ring_mark(struct ring_writer *, const struct ring_rap *);

/* Shows readers all that was committed: release store. */
void ring_publish(struct ring_writer *);

/* --- reader --- */

struct ring_reader;

/* Maps the header of the ring behind fd read-only (fd is not taken). */
struct ring_reader *ring_reader_new(int fd, int *ret_err);
void ring_reader_free(struct ring_reader **);

size_t ring_reader_size(const struct ring_reader *);

/* What is published; never goes back for one reader (a header that does is
 * broken: *ret_ok false from then on). */
uint64_t ring_reader_pos(struct ring_reader *, bool *ret_ok);

/* False when the header is no longer what a writer leaves: a stray write hit
 * it.  Who keeps the ring for the next writer asks before he gives it away. */
bool ring_reader_is_sound(struct ring_reader *);

/* The newest random access point that is still whole in the ring with margin
 * bytes to spare; false when there is none. */
bool ring_reader_last_rap(struct ring_reader *, size_t margin,
			  struct ring_rap *ret);

/* The offset in the file and the contiguous length for [pos, pos + len). */
off_t ring_file_offset(const struct ring_reader *, uint64_t pos, size_t len,
		       size_t *ret_contiguous);
