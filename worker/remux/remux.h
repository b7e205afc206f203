/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes of one source what its options ask for: a program out of several,
 * other PIDs, other numbers, tables that say so.
 *
 * PAT, PMT, CAT, SDT and AIT are made anew, from what the source's tables say
 * at this very packet; a change of the source's tables goes out before the
 * first packet that it concerns.  Until the tables of a program are known
 * nothing of it goes out; what is known stays until the source says otherwise
 * in whole, sound sections.
 *
 * One program (pnr, or a source that has only one):
 *	PAT, PMT    made by us, ten times a second
 *	CAT         with cas or pass_cat
 *	SDT         made by us: its one service, its names; pass_sdt: as it is
 *	EIT         its events, under its new number; pass_eit: as it is
 *	TDT, TOT    as they are
 *	NIT         left out; pass_nit: as it is
 *	all others  left out
 * Several programs: SDT, EIT, NIT, BAT and the other tables of the transport
 * stream go on, with the new set_tsid where they name it; options that name
 * or number a service do nothing.  What no table names counts as private data.
 *
 * Without any option (remux_options_given()) all of it goes on, private data
 * and what no table names too; only PAT, PMT and CAT are made by us, so that
 * their versions count through a change of the source.  With config.si NIT,
 * BAT, SDT and EIT go out section by section, for the same end: of what an
 * option passes nothing but the version is changed then.
 *
 * Generated packets take the places of packets that are left out, and null
 * packets' places; they are spread so that none of their PIDs sees a burst.
 * Null packets of a source of one program, and of a whole multiplex, stay.
 *
 * Pure: time is what the PCRs and the caller say.  Allocates when the tables
 * of the source change, never per packet.  Borrows the versions.
 */
#pragma once

#include "proto/spec/remux_options.h"
#include "worker/remux/guest.h"
#include "worker/remux/si_versions.h"
#include "worker/remux/table_versions.h"
#include "worker/ts/packet.h"

struct remux;

/* Where versions begin to count. */
struct remux_versions {
	uint8_t pat, pmt, cat, sdt;
};

struct remux_config {
	const struct remux_options *options; /* copied */
	struct table_versions *versions;     /* the stream's; outlives it */
	struct remux_versions first;
	/* of a stream of several sources, of which this is the one with this
	 * number: the tables that go on are counted, too; or NULL */
	struct si_versions *si;
	uint32_t source;
	ts_out_fn *out;
	void *arg;
};

enum remux_state {
	REMUX_NO_PAT,
	REMUX_NO_PROGRAM, /* the PAT does not name it */
	REMUX_NO_PMT,
	REMUX_READY,
};

/* Since new. */
struct remux_counters {
	uint64_t tables;  /* changes of the source's PAT and PMTs */
	uint64_t broken;  /* sections that were no use */
	uint64_t dropped; /* sections for which there was no room */
};

struct remux *remux_new(const struct remux_config *);
void remux_free(struct remux **);

/* Forgets the tables: another source begins.  Counters of PIDs go on. */
void remux_reset(struct remux *);

/* Calls out(), or not when nothing goes out; not freed inside. */
void remux_feed(struct remux *, const struct ts_run *runs, size_t n_runs,
		uint64_t now_ns);

/* It is another one from now on. */
void remux_set_guest(struct remux *, const struct remux_guest *);
/* Its PID as it goes out; 0: nothing goes out yet. */
uint16_t remux_guest_pid(const struct remux *);
/* A packet of it goes out under its PID with the next feed, in front. */
void remux_add_guest(struct remux *, const uint8_t *packet);

/* The source's PID with the clock of the program, or of the first of several;
 * 0x1fff: not known. */
uint16_t remux_clock_pid(const struct remux *);

/* What there is of the program, or of the first of several. */
enum remux_state remux_state(const struct remux *);

void remux_counters(const struct remux *, struct remux_counters *ret);
