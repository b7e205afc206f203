/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the files of a recording, on a disk that may be slow.
 *
 * Every call may block: use it in a thread of its own.  The store appends to an
 * existing file only if that file is empty, or begins with two packets of this
 * format; an incomplete packet at its end is cut.  It never changes any other
 * file.
 *
 * The next file starts at a random access point if one arrives in time.  All
 * files joined contain exactly the written packets.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/io_spec.h"
#include "worker/ts/rap.h"

struct psi;

/* Embedded. */
struct file_store {
	const struct output_spec *spec; /* borrowed */
	size_t unit;      /* bytes of a packet in the file */
	char path[IO_PATH_MAX]; /* path of the folder */
	int folder;       /* descriptor of the folder, or -1 */
	int fd;           /* descriptor of the file, or -1 */
	const char *name; /* file name in spec->path */
	char file[256];   /* the name of the open file */
	uint64_t size;    /* bytes of the file */
	uint64_t flushed; /* the kernel was asked to write up to here */
	int64_t ends_s;   /* unix time of the next file; 0: never */
	uint64_t due_ns;  /* time at which the next file became due; 0: not
			   * due */
	uint64_t rap_ns;  /* time of the last random access point, or of the
			   * first packets; 0: no packets yet */
	uint64_t main_ns; /* time of the last packet of the main PID */
	uint64_t fed_ns;  /* time of the last packets */
	struct rap rap;
	struct psi *psi;  /* tables of the written packets; NULL: no rotation */
	unsigned files;   /* number of files opened so far */
	uint64_t free;    /* bytes free on the disk */
	bool full;        /* less than min_free: recording is to pause */
};

/* Opens the folder; 0, or -errno with error. */
int file_store_open(struct file_store *, const struct output_spec *,
		    struct errmsg *error) MUST_CHECK;
/* Syncs and closes the file and the folder. */
void file_store_close(struct file_store *);

/* Writes whole packets.  0, or -errno with error: the file then ends behind the
 * last whole packet. */
int file_store_write(struct file_store *, const uint8_t *data, size_t len,
		     struct errmsg *error) MUST_CHECK;

/* Syncs and closes the file.  A later write continues it, or starts the next
 * file. */
void file_store_pause(struct file_store *);

/* Once a second: measures free and full.  If the folder was moved or removed,
 * opens the folder that has its name now.  Closes a file that was moved or
 * removed, so that the next write opens a file.  0, or -errno with error. */
int file_store_check(struct file_store *, struct errmsg *error) MUST_CHECK;
