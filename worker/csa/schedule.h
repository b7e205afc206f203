/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of the DVB Common Scrambling Algorithm, which are made from a
 * control word, and the substitution and the permutation of its block cipher.
 */
#pragma once

#include <stdint.h>

enum { CSA_ROUNDS = 56 };

struct csa_schedule {
	uint8_t control_word[8]; /* key of the stream cipher */
	/* round keys of the block cipher, in the order of encryption */
	uint8_t round[CSA_ROUNDS];
};

/* A round of the block cipher substitutes a byte by csa_substitution; then the
 * permutation moves bit i of the result to bit csa_permutation[i]. */
extern const uint8_t csa_substitution[256];
extern const uint8_t csa_permutation[8];

void csa_schedule(const uint8_t control_word[8], struct csa_schedule *ret);
