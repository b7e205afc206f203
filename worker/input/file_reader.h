/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a file ahead in a thread of its own, because a disk or a file server
 * may not answer for minutes, and the loop must not wait.
 *
 * Owns the thread and FILE_BLOCKS blocks; the thread waits while all blocks are
 * full.  A thread that hangs in the kernel cannot be ended: file_reader_free()
 * leaves it behind with its memory, and it ends when the kernel answers.
 */
#pragma once

#include "common/base/errmsg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FILE_BLOCK = 64 * 1024,
	FILE_BLOCKS = 8,
	/* A disk that does not answer for this time counts as hanging. */
	FILE_HANGS_MS = 200,
};

enum file_block_kind {
	FILE_BLOCK_DATA,
	FILE_BLOCK_BEGIN, /* a file of a list begins: its path is in data */
	FILE_BLOCK_END,   /* a file ends */
	FILE_BLOCK_SKIP,  /* a file of a list cannot be read, or not to its
			     end: its path is in data, and error */
	FILE_BLOCK_LAST,  /* the last block */
	FILE_BLOCK_ERROR, /* the last block, with error */
};

struct file_block {
	enum file_block_kind kind;
	int err;             /* error as -errno, of FILE_BLOCK_ERROR */
	/* the text of err, or the reason of FILE_BLOCK_SKIP */
	struct errmsg error;
	size_t at;           /* index of the file in the list */
	size_t len;
	uint8_t data[FILE_BLOCK];
};

struct file_reader;

/* Starts to open and read; path is copied.  list: the file names the files to
 * read (file_list.h); it is read again each round, when all blocks of the round
 * before were dropped.  NULL with *ret_err = -errno: no thread. */
struct file_reader *file_reader_new(const char *path, bool loop, bool list,
				    int *ret_err);
/* Frees the reader.  It does not wait for the thread, which ends later. */
void file_reader_free(struct file_reader **);

/* Returns the oldest block, which stays valid until file_reader_drop(); NULL:
 * no block is ready, or the last one was dropped. */
const struct file_block *file_reader_peek(const struct file_reader *);
void file_reader_drop(struct file_reader *);

/* Time in ms for which the thread has waited for the file system; 0: the thread
 * does not wait. */
unsigned file_reader_waits_ms(const struct file_reader *, uint64_t now_ns);
