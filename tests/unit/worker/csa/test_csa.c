/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "worker/csa/core.h"
#include "worker/csa/csa.h"

#include <criterion/criterion.h>
#include <dvbcsa/dvbcsa.h>
#include <stdlib.h>
#include <string.h>

enum { PAYLOADS = 512, PAYLOAD = 184 };

static const uint8_t word[] = { 0x12, 0x34, 0x56, 0x9c,
				0xab, 0xcd, 0xef, 0x67 };
static uint8_t clear[PAYLOADS][PAYLOAD], scrambled[PAYLOADS][PAYLOAD];
static uint8_t copy[PAYLOADS][PAYLOAD];

static size_t length(size_t i)
{
	return i % PAYLOAD + 1;
}

/* Scrambles all payloads with the library's cipher for single ones. */
static void scramble(const uint8_t control_word[8])
{
	struct dvbcsa_key_s *key = dvbcsa_key_alloc();

	dvbcsa_key_set(control_word, key);
	srand(1);
	for (size_t i = 0; i < PAYLOADS; i++) {
		for (size_t k = 0; k < PAYLOAD; k++)
			clear[i][k] = (uint8_t)rand();
		memcpy(scrambled[i], clear[i], PAYLOAD);
		dvbcsa_encrypt(key, scrambled[i], (unsigned)length(i));
	}
	dvbcsa_key_free(key);
}

static void add(struct csa *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cr_assert_geq(csa_add(c, copy[i], length(i)),
			      csa_batch(c) - 1 - i, "%zu", i);
}

/* Batches of some sizes, with each number of payloads in the last words. */
static void judge(const struct csa_core *core)
{
	struct csa *c = csa_new(core);
	const char *name = core == NULL ? "libdvbcsa" : core->name;

	csa_set(c, word);
	for (size_t n = 0; n <= PAYLOADS; n += n < 70 ? 1 : 26) {
		if (n > csa_batch(c))
			break;
		memcpy(copy, scrambled, sizeof copy);
		add(c, n);
		csa_descramble(c);
		cr_assert_arr_eq(copy, clear, n * PAYLOAD, "%s %zu", name, n);
		cr_assert_arr_eq(copy[n], scrambled[n],
				 (PAYLOADS - n) * PAYLOAD, "%s %zu", name, n);
		add(c, n);
		csa_scramble(c);
		cr_assert_arr_eq(copy, scrambled, sizeof copy, "%s %zu", name,
				 n);
	}
	csa_free(&c);
}

Test(csa, every_core_agrees_with_the_cipher_for_single_payloads)
{
	const struct csa_core *core;

	scramble(word);
	judge(NULL);
	for (size_t i = 0; (core = csa_core(i)) != NULL; i++)
		judge(core);
}

Test(csa, every_core_agrees_with_every_bit_of_the_control_word)
{
	for (size_t bit = 0; bit < 64; bit++) {
		uint8_t control_word[8] = { 0 };
		const struct csa_core *core;

		control_word[bit / 8] = (uint8_t)(1 << bit % 8);
		scramble(control_word);
		for (size_t i = 0; (core = csa_core(i)) != NULL; i++) {
			struct csa *c = csa_new(core);

			memcpy(copy, scrambled, sizeof copy);
			csa_set(c, control_word);
			add(c, csa_batch(c));
			csa_descramble(c);
			cr_assert_arr_eq(copy, clear, csa_batch(c) * PAYLOAD,
					 "%s bit %zu", core->name, bit);
			csa_free(&c);
		}
	}
}

/* A core that no processor here can run proves nothing. */
Test(csa, a_processor_with_wide_registers_has_a_core)
{
	if (!CSA_CORES || !__builtin_cpu_supports("avx2"))
		cr_skip_test("no wide registers");
	cr_assert_not_null(csa_core(0));
}

static void scramble_badly(const struct csa_schedule *schedule,
			   const struct csa_payload *payloads, size_t n)
{
	csa_core(0)->scramble(schedule, payloads, n);
	payloads[n - 1].data[payloads[n - 1].len - 1] ^= 1;
}

static void descramble_badly(const struct csa_schedule *schedule,
			     const struct csa_payload *payloads, size_t n)
{
	csa_core(0)->descramble(schedule, payloads, n);
	payloads[n - 1].data[0] ^= 0x80;
}

/* The payloads of two lanes change places. */
static void swap_lanes(const struct csa_schedule *schedule,
		       const struct csa_payload *payloads, size_t n)
{
	uint8_t first[8];

	csa_core(0)->scramble(schedule, payloads, n);
	memcpy(first, payloads[0].data, sizeof first);
	memcpy(payloads[0].data, payloads[1].data, sizeof first);
	memcpy(payloads[1].data, first, sizeof first);
}

Test(csa, one_wrong_bit_or_lane_makes_a_core_disagree)
{
	struct csa_core core;

	if (csa_core(0) == NULL)
		cr_skip_test("no core for this processor");
	core = *csa_core(0);
	cr_assert(csa_core_agrees(&core));
	core.scramble = scramble_badly;
	cr_assert_not(csa_core_agrees(&core));
	core.scramble = swap_lanes;
	cr_assert_not(csa_core_agrees(&core));
	core = *csa_core(0);
	core.descramble = descramble_badly;
	cr_assert_not(csa_core_agrees(&core));
}

Test(csa, a_dropped_batch_stays_scrambled)
{
	struct csa *c = csa_new(csa_core(0));

	scramble(word);
	csa_set(c, word);
	memcpy(copy[0], scrambled[100], PAYLOAD);
	(void)csa_add(c, copy[0], 101);
	csa_drop(c);
	csa_descramble(c);
	cr_assert_arr_eq(copy[0], scrambled[100], PAYLOAD);
	csa_free(&c);
}
