/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/csa/core_choice.h"

#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/csa/core.h"
#include "worker/csa/csa.h"
#include "worker/stream/input_chain.h"

#include <criterion/criterion.h>
#include <string.h>

static unsigned proofs;
static unsigned wrong; /* so many cores disagree with libdvbcsa */

bool __real_csa_core_agrees(const struct csa_core *core);
bool __wrap_csa_core_agrees(const struct csa_core *core);

bool __wrap_csa_core_agrees(const struct csa_core *core)
{
	proofs++;
	return proofs > wrong && __real_csa_core_agrees(core);
}

static void need_core(void)
{
	if (csa_core(0) == NULL)
		cr_skip_test("no core for this processor");
}

static void count_line(enum log_level level, const char *component,
		       const char *text, void *arg)
{
	(void)component;
	cr_assert_eq(level, LOG_LEVEL_ERROR);
	cr_assert_not_null(strstr(text, csa_core(0)->name), "%s", text);
	++*(unsigned *)arg;
}

Test(core_choice, a_core_that_is_wrong_is_logged_and_not_taken)
{
	struct csa_choice choice = { 0 };
	unsigned lines = 0;

	need_core();
	log_open(count_line, &lines, LOG_LEVEL_INFO);
	wrong = 1;
	cr_assert_eq(csa_choose(&choice), csa_core(1));
	cr_assert_eq(csa_choose(&choice), csa_core(1));
	cr_assert_eq(lines, 1);
}

static void count_lines(enum log_level level, const char *component,
			const char *text, void *arg)
{
	(void)component, (void)text;
	cr_assert_eq(level, LOG_LEVEL_ERROR);
	++*(unsigned *)arg;
}

/* A processor whose instructions are not those that it claims. */
Test(core_choice, libdvbcsa_serves_if_all_cores_are_wrong)
{
	static const uint8_t word[] = { 0x12, 0x34, 0x56, 0x9c,
					0xab, 0xcd, 0xef, 0x67 };
	uint8_t payloads[CSA_BREAK_EVEN][184] = { { 0 } };
	struct csa_choice choice = { 0 };
	unsigned lines = 0, cores = 0;
	struct csa *c;

	need_core();
	while (csa_core(cores) != NULL)
		cores++;
	log_open(count_lines, &lines, LOG_LEVEL_INFO);
	wrong = cores;
	cr_assert_null(csa_choose(&choice));
	cr_assert_null(csa_choose(&choice));
	cr_assert_eq(lines, cores);
	cr_assert_eq(proofs, cores);
	c = csa_new(csa_choose(&choice));
	csa_set(c, word);
	for (unsigned turn = 0; turn < 2; turn++) {
		for (size_t i = 0; i < CSA_BREAK_EVEN; i++)
			(void)csa_add(c, payloads[i], sizeof payloads[i]);
		if (turn == 0)
			csa_scramble(c);
		else
			csa_descramble(c);
		for (size_t i = 0; i < CSA_BREAK_EVEN; i++)
			cr_assert_eq(payloads[i][0] == 0, turn == 1);
	}
	csa_free(&c);
}

static void ignore(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)runs, (void)n_runs, (void)arg;
}

static int ask(const struct msg *m, void *arg)
{
	(void)m, (void)arg;
	return 0;
}

/* A proof takes milliseconds: packets must not wait for it. */
Test(core_choice, a_process_proves_its_core_once_and_before_the_first_word)
{
	static const char *const addresses[] = {
		"udp://127.0.0.1:9001#cam=c1",
		"udp://127.0.0.1:9002#biss=123456abcdef",
	};
	static struct input_chain chains[ARRAY_LEN(addresses)];
	static struct table_versions versions;
	struct csa_choice choice = { 0 };
	struct stream_spec spec;

	need_core();
	stream_spec_init(&spec);
	for (size_t i = 0; i < ARRAY_LEN(addresses); i++)
		chain_init(&chains[i], &(struct chain_config){
			.position = (unsigned)i + 1, .address = addresses[i],
			.stream = &spec, .csa = &choice, .versions = &versions,
			.descrambled = ignore, .remuxed = ignore, .ask = ask,
		});
	cr_assert_eq(proofs, 1);
	for (uint8_t group = 0; group < DESCRAMBLER_GROUPS; group++) {
		const uint8_t word[CSA_CONTROL_WORD] = { group, 1, 2, 3 };

		descrambler_offer(chains[0].descrambler, group,
				  DESCRAMBLER_EVEN, word);
		descrambler_offer(chains[0].descrambler, group,
				  DESCRAMBLER_ODD, word);
	}
	cr_assert_eq(proofs, 1);
	for (size_t i = 0; i < ARRAY_LEN(addresses); i++)
		chain_done(&chains[i]);
}
