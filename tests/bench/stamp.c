/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/stamp.h"

#include <stddef.h>
#include <string.h>

enum {
	TS_PACKET = 188,
	DIGITS = 10, /* of seven bits each: 64 and some */
	MAGIC_LEN = STAMP_LEN - 2 * DIGITS,
};

static const uint8_t magic[MAGIC_LEN] = { 0xb5, 0x1c, 0xe5, 0x7a };

static void put_number(uint8_t *at, uint64_t value)
{
	for (size_t i = 0; i < DIGITS; i++, value >>= 7)
		at[i] = (uint8_t)(0x80 | (value & 0x7f));
}

static uint64_t get_number(const uint8_t *at)
{
	uint64_t value = 0;

	for (size_t i = DIGITS; i-- > 0;)
		value = value << 7 | (at[i] & 0x7f);
	return value;
}

void stamp_put(uint8_t *packet, const struct stamp *s)
{
	uint8_t *at = packet + TS_PACKET - STAMP_LEN;

	memcpy(at, magic, MAGIC_LEN);
	put_number(at + MAGIC_LEN, s->seq);
	put_number(at + MAGIC_LEN + DIGITS, s->sent_ns);
}

bool stamp_get(const uint8_t *packet, struct stamp *ret)
{
	const uint8_t *at = packet + TS_PACKET - STAMP_LEN;

	if (memcmp(at, magic, MAGIC_LEN) != 0)
		return false;
	ret->seq = get_number(at + MAGIC_LEN);
	ret->sent_ns = get_number(at + MAGIC_LEN + DIGITS);
	return true;
}
