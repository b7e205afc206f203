/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a file ahead in a thread of its own: a disk, or a server behind it,
 * may not answer for minutes, and the loop never waits for it.
 *
 * Owns the thread and FILE_BLOCKS blocks; what is not taken yet stops the
 * thread.  A thread that hangs in the kernel cannot be ended: it is left
 * behind, with its memory, and ends when the kernel answers.
 */
#pragma once

#include "common/base/errmsg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FILE_BLOCK = 64 * 1024,
	FILE_BLOCKS = 8,
	/* Longer than that no file that is there takes to answer. */
	FILE_HANGS_MS = 200,
};

enum file_block_kind {
	FILE_BLOCK_DATA,
	FILE_BLOCK_BEGIN, /* of a file of a list: its path is in data */
	FILE_BLOCK_END,   /* of a file */
	FILE_BLOCK_SKIP,  /* one of a list that cannot be played, or not to its
			     end: its path is in data; why */
	FILE_BLOCK_LAST,  /* nothing comes any more */
	FILE_BLOCK_ERROR, /* likewise: why */
};

struct file_block {
	enum file_block_kind kind;
	int err;           /* of an error, -errno ... */
	struct errmsg why; /* ... in a sentence */
	size_t at; /* in the list, of a path */
	size_t len;
	uint8_t data[FILE_BLOCK];
};

struct file_reader;

/* Begins to open and read; path is copied.  list: it names the files that are
 * to be read (file_list.h), and is read again each time round, when all of the
 * round before was taken.  NULL with *ret_err = -errno when there is no
 * thread. */
struct file_reader *file_reader_new(const char *path, bool loop, bool list,
				    int *ret_err);
/* Never waits. */
void file_reader_free(struct file_reader **);

/* The oldest block, which stays until it is dropped; NULL: nothing came yet,
 * or nothing comes any more. */
const struct file_block *file_reader_peek(const struct file_reader *);
void file_reader_drop(struct file_reader *);

/* So long it has been waiting for the file; 0: it does not. */
unsigned file_reader_waits_ms(const struct file_reader *, uint64_t now_ns);
