/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets of a multiplex that wait for the time at which they leave, in the
 * order of these times.
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
	uint64_t at_ns; /* time at which it leaves */
	uint8_t data[TS_PACKET];
};

struct waiting {
	size_t n; /* packets that wait */
	uint16_t of_pid[TS_PIDS]; /* packets that wait, for each PID */
	uint16_t order[WAITING_MAX]; /* indexes in `list'; the last entry leaves
				      * first */
	/* true: the entry of `list' with this index has a packet */
	bool used[WAITING_MAX];
	struct waiting_packet list[WAITING_MAX];
};

/* The time at which the first packet leaves; UINT64_MAX: no packet waits. */
static inline uint64_t waiting_next(const struct waiting *w)
{
	return w->n == 0 ? UINT64_MAX : w->list[w->order[w->n - 1]].at_ns;
}

/* True if packets of this PID wait, so that its next packets must wait, too. */
static inline bool waiting_has(const struct waiting *w, uint16_t pid)
{
	return w->of_pid[pid] > 0;
}

/* Adds a packet, behind those of the same time.  Fewer than WAITING_MAX packets
 * wait. */
void waiting_add(struct waiting *, uint64_t at_ns, const uint8_t *packet);

/* Removes and returns the first packet; there is one.  It stays valid until the
 * next waiting_add(). */
struct waiting_packet *waiting_take(struct waiting *);
