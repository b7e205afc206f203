/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Assigns an output PID to each PID of the source; no two share one.
 *
 * In three steps, each for all programs: the maps; then every PID that can keep
 * its number; then the lowest free number for the others.
 */
#pragma once

#include "proto/spec/remux_options.h"
#include "worker/remux/place.h"
#include "worker/remux/selection.h"
#include "worker/ts/packet.h"

enum {
	/* No PID is assigned.  0 is the PID of the PAT, which is never
	 * assigned. */
	PID_PLAN_NONE = 0,
};

/* 19 KiB; zeroed by pid_plan_init(). */
struct pid_plan {
	/* the output PID of each source PID, or PID_PLAN_NONE */
	uint16_t out[TS_PIDS];
	uint64_t taken[TS_PIDS / 64]; /* bit set of the output PIDs in use */
	/* bit sets of source PIDs: that a map has assigned, and for which no
	 * output PID was free */
	uint64_t mapped[TS_PIDS / 64], homeless[TS_PIDS / 64];
	uint16_t guest; /* PID of the added stream, or PID_PLAN_NONE */
	uint16_t ait;   /* PID of the generated AIT, or PID_PLAN_NONE */
	/* where PIDs without a map go; NULL: they keep their numbers, or get
	 * the lowest free ones */
	const struct remux_place *place;
};

/* Marks the PIDs of fixed tables and of null packets as taken, and with a place
 * (borrowed; NULL: none) those of other inputs. */
void pid_plan_init(struct pid_plan *, const struct remux_place *);

/* Keeps a PID free of the source: another stage uses it. */
void pid_plan_reserve(struct pid_plan *, uint16_t pid);

/* Step 1, for each program: applies its maps. */
void pid_plan_map(struct pid_plan *, const struct remux_options *,
		  const struct selection *, uint16_t pmt_pid);

/* Step 2, for each program: PIDs whose number is free keep it. */
void pid_plan_keep(struct pid_plan *, const struct remux_options *,
		   const struct selection *, uint16_t pmt_pid);

/* Step 3, for each program: the other PIDs get a free number; those for which
 * none is left are in `homeless'. */
void pid_plan_move(struct pid_plan *, const struct remux_options *,
		   const struct selection *, uint16_t pmt_pid);

/* Assigns a further PID of the source, such as that of an EMM. */
void pid_plan_add(struct pid_plan *, const struct remux_options *,
		  uint16_t pid);

/* Assigns the PID of the added stream: the wanted one if it is free, otherwise
 * a free one. */
void pid_plan_add_guest(struct pid_plan *, const struct remux_options *,
			uint16_t wanted);

/* Assigns the PID of the AIT: that of map.ait, otherwise a free one. */
void pid_plan_add_ait(struct pid_plan *, const struct remux_options *);
