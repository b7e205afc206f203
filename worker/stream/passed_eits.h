/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Notes which services of the streams of nit_other have EIT other of the
 * source, which pass: the SDT other says so.
 *
 * A service of PASSED_EITS_MAX has them until none was received for a minute,
 * or of the schedule for 15 minutes (TS 101 211 4.4 has 20 and 300 seconds).
 */
#pragma once

#include "proto/spec/tables_spec.h"
#include "worker/ts/packet.h"

struct other_guides;
struct passed_eits;

enum {
	PASSED_EITS_MAX = 1024,
	/* the parts of an EIT */
	PASSED_PRESENT = 1,
	PASSED_SCHEDULE = 2,
};

/* NULL: no EIT other of the source pass. */
struct passed_eits *passed_eits_new(enum eit_other);
/* NULL-safe; sets *p to NULL. */
void passed_eits_free(struct passed_eits **);

/* Takes packets of the source.  True: passed_eits_of() has changed. */
bool passed_eits_feed(struct passed_eits *, const struct other_guides *,
		      const struct ts_run *runs, size_t n_runs,
		      uint64_t now_ns);

/* The parts that the service has, as bits.  NULL: none. */
unsigned passed_eits_of(const struct passed_eits *, uint16_t tsid,
			uint16_t onid, uint16_t sid);
