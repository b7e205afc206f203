/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Notes for which services of the streams of nit_other the EIT other of the
 * source pass, for the flags in the SDT other.
 *
 * At most PASSED_EITS_MAX services are kept.  The present and following part of
 * a service expires a minute after its last section, and the schedule part
 * after 15 minutes (TS 101 211 4.4 demands repetition in 20 and 300 seconds).
 * The services are in memory that outlives the worker: the SDT other of the
 * next worker has the same flags at once.
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
	PASSED_PARTS = 2,
};

struct passed_service {
	uint16_t tsid, onid, sid;
	uint8_t has; /* parts that arrive: bits PASSED_* */
	uint8_t reserved;
	/* monotonic time of the last section of each part, in s */
	uint32_t seen_s[PASSED_PARTS];
};

/* Flat and without pointers.  Zeroed memory is ready.  Damaged memory causes
 * wrong flags only, until they expire. */
struct passed_list {
	uint32_t n;
	uint32_t reserved;
	struct passed_service services[PASSED_EITS_MAX];
};

/* The list (borrowed) outlives it.  NULL: no EIT other of the source pass. */
struct passed_eits *passed_eits_new(enum eit_other, struct passed_list *);
/* NULL-safe; sets *p to NULL. */
void passed_eits_free(struct passed_eits **);

/* Takes packets of the source.  True: a result of passed_eits_of() has
 * changed. */
bool passed_eits_feed(struct passed_eits *, const struct other_guides *,
		      const struct ts_run *runs, size_t n_runs,
		      uint64_t now_ns);

/* The parts that the service has, as bits; 0: none, or passed_eits is NULL. */
unsigned passed_eits_of(const struct passed_eits *, uint16_t tsid,
			uint16_t onid, uint16_t sid);
