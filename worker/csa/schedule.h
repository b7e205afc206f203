/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys that the DVB Common Scrambling Algorithm makes from a control word,
 * and the substitution of its block cipher.
 */
#pragma once

#include <stdint.h>

enum { CSA_ROUNDS = 56 };

struct csa_schedule {
	uint8_t control_word[8]; /* the key of the stream cipher */
	uint8_t round[CSA_ROUNDS]; /* of the block cipher, as it encrypts */
};

/* The substitution of a byte in a round of the block cipher.  Behind it, the
 * permutation moves bit i of a byte to bit csa_permutation[i]. */
extern const uint8_t csa_substitution[256];
extern const uint8_t csa_permutation[8];

void csa_schedule(const uint8_t control_word[8], struct csa_schedule *ret);
