/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/merge/ts_likeness.h"

#include "common/base/util.h"

#include <string.h>

enum {
	/* Packets that count; older ones weigh half. */
	LAST = 2000,
	/* Each path may have so many packets that the other lacks. */
	DIFFER_MIN = 16,
	/* Equal packets that are enough when they were never refused, ... */
	ENOUGH = 64,
	/* ... otherwise they must not differ for so long, too. */
	TRIAL_S = 3,
	/* A trial after a refusal; each next one takes twice as long. */
	BACK_OFF_S = 5,
	BACK_OFF_DOUBLINGS = 6,
	FORGIVEN_S = 60,
};

static bool differs(const struct ts_like_count *c)
{
	return MIN(c->alone[0], c->alone[1]) > c->common + DIFFER_MIN;
}

static void age(struct ts_like_count *c)
{
	if (c->common + c->alone[0] + c->alone[1] < LAST)
		return;
	c->common /= 2;
	c->alone[0] /= 2;
	c->alone[1] /= 2;
}

static void enter(struct ts_likeness *l, enum ts_likeness_state state)
{
	l->state = state;
	l->wait_s = 0;
	memset(l->count, 0, sizeof l->count);
}

static void refuse(struct ts_likeness *l, unsigned slot)
{
	const struct ts_like_count *all = &l->count[TS_LIKE_ALL];

	l->slot = slot;
	l->differ = (uint32_t)all->alone[0] + all->alone[1];
	l->of = l->differ + all->common;
	l->refused += l->refused < BACK_OFF_DOUBLINGS;
	enter(l, TS_LIKE_REFUSED);
}

static bool has_pcr(const uint8_t *packet)
{
	return ts_adaptation_flags(packet) & 0x10;
}

static void count_common(struct ts_likeness *l, unsigned slot)
{
	l->count[slot].common++;
	age(&l->count[slot]);
}

static void accept_copies(struct ts_likeness *l)
{
	if (l->count[TS_LIKE_ALL].common < ENOUGH)
		return;
	l->state = TS_LIKE_SAME;
	l->wait_s = 0;
}

void ts_likeness_common(struct ts_likeness *l, const uint8_t *packet)
{
	count_common(l, ts_pid(packet));
	count_common(l, TS_LIKE_ALL);
	if (has_pcr(packet))
		count_common(l, TS_LIKE_PCR);
	if (l->state == TS_LIKE_TRIAL && l->refused == 0)
		accept_copies(l);
}

static bool count_alone(struct ts_likeness *l, unsigned slot, unsigned path)
{
	struct ts_like_count *c = &l->count[slot];

	c->alone[path]++;
	if (differs(c)) {
		refuse(l, slot);
		return false;
	}
	age(c);
	return true;
}

void ts_likeness_alone(struct ts_likeness *l, const uint8_t *packet,
		       unsigned path)
{
	if (l->state == TS_LIKE_REFUSED)
		return;
	if (count_alone(l, TS_LIKE_ALL, path) &&
	    count_alone(l, ts_pid(packet), path) && has_pcr(packet))
		(void)count_alone(l, TS_LIKE_PCR, path);
}

void ts_likeness_every_second(struct ts_likeness *l, bool both)
{
	/* a silent path cannot be compared */
	if (!both)
		return;
	l->wait_s++;
	if (l->state == TS_LIKE_REFUSED &&
	    l->wait_s >= (unsigned)BACK_OFF_S << (l->refused - 1))
		enter(l, TS_LIKE_TRIAL);
	else if (l->state == TS_LIKE_TRIAL && l->wait_s > TRIAL_S)
		accept_copies(l);
	else if (l->state == TS_LIKE_SAME && l->wait_s >= FORGIVEN_S)
		l->refused = 0;
}
