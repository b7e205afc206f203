/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds new sections in a transport stream.
 *
 * Reads the fixed PIDs of PAT, CAT, NIT, SDT and BAT, EIT, TDT and TOT, and VCT
 * (ATSC); the PIDs that the PAT names; and the PIDs of splice information (SCTE
 * 35) that the PMTs name.  A section is new if it is the first one with its
 * PID, table and section number, or has other bytes than the last one.
 * Sections of EIT schedules are skipped, because there are too many.
 *
 * Pure: no clock, no I/O.  Reads at most COLLECT_PMTS PMT PIDs, and compares at
 * most COLLECT_SECTIONS sections; further ones are skipped.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	COLLECT_PMTS = 512, /* PMT PIDs */
	COLLECT_SPLICES = 64, /* PIDs with splice information */
	/* sections that are compared with their next copy */
	COLLECT_SECTIONS = 8192,
	COLLECT_EITS = 6144, /* of these sections at most this number are EIT,
			      * so that other tables have room */
};

struct collect;

/* Takes a new, whole section with a valid CRC_32.  False: the owner has no room
 * now, and gets the section again when the stream repeats it. */
typedef bool collect_fn(const uint8_t *section, size_t len, uint16_t pid,
			void *arg);

struct collect *collect_new(collect_fn *, void *arg);
/* NULL-safe; sets *c to NULL. */
void collect_free(struct collect **);

/* Takes packets of the stream, and passes their new sections on. */
void collect_feed(struct collect *, struct ts_run);
