/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/merge/ts_likeness.h"

#include "common/base/util.h"

#include <string.h>

enum {
	/* Number of packets at which the counts are halved, so that older
	 * packets weigh less. */
	LAST = 2000,
	/* Paths differ if, of a PID, each path has more packets that the other
	 * lacks than common packets and this number together. */
	DIFFER_MIN = 16,
	/* Common packets that prove copies, if there was no recent refusal. */
	ENOUGH = 64,
	/* After a refusal the paths must also not differ for this time. */
	TRIAL_S = 3,
	/* Of the waiting packets the other path may lack one for this many
	 * common packets. */
	LOSSY = 4,
	/* Time from a refusal to the next trial; doubles with each further
	 * refusal. */
	BACK_OFF_S = 5,
	BACK_OFF_DOUBLINGS = 6,
	/* After this time as copies earlier refusals no longer count. */
	FORGIVEN_S = 60,
	/* A doubtful PID delays the acceptance of copies for at most this time.
	 * Paths that differ are refused earlier. */
	DOUBT_S = 60,
};

/* Halves the counts when there are many packets, so that the last packets weigh
 * more than older ones. */
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
	l->doubtful = 0;
	l->doubt_ahead = false;
	memset(l->count, 0, sizeof l->count);
}

/* True if in this slot both paths have more packets that the other lacks than
 * common ones, although too few for a refusal. */
static bool is_doubtful(const struct ts_like_count *c)
{
	return MIN(c->alone[0], c->alone[1]) > c->common;
}

static void accept_copies(struct ts_likeness *l)
{
	if (l->count[TS_LIKE_ALL].common < ENOUGH || l->doubtful > 0 ||
	    l->doubt_ahead)
		return;
	l->state = TS_LIKE_SAME;
	l->wait_s = 0;
}

/* Writes the slots in which a packet is counted; returns their number. */
static unsigned find_slots(const uint8_t *packet, unsigned ret[3])
{
	ret[0] = TS_LIKE_ALL;
	ret[1] = ts_pid(packet);
	ret[2] = TS_LIKE_PCR;
	return ts_adaptation_flags(packet) & 0x10 ? 3 : 2;
}

void ts_likeness_common(struct ts_likeness *l, const uint8_t *packet)
{
	unsigned slots[3], n = find_slots(packet, slots);

	for (unsigned i = 0; i < n; i++) {
		struct ts_like_count *c = &l->count[slots[i]];

		l->doubtful -= is_doubtful(c);
		c->common++;
		age(c);
		l->doubtful += is_doubtful(c);
	}
	if (l->state == TS_LIKE_TRIAL && l->refused == 0)
		accept_copies(l);
}

void ts_likeness_alone(struct ts_likeness *l, const uint8_t *packet,
		       unsigned path)
{
	const struct ts_like_count *all = &l->count[TS_LIKE_ALL];
	unsigned slots[3], n = find_slots(packet, slots);

	for (unsigned i = 0; i < n && l->state != TS_LIKE_REFUSED; i++) {
		struct ts_like_count *c = &l->count[slots[i]];

		l->doubtful -= is_doubtful(c);
		c->alone[path]++;
		if (MIN(c->alone[0], c->alone[1]) <= c->common + DIFFER_MIN) {
			age(c);
			l->doubtful += is_doubtful(c);
			continue;
		}
		l->slot = slots[i];
		l->differ = (uint32_t)all->alone[0] + all->alone[1];
		l->of = l->differ + all->common;
		l->refused += l->refused < BACK_OFF_DOUBLINGS;
		enter(l, TS_LIKE_REFUSED);
	}
}

void ts_likeness_ahead(struct ts_likeness *l, size_t common, size_t alone,
		       bool doubt)
{
	l->doubt_ahead = doubt;
	if (l->state == TS_LIKE_TRIAL && l->refused == 0 && common >= ENOUGH &&
	    alone <= common / LOSSY && !doubt && l->doubtful == 0)
		enter(l, TS_LIKE_SAME);
}

void ts_likeness_every_second(struct ts_likeness *l, bool both)
{
	/* a silent path cannot be compared */
	if (!both)
		return;
	l->wait_s++;
	/* Forgets the packets that one path lacked, because the network may
	 * have lost them, and their PID may have ended since. */
	if (l->state == TS_LIKE_TRIAL && l->wait_s % DOUBT_S == 0)
		for (size_t i = 0; i < TS_LIKE_SLOTS && l->doubtful > 0; i++) {
			struct ts_like_count *c = &l->count[i];

			l->doubtful -= is_doubtful(c);
			c->alone[0] = c->alone[1] = 0;
		}
	if (l->state == TS_LIKE_REFUSED &&
	    l->wait_s >= (unsigned)BACK_OFF_S << (l->refused - 1))
		enter(l, TS_LIKE_TRIAL);
	else if (l->state == TS_LIKE_TRIAL && l->wait_s > TRIAL_S)
		accept_copies(l);
	else if (l->state == TS_LIKE_SAME && l->wait_s >= FORGIVEN_S)
		l->refused = 0;
}
