/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The DVB Common Scrambling Algorithm on slices.  A core includes this file
 * after its own definitions of
 *
 *	word	a vector register of 64-bit elements
 *	ABREAST	how many words of each byte the block cipher processes at once
 *	splat()	a word that has this byte in all its bytes
 *	xor3(), pick(), majority()
 *		for each bit: the sum of three words; the first word where the
 *		mask is set, elsewhere the second; the majority of three words
 *	zip8_low() ... zip32_high()
 *		interleave the low or the high halves of each 128 bits by 8, 16
 *		or 32 bits
 *	box1() ... box7()
 *		the functions of the stream cipher
 *	struct block_tables, block_tables(), substitute(), permute()
 *		the functions of the block cipher
 *
 * Eight bytes of each payload have three forms:
 *
 *	lanes	an array whose elements have eight bytes of one payload each
 *	planes	a word holds one byte of sizeof(word) payloads: planes[k][p] is
 *		byte p of the payloads from k * sizeof(word) on
 *	bits	a word holds one bit of all payloads: bits[p * 8 + i] is bit i
 *		of byte p
 */
#pragma once

#include "worker/csa/core.h"

#include <string.h>

enum {
	BLOCK = 8, /* bytes of a block */
	PLANE = sizeof(word), /* payloads in a plane */
	PLANES = 8, /* words that hold one byte of all payloads */
	LANES = PLANES * PLANE,
	STEPS = 32, /* steps of the stream cipher for a block */
	NIBBLES = 10, /* nibbles of each shift register */
};

#define INLINE static inline __attribute__((always_inline))

/* Interleaves the bytes of the words i and i + distance: one stage of
 * planes_of_lanes(). */
INLINE void zip_stage(const word from[8], word to[8], size_t distance)
{
	for (size_t i = 0; i < 8; i++) {
		if (i & distance)
			continue;
		to[i] = zip8_low(from[i], from[i + distance]);
		to[i + distance] = zip8_high(from[i], from[i + distance]);
	}
}

/* Converts lanes of PLANE payloads to planes.  Each stage moves one bit of the
 * index of a word into the position of a byte within the word. */
INLINE void planes_of_lanes(const word lanes[8], word planes[8])
{
	static const uint8_t order[8] = { 0, 2, 4, 6, 1, 3, 5, 7 };
	word a[8], b[8];

	zip_stage(lanes, a, 4);
	zip_stage(a, b, 2);
	zip_stage(b, a, 1);
	zip_stage(a, b, 4);
	for (size_t i = 0; i < 8; i++)
		planes[order[i]] = b[i];
}

INLINE void lanes_of_planes(const word planes[8], word lanes[8])
{
	word a[8], b[8];

	for (size_t i = 0; i < 8; i += 2) {
		a[i] = zip8_low(planes[i], planes[i + 1]);
		a[i + 1] = zip8_high(planes[i], planes[i + 1]);
	}
	for (size_t i = 0; i < 8; i += 4) {
		for (size_t k = 0; k < 2; k++) {
			b[i + 2 * k] = zip16_low(a[i + k], a[i + 2 + k]);
			b[i + 2 * k + 1] = zip16_high(a[i + k], a[i + 2 + k]);
		}
	}
	for (size_t i = 0; i < 4; i++) {
		lanes[2 * i] = zip32_low(b[i], b[i + 4]);
		lanes[2 * i + 1] = zip32_high(b[i], b[i + 4]);
	}
}

/* Exchanges bit i of word k with bit k of word i, for each byte position. */
INLINE void exchange_bits(word w[8])
{
	static const uint8_t masks[] = { [4] = 0x0f, [2] = 0x33, [1] = 0x55 };

	for (size_t s = 4; s > 0; s /= 2) {
		word mask = splat(masks[s]);

		for (size_t i = 0; i < 8; i++) {
			word low, high;

			if (i & s)
				continue;
			low = w[i];
			high = w[i + s];
			w[i] = pick(mask, low, high << s);
			w[i + s] = pick(mask, low >> s, high);
		}
	}
}

/* The registers of the stream cipher.  A and B grow towards lower indexes: a
 * step writes one nibble in front of the others, and moves none. */
struct registers {
	word a[NIBBLES + STEPS][4], b[NIBBLES + STEPS][4];
	word x[4], y[4], z[4], d[4], e[4], f[4];
	word p, q, r;
};

/* Computes the next nibble of register B: the XOR of nibbles 6 and 9, Y and the
 * input; rotated by one bit where p is set. */
INLINE void step_b(struct registers *s, size_t at, const word in[4])
{
	word (*b)[4] = s->b + at, sum[4];

	for (size_t i = 0; i < 4; i++) {
		sum[i] = xor3(b[6][i], b[9][i], s->y[i]);
		if (in != NULL)
			sum[i] ^= in[i];
	}
	for (size_t i = 0; i < 4; i++)
		b[-1][i] = pick(s->p, sum[(i + 3) % 4], sum[i]);
}

/* Computes D, E, F and r.  F becomes the old E, or where q is set, the sum of
 * E, Z and the carry. */
INLINE void step_sum(struct registers *s, size_t at)
{
	word (*b)[4] = s->b + at, carry = s->r;
	word extra[4] = {
		xor3(b[8][2], b[5][3], b[2][1]) ^ b[7][0],
		xor3(b[4][3], b[7][2], b[3][0]) ^ b[4][1],
		xor3(b[5][0], b[7][1], b[2][3]) ^ b[3][2],
		xor3(b[2][0], b[5][1], b[6][2]) ^ b[8][3],
	};

	for (size_t i = 0; i < 4; i++) {
		word e = s->e[i], z = s->z[i];

		s->d[i] = xor3(extra[i], z, e);
		s->e[i] = s->f[i];
		s->f[i] = pick(s->q, xor3(z, e, carry), e);
		carry = majority(z, e, carry);
	}
	s->r = pick(s->q, carry, s->r);
}

INLINE void step_boxes(struct registers *s, size_t at)
{
	word (*a)[4] = s->a + at;

	box1(a[0][2], a[5][1], a[6][3], a[8][0], a[3][0], &s->x[0], &s->z[2]);
	box2(a[2][2], a[5][3], a[6][0], a[8][1], a[1][1], &s->x[1], &s->z[3]);
	box3(a[1][0], a[4][1], a[4][3], a[5][2], a[0][3], &s->y[0], &s->x[2]);
	box4(a[0][1], a[1][3], a[3][2], a[7][0], a[2][3], &s->y[1], &s->x[3]);
	box5(a[3][3], a[5][0], a[7][1], a[8][2], a[4][2], &s->z[0], &s->y[2]);
	box6(a[3][1], a[4][0], a[6][2], a[8][3], a[2][1], &s->z[1], &s->y[3]);
	box7(a[2][0], a[6][1], a[7][2], a[7][3], a[1][2], &s->p, &s->q);
}

/* Makes one step of the stream cipher.  at: index of the first nibble of A and
 * B; in_a, in_b: input while the cipher is set up; NULL: no input. */
INLINE void step(struct registers *s, size_t at, const word *in_a,
		 const word *in_b)
{
	for (size_t i = 0; i < 4; i++) {
		word sum = s->a[at + 9][i] ^ s->x[i];

		s->a[at - 1][i] = in_a == NULL ? sum
					       : xor3(sum, s->d[i], in_a[i]);
	}
	step_b(s, at, in_b);
	step_sum(s, at);
	step_boxes(s, at);
}

static void rewind_registers(struct registers *s)
{
	memmove(s->a + STEPS, s->a, sizeof *s->a * NIBBLES);
	memmove(s->b + STEPS, s->b, sizeof *s->b * NIBBLES);
}

static void set_up(struct registers *s, const uint8_t control_word[8],
		   const word bits[64])
{
	memset(s, 0, sizeof *s);
	for (size_t i = 0; i < 8; i++) {
		unsigned shift = i % 2 ? 0 : 4; /* the high nibble first */
		unsigned a = (unsigned)control_word[i / 2] >> shift;
		unsigned b = (unsigned)control_word[4 + i / 2] >> shift;

		for (size_t k = 0; k < 4; k++) {
			s->a[STEPS + i][k] = splat(a >> k & 1 ? 0xff : 0);
			s->b[STEPS + i][k] = splat(b >> k & 1 ? 0xff : 0);
		}
	}
	for (size_t i = 0; i < STEPS; i++) {
		const word *byte = bits + i / 4 * 8;
		const word *low = byte, *high = byte + 4;

		step(s, STEPS - i, i % 2 ? low : high, i % 2 ? high : low);
	}
	rewind_registers(s);
}

/* Generates the next eight bytes of the key stream for each payload. */
static void generate(struct registers *s, word bits[64])
{
	for (size_t i = 0; i < STEPS; i++) {
		size_t to = i / 4 * 8 + 6 - i % 4 * 2;

		step(s, STEPS - i, NULL, NULL);
		bits[to + 1] = s->d[2] ^ s->d[3];
		bits[to] = s->d[0] ^ s->d[1];
	}
	rewind_registers(s);
}

static void bits_of_lanes(const word lanes[8][8], word bits[64])
{
	word planes[PLANES][8];

	for (size_t k = 0; k < PLANES; k++)
		planes_of_lanes(lanes[k], planes[k]);
	for (size_t p = 0; p < 8; p++) {
		for (size_t k = 0; k < PLANES; k++)
			bits[p * 8 + k] = planes[k][p];
		exchange_bits(bits + p * 8);
	}
}

static void lanes_of_bits(word bits[64], word lanes[8][8])
{
	for (size_t p = 0; p < 8; p++)
		exchange_bits(bits + p * 8);
	for (size_t k = 0; k < PLANES; k++) {
		word planes[8];

		for (size_t p = 0; p < 8; p++)
			planes[p] = bits[p * 8 + k];
		lanes_of_planes(planes, lanes[k]);
	}
}

union lanes {
	uint64_t of[LANES];
	word words[PLANES][8];
};

INLINE uint64_t load(const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof value);
	return value;
}

INLINE void store(uint8_t *p, uint64_t value)
{
	memcpy(p, &value, sizeof value);
}

/* XORs the key stream with the block at this offset, which may be shorter than
 * BLOCK at the end of a payload. */
INLINE void combine(const struct csa_payload *p, size_t at, uint64_t stream)
{
	if (at + BLOCK <= p->len) {
		store(p->data + at, load(p->data + at) ^ stream);
		return;
	}
	for (; at < p->len; at++, stream >>= 8)
		p->data[at] ^= (uint8_t)stream;
}

static size_t longest(const struct csa_payload *batch, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		if (batch[i].len > len)
			len = batch[i].len;
	return len;
}

/* Applies the stream cipher to each payload, except its first block, which
 * initialises the cipher. */
static void stream_cipher(const struct csa_schedule *key,
			  const struct csa_payload *batch, size_t n)
{
	size_t len = longest(batch, n);
	struct registers s;
	union lanes lanes;
	word bits[64];

	memset(&lanes, 0, sizeof lanes);
	for (size_t i = 0; i < n; i++)
		lanes.of[i] = load(batch[i].data);
	bits_of_lanes(lanes.words, bits);
	set_up(&s, key->control_word, bits);
	for (size_t at = BLOCK; at < len; at += BLOCK) {
		generate(&s, bits);
		lanes_of_bits(bits, lanes.words);
		for (size_t i = 0; i < n; i++)
			combine(&batch[i], at, lanes.of[i]);
	}
}

/*
 * In the cipher, each round moves every byte to the next place.  Here the bytes
 * stay in their words; `first', the index of the word in place 0, changes
 * instead.
 *
 * The decryption XORs the new byte of a round with three other bytes, which
 * then are in places 1, 2 and 3.  This function postpones that: a byte gets all
 * three new bytes at once (sum) when it is in place 5, together with the
 * permutation.  So in round n the new bytes of the rounds n - 4, n - 3 and n -
 * 2 are in places 3, 2 and 1, and their own XORs are still postponed.
 */
INLINE void decrypt_round(const struct block_tables *t, word w[8], size_t first,
			  word key)
{
	word s = substitute(t, w[(first + 6) % 8] ^ key);
	word sum = xor3(w[(first + 1) % 8], w[(first + 2) % 8],
			w[(first + 3) % 8]);

	w[(first + 7) % 8] ^= s;
	w[(first + 5) % 8] = xor3(w[(first + 5) % 8], sum, permute(t, s));
}

/* Converts the bytes in places 2 to 5, before the first round, to the form
 * without the XORs that decrypt_round() postpones.  add_rounds() reverses this
 * after the last round. */
INLINE void expect_rounds(word w[8])
{
	w[2] ^= w[0];
	w[3] = xor3(w[3], w[1], w[0]);
	w[4] = xor3(w[4], w[2], w[1] ^ w[0]);
	w[5] = xor3(w[5], w[3], w[2] ^ w[1]);
}

INLINE void add_rounds(word w[8])
{
	w[5] = xor3(w[5], w[3], w[2] ^ w[1]);
	w[4] = xor3(w[4], w[2], w[1] ^ w[0]);
	w[3] = xor3(w[3], w[1], w[0]);
	w[2] ^= w[0];
}

INLINE void encrypt_round(const struct block_tables *t, word w[8], size_t first,
			  word key)
{
	word s = substitute(t, w[(first + 7) % 8] ^ key);
	word l = w[first % 8];

	w[first % 8] = l ^ s;
	w[(first + 2) % 8] ^= l;
	w[(first + 3) % 8] ^= l;
	w[(first + 4) % 8] ^= l;
	w[(first + 6) % 8] ^= permute(t, s);
}

/* Makes eight rounds.  After eight, the number of bytes in a block, the first
 * byte is in its place again. */
INLINE void eight_rounds(const struct block_tables *t, word w[ABREAST][8],
			 const uint8_t keys[8], bool decrypts)
{
#pragma GCC unroll 8
	for (size_t i = 0; i < 8; i++) {
		word key = splat(keys[decrypts ? 7 - i : i]);

		for (size_t k = 0; k < ABREAST; k++) {
			if (decrypts)
				decrypt_round(t, w[k], 8 - i, key);
			else
				encrypt_round(t, w[k], i, key);
		}
	}
}

/* Encrypts or decrypts the lanes of ABREAST planes. */
INLINE void block_rounds(const struct csa_schedule *key, word lanes[ABREAST][8],
			 bool decrypts)
{
	struct block_tables tables = block_tables();
	word w[ABREAST][8];

	for (size_t k = 0; k < ABREAST; k++) {
		planes_of_lanes(lanes[k], w[k]);
		if (decrypts)
			expect_rounds(w[k]);
	}
	for (size_t i = 0; i < CSA_ROUNDS; i += 8) {
		size_t at = decrypts ? CSA_ROUNDS - 8 - i : i;

		eight_rounds(&tables, w, key->round + at, decrypts);
	}
	for (size_t k = 0; k < ABREAST; k++) {
		if (decrypts)
			add_rounds(w[k]);
		lanes_of_planes(w[k], lanes[k]);
	}
}

INLINE void block_cipher(const struct csa_schedule *key, union lanes *lanes,
			 size_t n, bool decrypts)
{
	for (size_t k = 0; k * PLANE < n; k += ABREAST)
		block_rounds(key, lanes->words + k, decrypts);
}

/* Does the payload have a complete block at this offset? */
INLINE bool has_block(const struct csa_payload *p, size_t at)
{
	return at + BLOCK <= p->len;
}

static void descramble(const struct csa_schedule *key,
		       const struct csa_payload *batch, size_t n)
{
	size_t len = longest(batch, n);
	union lanes lanes;

	stream_cipher(key, batch, n);
	memset(&lanes, 0, sizeof lanes);
	for (size_t at = 0; at + BLOCK <= len; at += BLOCK) {
		for (size_t i = 0; i < n; i++)
			if (has_block(&batch[i], at))
				lanes.of[i] = load(batch[i].data + at);
		block_cipher(key, &lanes, n, true);
		for (size_t i = 0; i < n; i++) {
			uint8_t *p = batch[i].data + at;

			if (has_block(&batch[i], at + BLOCK))
				lanes.of[i] ^= load(p + BLOCK);
			if (has_block(&batch[i], at))
				store(p, lanes.of[i]);
		}
	}
}

static void scramble(const struct csa_schedule *key,
		     const struct csa_payload *batch, size_t n)
{
	size_t blocks = longest(batch, n) / BLOCK;
	union lanes lanes;

	memset(&lanes, 0, sizeof lanes);
	for (size_t at = blocks * BLOCK; at > 0;) {
		at -= BLOCK;
		for (size_t i = 0; i < n; i++) {
			const uint8_t *p = batch[i].data + at;

			if (!has_block(&batch[i], at))
				continue;
			lanes.of[i] = load(p);
			if (has_block(&batch[i], at + BLOCK))
				lanes.of[i] ^= load(p + BLOCK);
		}
		block_cipher(key, &lanes, n, false);
		for (size_t i = 0; i < n; i++)
			if (has_block(&batch[i], at))
				store(batch[i].data + at, lanes.of[i]);
	}
	stream_cipher(key, batch, n);
}
