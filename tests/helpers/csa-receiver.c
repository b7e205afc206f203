/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A receiver with a smart card, for ECMs that contain their control words: it
 * reads a stream from standard input, takes the words from the ECMs on a PID,
 * and writes the descrambled stream to standard output.
 *
 *	csa-receiver ECM_PID < scrambled > clear
 *
 * The half of an ECM whose parity is not in use is taken at once, the other
 * half only if no word of this parity is known.  At the end one line on
 * standard error: the number of ECMs with new content, of changes of the
 * parity, and of packets that had no word.
 *
 * It does not use the code that it judges, but for libdvbcsa.
 */
#include <dvbcsa/dvbcsa.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 188, WORD = 8, EVEN_TAG = 0x10, ODD_TAG = 0x11 };

struct receiver {
	struct dvbcsa_key_s *keys[2];
	bool known[2];
	int parity; /* in use; -1: none yet */
	uint8_t ecm[SIZE - 4];
	uint8_t waiting[WORD]; /* of the parity in use; taken at its change */
	bool waits;
	unsigned ecms, changes, lost;
};

static void take_word(struct receiver *r, int half, const uint8_t *word)
{
	if (half == r->parity && r->known[half]) {
		memcpy(r->waiting, word, WORD);
		r->waits = true;
		return;
	}
	dvbcsa_key_set(word, r->keys[half]);
	r->known[half] = true;
}

/* 80 length: 80 AA 03, length, {tag, length, value}*. */
static void take_ecm(struct receiver *r, const uint8_t *packet)
{
	const uint8_t *payload = packet + 4, *p;
	const uint8_t *end = packet + SIZE;

	if (memcmp(payload, r->ecm, sizeof r->ecm) == 0)
		return;
	memcpy(r->ecm, payload, sizeof r->ecm);
	r->ecms++;
	/* pointer_field, section header, head of the payload */
	for (p = payload + 1 + 3 + 5; p + 4 <= end;) {
		unsigned tag = (unsigned)(p[0] << 8 | p[1]);
		unsigned len = (unsigned)(p[2] << 8 | p[3]);

		if (p + 4 + len > end)
			return;
		if ((tag == EVEN_TAG || tag == ODD_TAG) && len == WORD)
			take_word(r, tag == ODD_TAG, p + 4);
		p += 4 + len;
	}
}

static void descramble(struct receiver *r, uint8_t *packet)
{
	int parity = packet[3] >> 6 & 1;
	unsigned at = packet[3] & 0x20 ? 5u + packet[4] : 4;

	if (parity != r->parity) {
		if (r->waits && r->parity >= 0)
			dvbcsa_key_set(r->waiting, r->keys[r->parity]);
		r->waits = false;
		r->changes += r->parity >= 0;
		r->parity = parity;
	}
	if (!r->known[parity]) {
		r->lost++;
		return;
	}
	if (at < SIZE)
		dvbcsa_decrypt(r->keys[parity], packet + at, SIZE - at);
	packet[3] &= 0x3f;
}

int main(int argc, char **argv)
{
	long pid = argc == 2 ? strtol(argv[1], NULL, 0) : -1;
	struct receiver r = { .parity = -1 };
	uint8_t packet[SIZE];

	if (pid < 0)
		return 2;
	r.keys[0] = dvbcsa_key_alloc();
	r.keys[1] = dvbcsa_key_alloc();
	while (fread(packet, SIZE, 1, stdin) == 1) {
		if (((packet[1] & 0x1f) << 8 | packet[2]) == pid)
			take_ecm(&r, packet);
		else if (packet[3] & 0x80)
			descramble(&r, packet);
		if (fwrite(packet, SIZE, 1, stdout) != 1)
			return 1;
	}
	(void)fprintf(stderr, "%u ECMs %u changes %u lost\n", r.ecms,
		      r.changes, r.lost);
	return 0;
}
