/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes JSON in memory that the master has passed as a
 * descriptor. */
#pragma once

#include <jansson.h>
#include <stddef.h>

/* Reads a JSON value of at most max bytes from fd, a new reference; NULL: there
 * is no valid JSON in the memory. */
json_t *json_memory_read(int fd, size_t max);
/* Writes the value to fd.  Returns the number of bytes; 0: the memory has no
 * room. */
size_t json_memory_write(const json_t *, int fd);
