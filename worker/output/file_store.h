/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files of a recording, one after the other, on a disk that may be slow.
 *
 * Blocks: for a thread of its own.  A file that is there is continued when it
 * is a transport stream in whole packets, and not touched when it is anything
 * else.
 *
 * The next file begins at a random access point, if there is one in time; all
 * of them joined are what was written.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/io_spec.h"

struct psi;

/* Embedded. */
struct file_store {
	const struct output_spec *spec; /* borrowed */
	size_t unit;      /* bytes of a packet in the file */
	char place[IO_PATH_MAX]; /* of the folder */
	int folder;       /* descriptor, or -1 */
	int fd;           /* of the file, or -1 */
	const char *name; /* in spec->path */
	char file[256];   /* what the file is called */
	uint64_t size;    /* of the file */
	uint64_t flushed; /* up to there the kernel was told to write */
	int64_t ends_s;   /* unix time of the next file; 0: never */
	uint64_t due_ns;  /* it is due since; 0: it is not */
	struct psi *psi;  /* of what was written; NULL: no next file */
	unsigned files;   /* that were opened */
	uint64_t free_mib;
};

/* Looks at the folder; 0, or -errno with why. */
int file_store_open(struct file_store *, const struct output_spec *,
		    struct errmsg *why) MUST_CHECK;
/* What was written is on the disk then. */
void file_store_close(struct file_store *);

/* Whole packets.  0, or -errno with why: the file ends behind the last whole
 * one that could be written. */
int file_store_write(struct file_store *, const uint8_t *data, size_t len,
		     struct errmsg *why) MUST_CHECK;

/* The file is complete for now; a later write goes on in it, or in the next. */
void file_store_pause(struct file_store *);

/* Once a second: how much is free goes to free_mib, and what was moved away or
 * removed, be it a folder, is left, so that the next write finds the place
 * again by its name.  0, or -errno with why. */
int file_store_look(struct file_store *, struct errmsg *why) MUST_CHECK;
