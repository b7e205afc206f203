/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SipHash-2-4 of a message of 8 bytes: who does not know the key cannot tell
 * the hash of a message from a random number, whatever other hashes he has
 * seen.
 *
 * Pure.
 */
#pragma once

#include <stdint.h>

struct sip_key {
	uint64_t k0, k1; /* its 16 bytes, little-endian */
};

/* message: its 8 bytes, little-endian. */
uint64_t sip_hash(const struct sip_key *, uint64_t message);
