/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/mux/waiting.h"

#include <assert.h>
#include <string.h>

void waiting_add(struct waiting *w, uint64_t at_ns, const uint8_t *packet)
{
	uint16_t place = 0;
	size_t at = w->n;

	assert(w->n < WAITING_MAX);
	while (w->used[place])
		place++;
	w->used[place] = true;
	w->list[place].at_ns = at_ns;
	memcpy(w->list[place].data, packet, TS_PACKET);
	while (at > 0 && w->list[w->order[at - 1]].at_ns <= at_ns)
		at--;
	memmove(w->order + at + 1, w->order + at,
		(w->n - at) * sizeof *w->order);
	w->order[at] = place;
	w->of_pid[ts_pid(packet)]++;
	w->n++;
}

struct waiting_packet *waiting_take(struct waiting *w)
{
	uint16_t place = w->order[--w->n];

	w->used[place] = false;
	w->of_pid[ts_pid(w->list[place].data)]--;
	return &w->list[place];
}
