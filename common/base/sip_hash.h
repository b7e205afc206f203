/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SipHash-2-4 of a message of 8 bytes.  Without the key the hash of a message
 * cannot be distinguished from a random number, even if other hashes are known.
 *
 * Pure.
 */
#pragma once

#include <stdint.h>

struct sip_key {
	uint64_t k0, k1; /* the 16 bytes of the key, little-endian */
};

/* message: its 8 bytes, little-endian. */
uint64_t sip_hash(const struct sip_key *, uint64_t message);
