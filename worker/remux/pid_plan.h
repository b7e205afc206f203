/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Assigns an output PID to each PID of the source; no two share one.
 *
 * In three steps, each for all programs: the maps; then every PID that can keep
 * its number; then the lowest free number for the others.
 */
#pragma once

#include "proto/spec/remux_options.h"
#include "worker/remux/selection.h"
#include "worker/ts/packet.h"

enum {
	PID_PLAN_NONE = 0, /* that of the PAT, never assigned */
};

/* 17 KiB; zeroed by pid_plan_init(). */
struct pid_plan {
	uint16_t out[TS_PIDS];       /* by source PID, or PID_PLAN_NONE */
	uint64_t taken[TS_PIDS / 64]; /* output PIDs */
	uint16_t guest; /* the added stream's, or PID_PLAN_NONE */
	uint16_t ait;   /* the generated AIT's, or PID_PLAN_NONE */
};

/* The PIDs of fixed tables and null packets are taken from the start. */
void pid_plan_init(struct pid_plan *);

/* First, for each program: its maps. */
void pid_plan_map(struct pid_plan *, const struct remux_options *,
		  const struct selection *, uint16_t pmt_pid);

/* Second, for each program: PIDs that keep their number. */
void pid_plan_keep(struct pid_plan *, const struct remux_options *,
		   const struct selection *, uint16_t pmt_pid);

/* Third, for each program: a free number for the others. */
void pid_plan_move(struct pid_plan *, const struct remux_options *,
		   const struct selection *, uint16_t pmt_pid);

/* A further PID of the source, such as that of an EMM. */
void pid_plan_add(struct pid_plan *, const struct remux_options *,
		  uint16_t pid);

/* The PID of the guest: the wanted one, else a free one. */
void pid_plan_add_guest(struct pid_plan *, const struct remux_options *,
			uint16_t wanted);

/* The PID of the AIT: that of map.ait, else a free one. */
void pid_plan_add_ait(struct pid_plan *, const struct remux_options *);
