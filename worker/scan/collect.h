/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the sections of a transport stream that were not there before.
 *
 * Listens on the PIDs of PAT, CAT, NIT, SDT and BAT, EIT, TDT and TOT, and on
 * those that the PAT names.  A section is new when none of its table and
 * number came yet, or one with other bytes.  EIT schedules are passed over:
 * there would be no end of them.
 *
 * Pure: no clock, no I/O.  Bounded: COLLECT_PMTS programs, COLLECT_SECTIONS
 * sections that are remembered.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	COLLECT_PMTS = 512,
	COLLECT_SECTIONS = 8192,
};

struct collect;

/* A whole section with a right CRC_32.  False: there is no room for it now,
 * it may come again. */
typedef bool collect_fn(const uint8_t *section, size_t len, uint16_t pid,
			void *arg);

struct collect *collect_new(collect_fn *, void *arg);
/* NULL-safe; sets *c to NULL. */
void collect_free(struct collect **);

void collect_feed(struct collect *, struct ts_run);
