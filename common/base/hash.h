/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 64-bit FNV-1a, for content that no attacker chooses. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HASH_INIT UINT64_C(0xcbf29ce484222325)

/* Adds len bytes; hash is HASH_INIT in the first call. */
static inline uint64_t hash_add(uint64_t hash, const void *data, size_t len)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Converts the hash to an integer from 1 to INT64_MAX, the largest integer of
 * jansson. */
static inline uint64_t hash_integer(uint64_t hash)
{
	return hash >> 1 | 1;
}
