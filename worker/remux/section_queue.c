/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/section_queue.h"

#include "worker/ts/section.h"

#include <string.h>

enum { SECTION_PACKETS = (SECTION_MAX + 1 + 183) / 184 };

bool section_queue_push(struct section_queue *q, uint16_t pid,
			const uint8_t *section, size_t len)
{
	uint8_t packets[SECTION_PACKETS * TS_PACKET];
	size_t n = section_packets(len);
	uint8_t cc = 0;

	if (len > SECTION_MAX || n > SECTION_QUEUE_MAX - q->n)
		return false;
	(void)section_pack(section, len, pid, &cc, packets);
	for (size_t i = 0; i < n; i++) {
		size_t at = (q->head + q->n++) % SECTION_QUEUE_MAX;

		memcpy(q->packets[at], packets + i * TS_PACKET, TS_PACKET);
	}
	return true;
}

void section_queue_clear(struct section_queue *q)
{
	size_t rest = 0;

	while (rest < q->n &&
	       !ts_pusi(q->packets[(q->head + rest) % SECTION_QUEUE_MAX]))
		rest++;
	q->n = rest;
}

const uint8_t *section_queue_pop(struct section_queue *q)
{
	const uint8_t *packet = q->packets[q->head];

	if (q->n == 0)
		return NULL;
	q->head = (q->head + 1) % SECTION_QUEUE_MAX;
	q->n--;
	return packet;
}
