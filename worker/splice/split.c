/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Headers of PES whose time stamps lie in several packets: the packets wait
 * until all of the header has arrived, and each of them gets its part of the
 * moved header. */
#include "worker/splice/machine.h"

#include <string.h>

enum { RANDOM_ACCESS = 0x40 };

enum pes_head_sign splice_split_read(const struct splice *s,
				     const struct splice_cursor *at,
				     struct pes_split *ret)
{
	enum pes_head_sign sign = pes_head_read(splice_cursor_get(at),
						&ret->head);
	struct splice_cursor c = *at;

	while (sign == HEAD_WAITS && splice_cursor_next(&c))
		sign = pes_head_add(&ret->head, splice_cursor_get(&c));
	/* Only the first held packet has waited in vain.  A later packet may
	 * have arrived just now, so its header still waits for its rest. */
	return sign == HEAD_WAITS && s->state == SPLICE_JUDGE &&
			       (s->ends || (s->split_waits && at->index == 0))
		? HEAD_LOST : sign;
}

const uint8_t *splice_split_join(const struct splice *s, const uint8_t *packet,
				 uint8_t whole[TS_PACKET])
{
	const struct pes_split *h = s->header;

	if (h == NULL)
		return packet;
	memset(whole, 0xff, TS_PACKET);
	memcpy(whole, packet, 4);
	whole[3] |= 0x30;
	whole[4] = (uint8_t)(TS_PACKET - 5 - h->head.len);
	whole[5] = ts_adaptation_flags(packet) & RANDOM_ACCESS;
	memcpy(whole + TS_PACKET - h->head.len, h->head.bytes, h->head.len);
	return whole;
}

static void forget(struct splice *s, struct pes_split *h)
{
	*h = s->splits[--s->n_splits];
}

static struct pes_split *find(struct splice *s, uint16_t pid)
{
	for (size_t i = 0; i < s->n_splits; i++)
		if (s->splits[i].head.pid == pid)
			return &s->splits[i];
	return NULL;
}

/* Returns an entry whose whole header was sent, so that it can be replaced;
 * NULL: there is none. */
static struct pes_split *find_done(struct splice *s)
{
	for (size_t i = 0; i < s->n_splits; i++)
		if (pes_split_is_done(&s->splits[i]))
			return &s->splits[i];
	return NULL;
}

bool splice_split_fits(struct splice *s, uint16_t pid)
{
	return s->n_splits < SPLICE_SPLITS || find(s, pid) != NULL ||
	       find_done(s) != NULL;
}

void splice_split_begin(struct splice *s, uint8_t *copy,
			enum pes_head_sign sign,
			const struct pes_split *header,
			struct stamps_move by)
{
	struct pes_split *h = find(s, ts_pid(copy));

	if (h != NULL)
		forget(s, h);
	if (sign == HEAD_NONE)
		return;
	if (sign == HEAD_WHOLE && s->n_splits == SPLICE_SPLITS &&
	    (h = find_done(s)) != NULL)
		forget(s, h);
	if (sign != HEAD_WHOLE || s->n_splits == SPLICE_SPLITS) {
		pes_split_drop(copy);
		return;
	}
	h = &s->splits[s->n_splits++];
	*h = *header;
	pes_split_begin(h, copy, by);
}

void splice_split_continue(struct splice *s, uint8_t *copy, unsigned cc)
{
	struct pes_split *h = find(s, ts_pid(copy));

	if (h != NULL && !pes_split_continue(h, copy, cc))
		forget(s, h);
}
