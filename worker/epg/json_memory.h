/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON in memory that the master gave. */
#pragma once

#include <jansson.h>
#include <stddef.h>

/* The value in at most max bytes, a new reference; NULL: it is none. */
json_t *json_memory_read(int fd, size_t max);
/* The bytes that were written; 0: the memory has no room. */
size_t json_memory_write(const json_t *, int fd);
