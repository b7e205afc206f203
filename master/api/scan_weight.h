/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory that the report of a scan worker needs.  The text of a value says
 * little about it: "[]" is a hundred bytes of memory.
 *
 * Pure.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	/* values of a tuning and of a service, and their text */
	SCAN_ITEM_KEYS_MAX = 24,
	SCAN_ITEM_LIST_MAX = 64,
	SCAN_ITEM_BYTES_MAX = 4096,
};

/* Bytes, about; at most a little above limit, where it ends to count. */
size_t scan_weight(const json_t *, size_t limit);

/* Is it an object of few numbers, texts and lists of numbers? */
bool scan_item_is_small(const json_t *);
