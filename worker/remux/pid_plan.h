/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Assigns an output PID to each PID of the source.  No two PIDs of the source
 * get the same output PID.
 *
 * There are three steps, each for all programs: first the maps; then each PID
 * whose number is free keeps it; then the others get the lowest free number.
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
	/* bit sets of source PIDs: mapped: a map has assigned the output PID;
	 * homeless: no output PID was free */
	uint64_t mapped[TS_PIDS / 64], homeless[TS_PIDS / 64];
	uint16_t guest; /* output PID of the added stream, or PID_PLAN_NONE */
	uint16_t ait;   /* output PID of the generated AIT, or PID_PLAN_NONE */
	/* numbers for PIDs without a map; NULL: they keep theirs, or get the
	 * lowest free ones */
	const struct remux_place *place;
};

/* Marks as taken the PIDs of fixed tables and of null packets, and, with a
 * place (borrowed; NULL: none), the PIDs of other inputs. */
void pid_plan_init(struct pid_plan *, const struct remux_place *);

/* Assigns this output PID to no PID of the source, because another stage sends
 * on it. */
void pid_plan_reserve(struct pid_plan *, uint16_t pid);

/* Step 1, for each program: applies its maps. */
void pid_plan_map(struct pid_plan *, const struct remux_options *,
		  const struct selection *, uint16_t pmt_pid);

/* Step 2, for each program: PIDs whose number is free keep it. */
void pid_plan_keep(struct pid_plan *, const struct remux_options *,
		   const struct selection *, uint16_t pmt_pid);

/* Step 3, for each program: the other PIDs get a free number.  A PID for which
 * none is left is in `homeless'. */
void pid_plan_move(struct pid_plan *, const struct remux_options *,
		   const struct selection *, uint16_t pmt_pid);

/* Assigns a further PID of the source, such as that of an EMM. */
void pid_plan_add(struct pid_plan *, const struct remux_options *,
		  uint16_t pid);

/* Assigns the PID of the added stream: the wanted one if it is free and `place'
 * is NULL, otherwise a free one. */
void pid_plan_add_guest(struct pid_plan *, const struct remux_options *,
			uint16_t wanted);

/* Assigns the PID of the AIT: that of map.ait, otherwise a free one. */
void pid_plan_add_ait(struct pid_plan *, const struct remux_options *);
