/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes that several answers share: a copy, or memory of another process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blob {
	unsigned refs;
	size_t *total; /* counts its bytes; outlives it */
	size_t len;
	bool mapped;
	uint8_t *data;
};

/* A copy, with a reference. */
struct blob *blob_new(const void *bytes, size_t len, size_t *total);
/* The first len > 0 bytes of memory with a sealed size (borrowed), with a
 * reference; NULL: it is shorter, or there is no room for it. */
struct blob *blob_map(int fd, size_t len, size_t *total);

struct blob *blob_ref(struct blob *);
/* NULL-safe; sets *b to NULL. */
void blob_unref(struct blob **);
