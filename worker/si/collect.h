/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds new sections in a transport stream.
 *
 * Reads the PIDs of PAT, CAT, NIT, SDT and BAT, EIT, TDT and TOT, that of VCT
 * (ATSC), the PIDs that the PAT names, and those with splice information
 * (SCTE 35) of its programs.
 * A section is new if it is the first of its table and number, or has other
 * bytes than the last one.  EIT schedules are skipped, because they are too
 * many.
 *
 * Pure: no clock, no I/O.  Limited to COLLECT_PMTS programs and
 * COLLECT_SECTIONS remembered sections.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	COLLECT_PMTS = 512,
	COLLECT_SPLICES = 64, /* PIDs with splice information */
	COLLECT_SECTIONS = 8192,
	COLLECT_EITS = 6144, /* of them; the others are for other tables */
};

struct collect;

/* Takes a new, whole section with a valid CRC_32.  False: the owner has no room
 * now, and gets the section again at its next repetition. */
typedef bool collect_fn(const uint8_t *section, size_t len, uint16_t pid,
			void *arg);

struct collect *collect_new(collect_fn *, void *arg);
/* NULL-safe; sets *c to NULL. */
void collect_free(struct collect **);

void collect_feed(struct collect *, struct ts_run);
