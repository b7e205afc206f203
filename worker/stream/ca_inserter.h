/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inserts packets with ECMs and EMMs into a stream.
 *
 * A packet replaces a null packet, or goes between two packets if no null
 * packet comes for a while.  ECMs go first.
 *
 * Pure.  The queues are bounded: a section without room is dropped, and the
 * caller counts it.
 */
#pragma once

#include "worker/ts/packet.h"

#include <stdbool.h>

enum {
	CA_ECMS_MAX = 64, /* most packets of ECMs that wait */
	CA_EMMS_MAX = 256, /* most packets of EMMs that wait */
};

struct ca_inserter;

/* out gets the packets, which it may borrow for the call. */
struct ca_inserter *ca_inserter_new(ts_out_fn *out, void *arg);
void ca_inserter_free(struct ca_inserter **);

/* Queues the packets of a section.  They get this PID now, and their continuity
 * counters when they are sent.  False: the queue has no room, and the section
 * is dropped. */
bool ca_inserter_ecm(struct ca_inserter *, uint16_t pid, struct ts_run);
bool ca_inserter_emm(struct ca_inserter *, uint16_t pid, struct ts_run);

/* Drops the packets of ECMs of this PID that wait. */
void ca_inserter_drop_ecm(struct ca_inserter *, uint16_t pid);

/* Does an ECM of this PID wait? */
bool ca_inserter_has(const struct ca_inserter *, uint16_t pid);

void ca_inserter_feed(struct ca_inserter *, const struct ts_run *runs,
		      size_t n_runs);
