/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/blob.h"

#include "common/base/alloc.h"
#include "common/base/shared.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct blob *blob_new(const void *bytes, size_t len, size_t *total)
{
	struct blob *b = xmalloc(sizeof *b + len);

	*b = (struct blob){ .refs = 1, .total = total, .len = len,
			    .data = (uint8_t *)(b + 1) };
	memcpy(b->data, bytes, len);
	*total += len;
	return b;
}

struct blob *blob_map(int fd, size_t len, size_t *total)
{
	ssize_t size = shared_size(fd);
	struct blob *b;
	void *map;

	if (size < 0 || (size_t)size < len)
		return NULL;
	map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return NULL;
	b = xmalloc(sizeof *b);
	*b = (struct blob){ .refs = 1, .total = total, .len = len,
			    .mapped = true, .data = map };
	*total += len;
	return b;
}

struct blob *blob_ref(struct blob *b)
{
	b->refs++;
	return b;
}

void blob_unref(struct blob **bp)
{
	struct blob *b = *bp;

	*bp = NULL;
	if (b == NULL || --b->refs > 0)
		return;
	*b->total -= b->len;
	if (b->mapped)
		(void)munmap(b->data, b->len);
	free(b);
}
