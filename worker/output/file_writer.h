/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that writes a recording, behind a bounded queue.
 *
 * No call from the data path waits for a disk.  Packets that find the queue
 * full are dropped.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/io_spec.h"

#include <stdbool.h>

struct file_writer;

/* The report of the thread. */
struct file_writer_state {
	int err;             /* -errno: the thread has ended, see error */
	struct errmsg error;
	bool full;           /* the disk is full: writing is paused */
	uint64_t free;       /* bytes free on the disk */
	unsigned files;
	uint64_t queued;     /* bytes in the queue */
	uint64_t dropped;    /* packets that were queued and not written */
};

/* Copies the specification.  NULL with *ret_err = -errno and error. */
struct file_writer *file_writer_new(const struct output_spec *, int *ret_err,
				    struct errmsg *error);
/* Call it after the last packet: the thread writes the queue and ends.  Does
 * not wait for that. */
void file_writer_stop(struct file_writer *);
/* Waits until the queue is written, at most a second after the stop.  If the
 * disk hangs, the thread stays behind. */
void file_writer_free(struct file_writer **);

/* How many bytes a packet has in the file. */
size_t file_writer_unit(const struct file_writer *);

/* Gets room in the queue for n packets of file_writer_unit() bytes, in at most
 * two pieces; the second may be empty.  The caller fills the room and calls
 * file_writer_put() with the same n.  False: the queue is full. */
struct file_room {
	uint8_t *data;
	size_t n;
};
bool file_writer_room(struct file_writer *, size_t n,
		      struct file_room ret[2]);
void file_writer_put(struct file_writer *, size_t n);

void file_writer_state(struct file_writer *, struct file_writer_state *ret);
