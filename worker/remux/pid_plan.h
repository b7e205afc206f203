/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which PID of the source goes out under which: two never meet.
 *
 * In three steps, each for all programs: what the maps say, then everything
 * that can keep its number, then what is left gets the lowest free one.
 */
#pragma once

#include "proto/spec/remux_options.h"
#include "worker/remux/selection.h"
#include "worker/ts/packet.h"

enum {
	PID_PLAN_NONE = 0, /* the PAT's: never given to another */
};

/* 17 KiB; zeroed by pid_plan_init(). */
struct pid_plan {
	uint16_t out[TS_PIDS];       /* by source PID, or PID_PLAN_NONE */
	uint64_t taken[TS_PIDS / 64]; /* output PIDs */
	uint16_t guest; /* of the stream from elsewhere, or PID_PLAN_NONE */
	uint16_t ait; /* of the AIT that we make, or PID_PLAN_NONE */
};

/* The PIDs of fixed tables and null packets are taken from the start. */
void pid_plan_init(struct pid_plan *);

/* First, for each program: its maps. */
void pid_plan_map(struct pid_plan *, const struct remux_options *,
		  const struct selection *, uint16_t pmt_pid);

/* Second, for each program: who can keeps its number. */
void pid_plan_keep(struct pid_plan *, const struct remux_options *,
		   const struct selection *, uint16_t pmt_pid);

/* Third, for each program: a free number for the rest. */
void pid_plan_move(struct pid_plan *, const struct remux_options *,
		   const struct selection *, uint16_t pmt_pid);

/* One more PID of the source, such as an EMM's. */
void pid_plan_add(struct pid_plan *, const struct remux_options *,
		  uint16_t pid);

/* The guest's: the one that is wanted, else a free one. */
void pid_plan_add_guest(struct pid_plan *, const struct remux_options *,
			uint16_t wanted);

/* The AIT's: that of map.ait, else a free one. */
void pid_plan_add_ait(struct pid_plan *, const struct remux_options *);
