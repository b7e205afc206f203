/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that writes a recording, behind a bounded queue.
 *
 * Nothing that is called from the data path waits for a disk: what finds no
 * room in the queue is counted and lost.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/io_spec.h"

#include <stdbool.h>

struct file_writer;

/* What the thread has to say. */
struct file_writer_state {
	int err;             /* -errno: it has ended, see why */
	struct errmsg why;
	bool full;           /* the disk: nothing is written for now */
	uint64_t free_mib;
	unsigned files;
	uint64_t queued;     /* bytes that wait */
	uint64_t dropped;    /* packets that were queued and not written */
};

/* The specification is copied.  NULL with *ret_err = -errno and why. */
struct file_writer *file_writer_new(const struct output_spec *, int *ret_err,
				    struct errmsg *why);
/* Nothing more comes; waits for nothing. */
void file_writer_stop(struct file_writer *);
/* Waits for what is queued, until a moment after the stop; a disk that hangs is
 * left to itself. */
void file_writer_free(struct file_writer **);

/* Bytes of a packet in the file. */
size_t file_writer_unit(const struct file_writer *);

/* Room for n packets of that many bytes, in at most two pieces, of which
 * ret[1] may be empty; false when there is none.  Between this and
 * file_writer_put() nothing else is called. */
struct file_room {
	uint8_t *data;
	size_t n;
};
bool file_writer_room(struct file_writer *, size_t n,
		      struct file_room ret[2]);
void file_writer_put(struct file_writer *, size_t n);

void file_writer_state(struct file_writer *, struct file_writer_state *ret);
