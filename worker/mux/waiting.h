/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets of a multiplex that wait for their place, in its order.
 *
 * Pure.  Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/ts/packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAITING_MAX = 512 };

struct waiting_packet {
	uint64_t at_ns;
	uint8_t data[TS_PACKET];
};

struct waiting {
	size_t n;
	uint16_t of_pid[TS_PIDS];
	uint16_t order[WAITING_MAX]; /* places in list: the last leaves first */
	bool used[WAITING_MAX];
	struct waiting_packet list[WAITING_MAX];
};

/* The time of the first packet; UINT64_MAX: none waits. */
static inline uint64_t waiting_next(const struct waiting *w)
{
	return w->n == 0 ? UINT64_MAX : w->list[w->order[w->n - 1]].at_ns;
}

/* True if packets of this PID wait, so that its next packets must wait, too. */
static inline bool waiting_has(const struct waiting *w, uint16_t pid)
{
	return w->of_pid[pid] > 0;
}

/* Adds a packet behind those of the same time; there is room. */
void waiting_add(struct waiting *, uint64_t at_ns, const uint8_t *packet);

/* Removes and returns the first packet, which stays valid until the next
 * waiting_add(). */
struct waiting_packet *waiting_take(struct waiting *);
