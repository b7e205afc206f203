/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/backoff.h"

#include "common/base/util.h"

void backoff_started(struct backoff *b, uint64_t now_ms)
{
	b->started_ms = now_ms;
	b->ready_ms = 0;
	b->works_ms = 0;
}

void backoff_ready(struct backoff *b, uint64_t now_ms)
{
	b->ready_ms = now_ms;
}

void backoff_alive(struct backoff *b, uint64_t now_ms)
{
	if (b->ready_ms != 0 && now_ms - b->ready_ms >= BACKOFF_HEALTHY_MS)
		b->ends = 0;
}

/* Changes ms at random by up to 20 %. */
static unsigned jitter(struct backoff *b, unsigned ms)
{
	/* generator of Numerical Recipes: random enough to spread the starts of
	 * workers */
	b->seed = b->seed * 1664525u + 1013904223u;
	return ms * 8 / 10 + (b->seed >> 16) % (ms * 4 / 10 + 1);
}

unsigned backoff_spacing(const struct backoff *b, uint64_t now_ms)
{
	uint64_t since_start = now_ms - b->started_ms;

	return since_start < BACKOFF_SPACING_MS
		       ? (unsigned)(BACKOFF_SPACING_MS - since_start) : 0;
}

unsigned backoff_ended(struct backoff *b, uint64_t now_ms)
{
	unsigned wait = 0;

	backoff_alive(b, now_ms);
	b->ends++;
	b->ready_ms = 0;
	if (b->ends >= BACKOFF_QUARANTINE)
		wait = jitter(b, BACKOFF_MAX_MS);
	else if (b->ends > 1)
		wait = jitter(b, (unsigned)BACKOFF_FIRST_MS << (b->ends - 2));
	return MAX(wait, backoff_spacing(b, now_ms));
}

uint64_t backoff_renew_ms(const struct backoff *b)
{
	const unsigned renewals = b->renewals > 0 ? b->renewals
						  : BACKOFF_RENEWALS;
	const uint64_t ahead_ms = (uint64_t)(renewals - 1) *
				  BACKOFF_RENEWAL_MS;

	return b->renewed_ms > ahead_ms ? b->renewed_ms - ahead_ms : 0;
}

bool backoff_renew(struct backoff *b, uint64_t now_ms)
{
	if (now_ms < backoff_renew_ms(b))
		return false;
	b->renewed_ms = MAX(b->renewed_ms, now_ms) + BACKOFF_RENEWAL_MS;
	return true;
}

void backoff_works(struct backoff *b, bool works, uint64_t now_ms)
{
	if (!works)
		b->works_ms = 0;
	else if (b->works_ms == 0)
		b->works_ms = now_ms;
	else if (now_ms - b->works_ms >= BACKOFF_WORK_MS)
		b->renewed_ms = 0;
}

void backoff_reset(struct backoff *b)
{
	b->ends = 0;
}

bool backoff_is_quarantine(const struct backoff *b)
{
	return b->ends >= BACKOFF_QUARANTINE;
}
