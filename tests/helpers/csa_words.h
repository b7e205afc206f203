/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The control words of a receiver, which it takes from ECMs.
 *
 * The word of the parity that is not in use is taken at once, the other one
 * only if no word of this parity is known; else it waits for the change.
 *
 * It does not use the code that it judges, but for libdvbcsa.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CSA_WORD = 8, CSA_PACKET = 188 };

struct csa_words {
	struct dvbcsa_key_s *keys[2];
	bool known[2], waits;
	int parity; /* in use; -1: none yet */
	uint8_t waiting[CSA_WORD]; /* of the parity in use */
	unsigned changes; /* of the parity */
	unsigned lost;    /* packets that had no word */
};

void csa_words_init(struct csa_words *);
void csa_words_done(struct csa_words *);
void csa_words_take(struct csa_words *, int half, const uint8_t *word);
/* Descrambles a scrambled packet; false: it has no word. */
bool csa_words_clear(struct csa_words *, uint8_t *packet);
