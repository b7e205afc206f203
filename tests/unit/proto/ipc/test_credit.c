/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/ipc/credit.h"

#include "common/base/mono.h"
#include "common/base/units.h"
#include "proto/ipc/contract.h"

#include <criterion/criterion.h>

/* takes the place of common/base/mono.c */
static uint64_t clock_ns = SECOND_NS;

uint64_t mono_ns(void)
{
	return clock_ns;
}

uint64_t mono_ms(void)
{
	return clock_ns / MS;
}

/* Uses all credit and more. */
static void owe(struct credit *c)
{
	credit_start(c);
	credit_charge(c, CHANNEL_COST_SAVED_MS * (int64_t)MS);
	cr_assert_not(credit_is_exceeded(c));
}

Test(credit, a_pause_is_worth_more_than_one_message)
{
	const int64_t cost_ns = MS / 2;
	struct credit c;
	unsigned n = 0;

	owe(&c);
	cr_assert_gt(credit_wait_s(&c), 0.0);
	clock_ns += (uint64_t)(credit_wait_s(&c) * (double)SECOND_NS);
	do {
		credit_charge(&c, cost_ns);
		n++;
	} while (credit_wait_s(&c) <= 0 && n < 100);
	cr_assert_geq(n, 4);
	cr_assert_lt(n, 10);
}

Test(credit, is_exceeded_when_it_was_owed_for_too_long)
{
	struct credit c;

	owe(&c);
	for (unsigned ms = 0; ms < CHANNEL_COST_OWED_MS; ms += 100) {
		cr_assert_not(credit_is_exceeded(&c));
		clock_ns += 100 * MS;
		credit_charge(&c, 50 * MS);
	}
	clock_ns += MS;
	cr_assert(credit_is_exceeded(&c));
}

Test(credit, a_time_without_messages_forgives)
{
	struct credit c;

	owe(&c);
	clock_ns += CHANNEL_COST_OWED_MS * MS;
	credit_charge(&c, 0);
	cr_assert_eq(c.owed_ms, 0u);
	credit_charge(&c, 2 * CHANNEL_COST_SAVED_MS * (int64_t)MS);
	cr_assert_not(credit_is_exceeded(&c));
}

Test(credit, replies_add_a_bounded_sum)
{
	struct credit c;

	owe(&c);
	for (unsigned i = 0; i < CHANNEL_FLOOD; i++)
		credit_allow(&c, MSG_DELIVER_LIST);
	cr_assert_leq(c.left_ns, CHANNEL_COST_REPLIES_MS * (int64_t)MS);
	cr_assert_gt(c.left_ns, (CHANNEL_COST_REPLIES_MS -
				 CHANNEL_COST_REPLY_MS) * (int64_t)MS);
	/* that is more than is saved, and no time takes it back */
	clock_ns += SECOND_NS;
	credit_charge(&c, 0);
	cr_assert_gt(c.left_ns, CHANNEL_COST_SAVED_MS * (int64_t)MS);
}

Test(credit, an_answer_adds_what_its_question_cost)
{
	struct credit c;
	int64_t before;

	owe(&c);
	before = c.left_ns;
	credit_allow(&c, MSG_DELIVER_ANSWER);
	cr_assert_gt(c.left_ns, before);
	cr_assert_lt(c.left_ns, before + (int64_t)MS);
}
