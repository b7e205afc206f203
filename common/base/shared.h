/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared memory that outlives the process that writes it: a memfd with a
 * sealed size, so that no process that maps it can fault.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A new zeroed memfd, close-on-exec; or -errno.  Its mode lets no process open
 * it again to write. */
int shared_create(const char *name, size_t size) MUST_CHECK;

/* The size of fd in bytes; -EBADF if its size is not sealed; another -errno. */
ssize_t shared_size(int fd) MUST_CHECK;

/* Has no process written to the memfd yet?  Then all bytes are zero. */
bool shared_is_untouched(int fd);

/* The bytes in use of the open memfds of this process, each once. */
uint64_t shared_bytes(void);

/* Maps the first len bytes for writing; fd is borrowed and must have at least
 * that size.  NULL with *ret_err = -errno. */
void *shared_map(int fd, size_t len, int *ret_err);
/* As shared_map(), from offset on, a multiple of the page size. */
void *shared_map_at(int fd, size_t offset, size_t len, int *ret_err);
/* Frees the pages of len bytes at offset: they are zero from then on.  0 or
 * -errno. */
int shared_release(int fd, size_t offset, size_t len) MUST_CHECK;

void shared_unmap(void *, size_t len);
