/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/ipc/credit.h"

#include "common/base/mono.h"
#include "common/base/units.h"
#include "common/base/util.h"
#include "config.h"
#include "proto/ipc/contract.h"

enum {
	/* Only the reading and handling of a message is measured, not the
	 * wake-up of the loop for it.  So the measured part may cost only four
	 * fifths of CHANNEL_COST_PERCENT (here in permille).  With sanitizers
	 * the bound is 8 times as high, because they slow the code down. */
	COST_PERMILLE = CHANNEL_COST_PERCENT * 8 * (SANITIZED ? 8 : 1),
};

static const int64_t saved_ns = CHANNEL_COST_SAVED_MS * 4 / 5 * (int64_t)MS;
/* A pause lasts until there is so much credit: several messages follow it, so
 * that its wake-up costs little beside them.  The shortest pause takes 83 ms
 * for it. */
static const int64_t resumed_ns = 2 * MS;

void credit_start(struct credit *c)
{
	*c = (struct credit){ .left_ns = saved_ns, .at_ns = mono_ns() };
}

void credit_allow(struct credit *c, enum msg_type type)
{
	const int64_t most_ns = CHANNEL_COST_REPLIES_MS * (int64_t)MS;
	const int64_t answer_ns = CHANNEL_COST_ANSWER_US *
				  (int64_t)(SANITIZED ? 8 : 1) * (MS / 1000);
	int64_t more_ns = type == MSG_DELIVER_ANSWER
		? answer_ns : CHANNEL_COST_REPLY_MS * (int64_t)MS;

	c->left_ns = MAX(c->left_ns, MIN(c->left_ns + more_ns, most_ns));
}

void credit_charge(struct credit *c, int64_t cost_ns)
{
	uint64_t now = mono_ns();
	int64_t earned = (int64_t)(now - c->at_ns) / 1000 * COST_PERMILLE;

	c->at_ns = now;
	/* after credit_allow() the credit may exceed saved_ns */
	if (c->left_ns < saved_ns)
		c->left_ns = MIN(c->left_ns + earned, saved_ns);
	c->left_ns -= cost_ns;
	if (c->left_ns > saved_ns / 2)
		c->owed_ms = 0;
	else if (c->left_ns < 0 && c->owed_ms == 0)
		c->owed_ms = now / MS;
}

double credit_wait_s(const struct credit *c)
{
	if (c->left_ns >= 0)
		return 0;
	return (double)(resumed_ns - c->left_ns) * 1000 / COST_PERMILLE /
	       (double)SECOND_NS;
}

bool credit_is_exceeded(const struct credit *c)
{
	return c->left_ns < 0 &&
	       mono_ms() - c->owed_ms > CHANNEL_COST_OWED_MS;
}
