/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/section_queue.h"

#include "worker/ts/section.h"

#include <string.h>

_Static_assert(SECTION_QUEUE_MAX == 64, "a bit of `used' for each slot");

/* Inserts n packets in front of the packet at this position. */
static void insert(struct section_queue *q, size_t at, const uint8_t *packets,
		   size_t n)
{
	memmove(q->order + at + n, q->order + at, q->n - at);
	for (size_t i = 0; i < n; i++) {
		unsigned slot = (unsigned)__builtin_ctzll(~q->used);

		q->used |= UINT64_C(1) << slot;
		q->order[at + i] = (uint8_t)slot;
		memcpy(q->packets[slot], packets + i * TS_PACKET, TS_PACKET);
	}
	q->n += n;
}

/* Packs a section into packets in ret; returns their number; 0: the queue has
 * no room for all of them. */
static size_t pack(const struct section_queue *q, uint16_t pid,
		   const uint8_t *section, size_t len, uint8_t *ret)
{
	uint8_t cc = 0;

	if (len > SECTION_MAX ||
	    section_packets(len) > SECTION_QUEUE_MAX - q->n)
		return 0;
	return section_pack(section, len, pid, &cc, ret);
}

bool section_queue_push(struct section_queue *q, uint16_t pid,
			const uint8_t *section, size_t len)
{
	uint8_t packets[SECTION_PACKETS * TS_PACKET];
	size_t n = pack(q, pid, section, len, packets);

	insert(q, q->n, packets, n);
	return n > 0;
}

bool section_queue_push_first(struct section_queue *q, uint16_t pid,
			      const uint8_t *section, size_t len)
{
	uint8_t packets[SECTION_PACKETS * TS_PACKET];
	size_t n = pack(q, pid, section, len, packets);

	insert(q, 0, packets, n);
	return n > 0;
}

const uint8_t *section_queue_take(struct section_queue *q, size_t i)
{
	uint8_t slot = q->order[i];

	q->n--;
	memmove(q->order + i, q->order + i + 1, q->n - i);
	q->used &= ~(UINT64_C(1) << slot);
	return q->packets[slot];
}

const uint8_t *section_queue_pop(struct section_queue *q)
{
	return q->n > 0 ? section_queue_take(q, 0) : NULL;
}

void section_queue_clear(struct section_queue *q)
{
	bool kept[SECTION_QUEUE_MAX];
	size_t n = q->n, taken = 0;

	/* A packet is kept if it continues a section whose first packet was
	 * sent. */
	for (size_t i = 0; i < n; i++) {
		uint16_t pid = ts_pid(section_queue_at(q, i));

		kept[i] = true;
		for (size_t k = 0; k <= i && kept[i]; k++) {
			const uint8_t *p = section_queue_at(q, k);

			kept[i] = ts_pid(p) != pid || !ts_pusi(p);
		}
	}
	for (size_t i = 0; i < n; i++)
		if (!kept[i])
			(void)section_queue_take(q, i - taken++);
}
