/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Estimates the memory that a report of a scan worker needs.  The length of its
 * text is no measure: "[]" needs a hundred bytes of memory.
 *
 * Pure.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	/* Limits of the object of a tuning or a service: number of keys, number
	 * of items in a list, and length as JSON text. */
	SCAN_ITEM_KEYS_MAX = 24,
	SCAN_ITEM_LIST_MAX = 64,
	SCAN_ITEM_BYTES_MAX = 4096,
};

/* Returns the estimated memory in bytes.  Stops counting above limit: a
 * greater result covers only a part of the value. */
size_t scan_weight(const json_t *, size_t limit);

/* True: the value is an object of a few numbers, texts and lists of numbers. */
bool scan_item_is_small(const json_t *);
