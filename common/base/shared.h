/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that outlives the process that writes it: a memfd whose size is
 * sealed, so that nobody who maps it can be made to fault.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Zeroed.  The descriptor, close-on-exec, or -errno. */
int shared_create(const char *name, size_t size) MUST_CHECK;

/* How many bytes there are behind fd; -EBADF when that is not sealed. */
ssize_t shared_size(int fd) MUST_CHECK;

/* Did nobody ever map any of it?  Then it is zeroed for sure. */
bool shared_is_untouched(int fd);

/* Maps the first len bytes, to be written; at least so many must be there.  fd
 * is not taken.  NULL with *ret_err = -errno. */
void *shared_map(int fd, size_t len, int *ret_err);
void shared_unmap(void *, size_t len);
