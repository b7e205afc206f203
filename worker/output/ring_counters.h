/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The continuity counters of a stream in its ring: those of tables, which are
 * repeated there, and of PIDs that continue behind the previous writer.
 *
 * Pure.  Embedded; zeroed memory has the counters of an empty ring.
 */
#pragma once

#include "worker/output/cc_rewrite.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_writer;

struct ring_counters {
	struct cc_rewrite cc;
	/* PIDs of the PMTs of the previous writer: PMTs may arrive before the
	 * PAT that names their PID */
	uint8_t had_pmt[TS_PIDS / 8];
	/* What is added to the counters of a PID: the previous writer may have
	 * died before it published packets that the splice had counted. */
	uint8_t shift[TS_PIDS];
	size_t n_shift;         /* PIDs that have a shift, or may get one */
	uint64_t open_until_ns; /* until this time a PID may get a shift; 0: not
				 * set */
};

/* Continues the counters of the previous writer. */
void ring_counters_resume(struct ring_counters *, const struct ring_writer *);

/* Shifts the counter of a packet (a copy), which is not a packet of a table. */
void ring_counters_shift(struct ring_counters *, uint8_t *packet);

/* Sets the counter of a packet of a table (a copy).  False: the packet is a
 * duplicate, and is not written. */
bool ring_counters_table(struct ring_counters *, uint8_t *packet);

/* A minute after the first call, gives up the PIDs of the previous writer that
 * have not returned: their counters are not changed any more. */
void ring_counters_forget(struct ring_counters *, uint64_t now_ns);

static inline bool ring_counters_had_pmt(const struct ring_counters *c,
					 uint16_t pid)
{
	return c->had_pmt[pid / 8] & 1U << pid % 8;
}
