/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/csa/core_choice.h"

#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/csa/core.h"
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
