/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FNV-1a of 64 bits: tells contents apart that no attacker chooses. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HASH_INIT UINT64_C(0xcbf29ce484222325)

/* Adds len bytes; the first call takes HASH_INIT. */
static inline uint64_t hash_add(uint64_t hash, const void *data, size_t len)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash;
}
