/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells whether a file was replaced or changed since it was looked at. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

/* Zeros: there was no file. */
struct file_state {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed; /* ctime: no program can set it back */
};

/* path may be NULL: no file. */
void file_state_read(struct file_state *, const char *path);

/* True: the file of this path is as it was, or there is still none. */
bool file_state_is(const struct file_state *, const char *path);
