/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * 256 payloads at once, for processors with AVX2.  The substitution of the
 * block cipher looks up the low nibble of a byte in 16 tables; the bits of the
 * high nibble select one of the 16 results.
 */
#include "config.h" /* SANITIZED */

#pragma GCC target("avx2")
#if !SANITIZED /* with sanitizers, the compiler takes long for unrolled loops */
#pragma GCC optimize("O3") /* keeps the arrays of words in registers */
#endif

#include "worker/csa/core.h"

#include <immintrin.h>

typedef unsigned long long word __attribute__((vector_size(32)));

enum { ABREAST = 1 };

#define INLINE static inline __attribute__((always_inline))

INLINE word splat(uint8_t byte)
{
	return (word)_mm256_set1_epi8((char)byte);
}

#define ZIP(name, kind) \
	INLINE word name(word a, word b) \
	{ \
		return (word)_mm256_unpack##kind((__m256i)a, (__m256i)b); \
	}

ZIP(zip8_low, lo_epi8)
ZIP(zip8_high, hi_epi8)
ZIP(zip16_low, lo_epi16)
ZIP(zip16_high, hi_epi16)
ZIP(zip32_low, lo_epi32)
ZIP(zip32_high, hi_epi32)

INLINE word xor3(word a, word b, word c)
{
	return a ^ b ^ c;
}

INLINE word pick(word mask, word a, word b)
{
	return ((a ^ b) & mask) ^ b;
}

INLINE word majority(word a, word b, word c)
{
	return (a & b) | ((a | b) & c);
}

/* The two outputs of a box.  Each formula is the shortest that has the form f ^
 * (v & g) or f ^ (g & ~v), where v is one of the variables and f and g are
 * functions of the four others. */
#define BOX(name, first_formula, second_formula) \
	INLINE void name(word a, word b, word c, word d, word e, word *first, \
			 word *second) \
	{ \
		*first = first_formula; \
		*second = second_formula; \
	}

BOX(box1, (b ^ ~(c & (d ^ e))) ^ (((b ^ (c & e)) | (d ^ (c | e))) & ~a),
    (c ^ (d & (b ^ e))) ^ (a & ~((d ^ e) & ~(c ^ (b & ~d)))))
BOX(box2,
    (c ^ ~((d ^ (b & ~e)) & ~(b & ~c))) ^ (a & ~(e & (b ^ (c | d)))),
    (c ^ ~((b ^ (c & d)) & ~(d ^ e))) ^ (a & (e | (d & (b ^ c)))))
BOX(box3,
    (d ^ ~((c ^ (e & ~a)) | ((a ^ e) & ~d))) ^ (b & (c | (e | (a ^ d)))),
    (b ^ (e ^ ((b ^ c) & ~d))) ^ a)
BOX(box4,
    (c ^ (d ^ ((b | (c & ~d)) & ~e))) ^
	    ((e ^ ~((c | e) & (b ^ (d & ~c)))) & ~a),
    (c ^ (d ^ (b | ~(e & ~(c & ~d))))) ^
	    ((e ^ ((b ^ (d & ~c)) & ~(e & ~c))) & ~a))
BOX(box5,
    (c ^ (b & (d ^ (e | (d & ~c))))) ^ (~((c ^ d) & ~(c ^ (b | e))) & ~a),
    (b ^ (d ^ ((a ^ (d & ~b)) & ~(a ^ c)))) ^ (e & (d | ((a ^ b) & ~c))))
BOX(box6, (c ^ ((e ^ (a & d)) & ~(d & (a ^ c)))) ^ (b & (a | d)),
    (c ^ (d & ~(b & (c & ~e)))) ^ (((c & ~e) | (b ^ (c & ~d))) & ~a))
BOX(box7,
    (a ^ (c ^ (d & ~(e | (c & ~a))))) ^ (b & ~(e & ~(c & ~(a ^ d)))),
    (d ^ (e ^ (a | b))) ^ (c & (d | (b ^ (a & e)))))

struct block_tables {
	const __m128i *substitution; /* 16 rows of 16 bytes */
	/* permutations of the low and the high nibble */
	__m256i permutation_low, permutation_high;
};

static __m256i nibble_permutation(size_t shift)
{
	uint8_t table[16] = { 0 };

	for (size_t nibble = 0; nibble < 16; nibble++)
		for (size_t i = 0; i < 4; i++)
			if (nibble >> i & 1)
				table[nibble] |= (uint8_t)(
					1 << csa_permutation[shift + i]);
	return _mm256_broadcastsi128_si256(
		_mm_loadu_si128((const __m128i *)table));
}

INLINE struct block_tables block_tables(void)
{
	return (struct block_tables){
		.substitution = (const __m128i *)csa_substitution,
		.permutation_low = nibble_permutation(0),
		.permutation_high = nibble_permutation(4),
	};
}

/* Halves the number of results: the selector chooses between rows 2 * i and 2 *
 * i + 1 for row i. */
INLINE void select_rows(__m256i *row, size_t n, __m256i selector)
{
	for (size_t i = 0; i < n; i++)
		row[i] = _mm256_blendv_epi8(row[2 * i], row[2 * i + 1],
					    selector);
}

INLINE word substitute(const struct block_tables *t, word w)
{
	__m256i at = (__m256i)w, row[16];
	__m256i low = at & _mm256_set1_epi8(0x0f);

	for (size_t i = 0; i < 16; i++)
		row[i] = _mm256_shuffle_epi8(
			_mm256_broadcastsi128_si256(
				_mm_loadu_si128(t->substitution + i)),
			low);
	/* blendv() looks at the sign bit of each byte: moves bits 4 to 7
	 * there */
	select_rows(row, 8, _mm256_slli_epi16(at, 3));
	select_rows(row, 4, _mm256_slli_epi16(at, 2));
	select_rows(row, 2, _mm256_slli_epi16(at, 1));
	select_rows(row, 1, at);
	return (word)row[0];
}

INLINE word permute(const struct block_tables *t, word w)
{
	__m256i nibbles = _mm256_set1_epi8(0x0f);
	__m256i low = (__m256i)w & nibbles;
	__m256i high = _mm256_srli_epi16((__m256i)w, 4) & nibbles;

	return (word)(_mm256_shuffle_epi8(t->permutation_low, low) |
		      _mm256_shuffle_epi8(t->permutation_high, high));
}

#include "worker/csa/slices.h"

static bool usable(void)
{
	return __builtin_cpu_supports("avx2");
}

const struct csa_core csa_core_avx2 = {
	.name = "AVX2",
	.lanes = LANES,
	.break_even = 6,
	.usable = usable,
	.scramble = scramble,
	.descramble = descramble,
};
