/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/session_number.h"

#include "common/base/sip_hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

/* A part of the hash key: it makes the hashes differ from those of other uses
 * of the key. */
#define PURPOSE UINT64_C(0x73657373696f6e73)

static uint64_t number_of(uint64_t key, uint32_t chosen)
{
	const struct sip_key both = { .k0 = key, .k1 = PURPOSE };

	return (uint64_t)chosen << 32 | (uint32_t)sip_hash(&both, chosen);
}

uint64_t session_number_new(uint64_t key)
{
	uint32_t chosen;

	if (getrandom(&chosen, sizeof chosen, 0) != sizeof chosen)
		abort();
	return number_of(key, chosen | 1);
}

bool session_number_is_of(uint64_t key, uint64_t number)
{
	return number == number_of(key, (uint32_t)(number >> 32));
}

void session_number_format(uint64_t number, char text[SESSION_NUMBER_TEXT])
{
	(void)snprintf(text, SESSION_NUMBER_TEXT, "%0*" PRIx64,
		       SESSION_NUMBER_DIGITS, number);
}
