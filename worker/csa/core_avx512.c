/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * 512 payloads at once, for processors with AVX-512, VBMI and GFNI.  The
 * functions of the stream cipher are ternary logic tables, the substitution of
 * the block cipher is a look-up in registers, and its permutation is a bit
 * matrix.
 */
#include "config.h" /* SANITIZED */

#pragma GCC target("avx512f,avx512bw,avx512vbmi,gfni")
#if !SANITIZED /* with sanitizers, the compiler takes long for unrolled loops */
#pragma GCC optimize("O3") /* keeps the arrays of words in registers */
#endif

#include "worker/csa/core.h"

#include <immintrin.h>

typedef unsigned long long word __attribute__((vector_size(64)));

enum { ABREAST = 4 };

#define INLINE static inline __attribute__((always_inline))

INLINE word splat(uint8_t byte)
{
	return (word)_mm512_set1_epi8((char)byte);
}

/* The result for the bits a, b and c is bit 4 * a + 2 * b + c of the table. */
#define TABLE3(a, b, c, table) \
	((word)_mm512_ternarylogic_epi64((__m512i)(a), (__m512i)(b), \
					 (__m512i)(c), table))
#define ZIP(name, kind) \
	INLINE word name(word a, word b) \
	{ \
		return (word)_mm512_unpack##kind((__m512i)a, (__m512i)b); \
	}

ZIP(zip8_low, lo_epi8)
ZIP(zip8_high, hi_epi8)
ZIP(zip16_low, lo_epi16)
ZIP(zip16_high, hi_epi16)
ZIP(zip32_low, lo_epi32)
ZIP(zip32_high, hi_epi32)

INLINE word xor3(word a, word b, word c)
{
	return TABLE3(a, b, c, 0x96);
}

INLINE word pick(word mask, word a, word b)
{
	return TABLE3(mask, a, b, 0xca);
}

INLINE word majority(word a, word b, word c)
{
	return TABLE3(a, b, c, 0xe8);
}

/* The result for the bits a to e is bit a + 2 * b + 4 * c + 8 * d + 16 * e of
 * the table. */
#define TABLE5(a, b, c, d, e, table) \
	pick(e, pick(d, TABLE3(c, b, a, (table) >> 24 & 0xff), \
			 TABLE3(c, b, a, (table) >> 16 & 0xff)), \
	       pick(d, TABLE3(c, b, a, (table) >> 8 & 0xff), \
		      TABLE3(c, b, a, (table) & 0xff)))
#define BOX(name, first_table, second_table) \
	INLINE void name(word a, word b, word c, word d, word e, word *first, \
			 word *second) \
	{ \
		*first = TABLE5(a, b, c, d, e, first_table); \
		*second = TABLE5(a, b, c, d, e, second_table); \
	}

/*
 * TABLE5 takes seven instructions.  For most boxes a search found two to five
 * TABLE3 with the same result.  The comment of a box has the tables that TABLE5
 * would need for *first and for *second.
 */
#define BOX_HEAD(name) \
	INLINE void name(word a, word b, word c, word d, word e, word *first, \
			 word *second)

/* TABLE5 of *first: 0x27968667, of *second: 0x69d89c5a */
BOX_HEAD(box1)
{
	word g = TABLE3(a, d, c, 0xa7), h = TABLE3(d, e, g, 0x82);
	word k = TABLE3(a, e, d, 0x15), l = TABLE3(k, d, e, 0xb8);

	*first = TABLE3(a, g, TABLE3(b, c, h, 0xb6), 0x58);
	*second = TABLE3(b, k, TABLE3(a, c, l, 0x86), 0x56);
}

/* TABLE5 of *first: 0x748d9665, of *second: 0x99a527c3 */
BOX_HEAD(box2)
{
	word g = TABLE3(e, a, b, 0xb5), h = TABLE3(c, g, b, 0xf4);
	word k = TABLE3(e, b, d, 0xfb), l = TABLE3(c, b, d, 0x28);

	*first = TABLE3(a, h, TABLE3(c, d, g, 0x92), 0x6b);
	*second = TABLE3(c, k, TABLE3(a, e, l, 0x97), 0x78);
}

/* TABLE5 of *first: 0x69c634cd, of *second: 0x99a5665a */
BOX_HEAD(box3)
{
	word g = TABLE3(e, a, c, 0x96), h = TABLE3(d, e, a, 0xdf);
	word i = TABLE3(d, g, TABLE3(e, b, a, 0xa1), 0x3d);

	*first = TABLE3(b, h, i, 0x86);
	*second = xor3(a, e, TABLE3(b, c, d, 0xe4));
}

BOX(box4, 0x4eb4d619, 0xd619b14b)
BOX(box5, 0xa53964e5, 0x4d6ab26c)

/* TABLE5 of *first: 0x39879c78, of *second: 0x4be49ba4 */
BOX_HEAD(box6)
{
	word g = TABLE3(d, e, a, 0x60), h = TABLE3(a, d, b, 0x98);
	word k = TABLE3(a, e, c, 0x2a), l = TABLE3(k, b, e, 0x1b);
	word m = TABLE3(c, b, e, 0x7c), n = TABLE3(c, d, l, 0x7c);

	*first = xor3(a, h, TABLE3(c, e, g, 0xbe));
	*second = TABLE3(a, m, n, 0xa6);
}

/* TABLE5 of *first: 0xda1a3996, of *second: 0x1e71e12e */
BOX_HEAD(box7)
{
	word g = TABLE3(d, b, e, 0x14), h = TABLE3(d, e, a, 0x6b);
	word i = TABLE3(c, h, TABLE3(h, b, g, 0x39), 0xe0);
	word k = TABLE3(a, b, e, 0x6c), l = TABLE3(a, k, c, 0xa6);

	*first = xor3(a, g, i);
	*second = xor3(a, e, TABLE3(d, k, l, 0x58));
}

struct block_tables {
	__m512i substitution[4];
	__m512i permutation; /* the permutation of a byte as an 8 x 8 bit
			      * matrix */
};

INLINE struct block_tables block_tables(void)
{
	struct block_tables t;
	uint64_t matrix = 0;

	for (size_t i = 0; i < 4; i++)
		t.substitution[i] = _mm512_loadu_si512(csa_substitution +
						       64 * i);
	/* byte 7 - i of the matrix selects the input bits whose sum is output
	 * bit i */
	for (size_t i = 0; i < 8; i++)
		matrix |= (uint64_t)1
			  << (8 * (7 - (size_t)csa_permutation[i]) + i);
	t.permutation = _mm512_set1_epi64((long long)matrix);
	return t;
}

INLINE word substitute(const struct block_tables *t, word w)
{
	__m512i at = (__m512i)w;
	__m512i low = _mm512_permutex2var_epi8(t->substitution[0], at,
					       t->substitution[1]);
	__m512i high = _mm512_permutex2var_epi8(t->substitution[2], at,
						t->substitution[3]);

	return (word)_mm512_mask_blend_epi8(_mm512_movepi8_mask(at), low,
					    high);
}

INLINE word permute(const struct block_tables *t, word w)
{
	return (word)_mm512_gf2p8affine_epi64_epi8((__m512i)w, t->permutation,
						   0);
}

#include "worker/csa/slices.h"

static bool usable(void)
{
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vbmi") &&
	       __builtin_cpu_supports("gfni");
}

const struct csa_core csa_core_avx512 = {
	.name = "AVX-512",
	.lanes = LANES,
	.break_even = 4,
	.usable = usable,
	.scramble = scramble,
	.descramble = descramble,
};
