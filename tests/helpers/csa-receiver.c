/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A receiver with a smart card, for ECMs that contain their control words: it
 * reads a stream from standard input, takes the words from the ECMs on a PID,
 * and writes the descrambled stream to standard output.
 *
 *	csa-receiver ECM_PID < scrambled > clear
 *
 * At the end one line on standard error: the number of ECMs with new content,
 * of changes of the parity, and of packets that had no word.
 */
#include "tests/helpers/csa_words.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = CSA_PACKET, EVEN_TAG = 0x10, ODD_TAG = 0x11 };

struct receiver {
	struct csa_words words;
	uint8_t ecm[SIZE - 4];
	unsigned ecms;
};

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
		if ((tag == EVEN_TAG || tag == ODD_TAG) && len == CSA_WORD)
			csa_words_take(&r->words, tag == ODD_TAG, p + 4);
		p += 4 + len;
	}
}

int main(int argc, char **argv)
{
	long pid = argc == 2 ? strtol(argv[1], NULL, 0) : -1;
	struct receiver r = { 0 };
	uint8_t packet[SIZE];

	if (pid < 0)
		return 2;
	csa_words_init(&r.words);
	while (fread(packet, SIZE, 1, stdin) == 1) {
		if (((packet[1] & 0x1f) << 8 | packet[2]) == pid)
			take_ecm(&r, packet);
		else if (packet[3] & 0x80)
			(void)csa_words_clear(&r.words, packet);
		if (fwrite(packet, SIZE, 1, stdout) != 1)
			return 1;
	}
	(void)fprintf(stderr, "%u ECMs %u changes %u lost\n", r.ecms,
		      r.words.changes, r.words.lost);
	csa_words_done(&r.words);
	return 0;
}
