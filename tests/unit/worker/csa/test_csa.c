/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/csa/csa.h"

#include <criterion/criterion.h>
#include <dvbcsa/dvbcsa.h>
#include <stdlib.h>
#include <string.h>

enum { PAYLOADS = 128, PAYLOAD = 184 };

static const uint8_t word[] = { 0x12, 0x34, 0x56, 0x9c,
				0xab, 0xcd, 0xef, 0x67 };

/* Payload i has i % 184 + 1 bytes of the library's cipher for single ones. */
static void scramble(uint8_t clear[][PAYLOAD], uint8_t ret[][PAYLOAD])
{
	struct dvbcsa_key_s *key = dvbcsa_key_alloc();

	dvbcsa_key_set(word, key);
	srand(1);
	for (size_t i = 0; i < PAYLOADS; i++) {
		for (size_t k = 0; k < PAYLOAD; k++)
			clear[i][k] = (uint8_t)rand();
		memcpy(ret[i], clear[i], PAYLOAD);
		dvbcsa_encrypt(key, ret[i], (unsigned)(i % PAYLOAD + 1));
	}
	dvbcsa_key_free(key);
}

Test(csa, batches_of_every_size_are_descrambled)
{
	static uint8_t clear[PAYLOADS][PAYLOAD], scrambled[PAYLOADS][PAYLOAD];
	static uint8_t copy[PAYLOADS][PAYLOAD];
	struct csa *c = csa_new();

	scramble(clear, scrambled);
	csa_set(c, word);
	for (size_t n = 0; n <= PAYLOADS; n++) {
		memcpy(copy, scrambled, sizeof copy);
		for (size_t i = 0; i < n; i++)
			cr_assert_geq(csa_add(c, copy[i], i % PAYLOAD + 1),
				      PAYLOADS - 1 - i);
		csa_descramble(c);
		cr_assert_arr_eq(copy, clear, n * PAYLOAD, "%zu", n);
		cr_assert_arr_eq(copy[n], scrambled[n],
				 (PAYLOADS - n) * PAYLOAD, "%zu", n);
	}
	csa_free(&c);
}

Test(csa, a_dropped_batch_stays_scrambled)
{
	static uint8_t clear[PAYLOADS][PAYLOAD], scrambled[PAYLOADS][PAYLOAD];
	uint8_t copy[PAYLOAD];
	struct csa *c = csa_new();

	scramble(clear, scrambled);
	csa_set(c, word);
	memcpy(copy, scrambled[100], sizeof copy);
	(void)csa_add(c, copy, 101);
	csa_drop(c);
	csa_descramble(c);
	cr_assert_arr_eq(copy, scrambled[100], sizeof copy);
	csa_free(&c);
}
