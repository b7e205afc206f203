/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A shared-memory ring of TS packets: one writer, any number of readers.
 *
 * The master creates it and keeps the descriptor, so the ring outlives a
 * crashed writer or reader; a new writer continues at the same position.  A
 * header precedes the data.  Positions are absolute byte counts since the ring
 * was made.  The ring uses a window at the start of its data: the byte of
 * position p is at RING_DATA + (p - base) % window.  base and window are
 * multiples of RING_UNIT, so a packet never wraps and pages align.
 *
 * The window can grow up to the size of the file; the kernel provides the pages
 * behind it at their first use.  It grows when the writer reaches its end: the
 * writer continues behind the end instead of at the start.  base becomes the
 * position of the start of the window, so every byte stays where it is.
 *
 * The size is sealed, so a hostile writer cannot make a reader fault.  Readers
 * get a read-only descriptor and check every number of the header.  A reader
 * that maps the data as well (ring_reader_map()) copies what it uses.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	RING_PACKET = 188,
	RING_UNIT = 47 * 4096, /* lcm(188, 4096) */
	RING_DATA = 6 * 4096,  /* where the data starts in the file */
	RING_INDEX = 256,      /* random access points that the header keeps */
	/* segments that the header keeps (ring_segment.h) */
	RING_SEGMENTS = 64,
	RING_PARTS = 64,       /* parts of segments that the header keeps */
	/* Parts of a segment of the expected length.  The remaining entries of
	 * RING_PARTS are for segments that become longer, and for the last
	 * parts of the segment before. */
	RING_SEGMENT_PARTS = 50,
	RING_SIZE_DEFAULT = 87 * RING_UNIT, /* 16 MiB */
	/* The most to which a smaller ring grows: 128 MiB. */
	RING_GROWN = 697 * RING_UNIT,
};

/* A point where a reader can join: at pos are a PAT and PMT, and the random
 * access point follows them. */
struct ring_rap {
	bool guess;       /* readers prefer an older entry without this flag */
	uint64_t pos;
	uint64_t pcr;     /* 27 MHz */
	uint64_t pts;     /* 90 kHz */
	int64_t wall_ms;  /* CLOCK_REALTIME */
};

/* --- master --- */

/* A new sealed memfd with a window of at least size data bytes, which can grow
 * to max bytes (both rounded up to RING_UNIT, at most 1 GiB; max below size
 * counts as size); or -errno.  The caller owns the descriptor. */
int ring_create(size_t size, size_t max) MUST_CHECK;

/* --- writer --- */

struct ring_writer;

/* Maps the ring of fd (borrowed) and continues at the position of the last
 * writer.  NULL with *ret_err = -errno if fd is no sound ring. */
struct ring_writer *ring_writer_new(int fd, int *ret_err);
void ring_writer_free(struct ring_writer **);

/* Room for *n contiguous packets (n > 0) at the write position.  Write there,
 * then call ring_commit(); readers see the packets after ring_publish(). */
uint8_t *ring_room(struct ring_writer *, size_t *n);
void ring_commit(struct ring_writer *, size_t n);
/* Copies n packets to the write position, in two parts at the end of the
 * window. */
void ring_write(struct ring_writer *, const uint8_t *packets, size_t n);

/* Asks for a window of at least size bytes.  The window grows when the writer
 * reaches its end, as far as the file allows, and never shrinks. */
void ring_grow(struct ring_writer *, size_t size);

size_t ring_writer_window(const struct ring_writer *);
/* The largest size in bytes to which the window can grow. */
size_t ring_writer_max(const struct ring_writer *);

/* The position of the next packet: the bytes since the ring was made. */
uint64_t ring_writer_pos(const struct ring_writer *);

/* The *n contiguous packets that end `back` bytes before the write position,
 * also if an earlier writer wrote them; *n is 0 when none are left. */
const uint8_t *ring_before(const struct ring_writer *, uint64_t back,
			   size_t *n);

/* Adds a point to the index.  Its pos is committed, but perhaps not yet
 * published. */
void ring_mark(struct ring_writer *, const struct ring_rap *);

/* Makes all committed packets visible to readers by a release store. */
void ring_publish(struct ring_writer *);

/* --- reader --- */

struct ring_reader;

/* Maps the header of the ring of fd (borrowed) read-only.  NULL with *ret_err =
 * -errno if fd is no sound ring. */
struct ring_reader *ring_reader_new(int fd, int *ret_err);
void ring_reader_free(struct ring_reader **);

/* The bytes of the window; they can change with each ring_reader_pos().  While
 * a window that has grown fills up, only the bytes that it has count: a reader
 * that was late before the window grew is late afterwards. */
size_t ring_reader_size(const struct ring_reader *);

/* The published position.  It never decreases for one reader: if that of the
 * header does, or the header is not sound, the ring is broken and *ret_ok stays
 * false. */
uint64_t ring_reader_pos(struct ring_reader *, bool *ret_ok);

/* False if a stray write has damaged the header.  The master checks this
 * before it gives the ring to the next writer. */
bool ring_reader_is_sound(struct ring_reader *);

/* The newest random access point that is still complete in the ring with at
 * least margin bytes to spare and not before `from`, or, if there is none, the
 * newest guess; false if there is neither. */
bool ring_reader_last_rap(struct ring_reader *, size_t margin, uint64_t from,
			  struct ring_rap *ret);

/* As ring_reader_last_rap(), but the newest point that is at least `behind'
 * bytes before the end; if none is so old, the oldest one. */
bool ring_reader_rap_behind(struct ring_reader *, size_t margin, uint64_t from,
			    size_t behind, struct ring_rap *ret);

/* Has the writer ever marked a point, whether the ring still has it or not? */
bool ring_reader_has_marks(const struct ring_reader *);

/* Maps the data as well, read-only and as far as the window can grow; fd is
 * that of ring_reader_new().  A page counts as memory of the process once it
 * has been read.  0 or -errno. */
int ring_reader_map(struct ring_reader *, int fd) MUST_CHECK;

/* The bytes of [pos, pos + len) that follow each other from pos on, after
 * ring_reader_map().  The writer may change them at any time: a reader copies
 * them, checks the copy only, and uses it if ring_reader_has() says so. */
const uint8_t *ring_reader_at(const struct ring_reader *, uint64_t pos,
			      size_t len, size_t *ret_contiguous);

/* Are the bytes that the reader has copied from position pos on still those of
 * that position?  False when the writer may have begun to replace them: it
 * writes up to an eighth of the window before it publishes. */
bool ring_reader_has(struct ring_reader *, uint64_t pos);

/* The offset in the file and the contiguous length of [pos, pos + len). */
off_t ring_file_offset(const struct ring_reader *, uint64_t pos, size_t len,
		       size_t *ret_contiguous);
