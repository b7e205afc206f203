/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes that several answers share: a copy, or memory of another process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blob {
	unsigned refs;
	size_t *total; /* sum of len over all blobs with this counter; outlives
			* the blob */
	size_t len;
	bool mapped;
	uint8_t *data;
};

/* A new blob with a copy of the bytes; the caller owns one reference. */
struct blob *blob_new(const void *bytes, size_t len, size_t *total);
/* A blob of the first len > 0 bytes of memory with a sealed size (borrowed);
 * the caller owns one reference.  NULL: the memory is shorter, or cannot be
 * mapped. */
struct blob *blob_map(int fd, size_t len, size_t *total);

struct blob *blob_ref(struct blob *);
/* NULL-safe; sets *b to NULL. */
void blob_unref(struct blob **);
