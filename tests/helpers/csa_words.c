/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/helpers/csa_words.h"

#include <dvbcsa/dvbcsa.h>
#include <string.h>

void csa_words_init(struct csa_words *w)
{
	*w = (struct csa_words){ .parity = -1 };
	for (int half = 0; half < 2; half++)
		w->keys[half] = dvbcsa_key_alloc();
}

void csa_words_done(struct csa_words *w)
{
	for (int half = 0; half < 2; half++)
		dvbcsa_key_free(w->keys[half]);
}

void csa_words_take(struct csa_words *w, int half, const uint8_t *word)
{
	if (half == w->parity && w->known[half]) {
		memcpy(w->waiting, word, CSA_WORD);
		w->waits = true;
		return;
	}
	dvbcsa_key_set(word, w->keys[half]);
	w->known[half] = true;
}

bool csa_words_clear(struct csa_words *w, uint8_t *packet)
{
	int parity = packet[3] >> 6 & 1;
	unsigned at = packet[3] & 0x20 ? 5u + packet[4] : 4;

	if (parity != w->parity) {
		if (w->waits && w->parity >= 0)
			dvbcsa_key_set(w->waiting, w->keys[w->parity]);
		w->waits = false;
		w->changes += w->parity >= 0;
		w->parity = parity;
	}
	if (!w->known[parity]) {
		w->lost++;
		return false;
	}
	if (at < CSA_PACKET)
		dvbcsa_decrypt(w->keys[parity], packet + at, CSA_PACKET - at);
	packet[3] &= 0x3f;
	return true;
}
