/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/sip_hash.h"

struct state {
	uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static void mix(struct state *s, unsigned rounds)
{
	for (; rounds > 0; rounds--) {
		s->v0 += s->v1;
		s->v2 += s->v3;
		s->v1 = rotate(s->v1, 13) ^ s->v0;
		s->v3 = rotate(s->v3, 16) ^ s->v2;
		s->v0 = rotate(s->v0, 32) + s->v3;
		s->v2 += s->v1;
		s->v3 = rotate(s->v3, 21) ^ s->v0;
		s->v1 = rotate(s->v1, 17) ^ s->v2;
		s->v2 = rotate(s->v2, 32);
	}
}

static void add_word(struct state *s, uint64_t word)
{
	s->v3 ^= word;
	mix(s, 2);
	s->v0 ^= word;
}

uint64_t sip_hash(const struct sip_key *key, uint64_t message)
{
	struct state s = {
		.v0 = key->k0 ^ UINT64_C(0x736f6d6570736575),
		.v1 = key->k1 ^ UINT64_C(0x646f72616e646f6d),
		.v2 = key->k0 ^ UINT64_C(0x6c7967656e657261),
		.v3 = key->k1 ^ UINT64_C(0x7465646279746573),
	};

	add_word(&s, message);
	/* the length of the message, 8 bytes, in the last byte */
	add_word(&s, UINT64_C(8) << 56);
	s.v2 ^= 0xff;
	mix(&s, 4);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
