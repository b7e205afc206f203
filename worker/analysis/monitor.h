/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches one transport stream by ETSI TR 101 290, as it comes or as it goes.
 *
 * Follows tables, continuity, PCRs and PTS of every PID; what is wrong in a
 * second raises alarms (alarm.h).  While no packet comes only sync_loss is
 * told: nothing is known of the rest then.
 *
 * Pure: time comes in as a number, and is that of the wake-up that brought the
 * packets.  Allocates nothing while packets are fed.
 */
#pragma once

#include "common/base/prefetch.h"
#include "worker/analysis/alarm_state.h"
#include "worker/analysis/pcr_check.h"
#include "worker/ts/analyze.h"

struct monitor;

/* What others counted in the second. */
struct monitor_counts {
	uint32_t sync_losses;
	uint32_t bad_sync;  /* packets that never came here for it */
	uint32_t network_lost;
	uint32_t socket_dropped;
	uint32_t senders; /* who sent to the group; 0: not known */
	uint32_t unprotected; /* without a path or FEC that was asked for */
	uint32_t unplayable; /* with a file of a list that cannot be played */
};

struct monitor *monitor_new(uint64_t now_ns);

/* With the tables of another stage that is fed the same packets.  psi is
 * borrowed for the life of the monitor. */
struct monitor *monitor_new_with(const struct psi *psi, uint64_t now_ns);

void monitor_free(struct monitor **);

/* Another source begins: tables and counters start anew, alarms stay until
 * they are cleared. */
void monitor_reset(struct monitor *, uint64_t now_ns);

/* Nothing is watched for now: no alarm is raised any more. */
void monitor_rest(struct monitor *, uint64_t wall_ms);

void monitor_feed(struct monitor *, const struct ts_run *runs, size_t n_runs,
		  uint64_t now_ns);

/* What the next packets will touch, if they are of the usual PIDs. */
void monitor_warm(const struct monitor *, struct warm *);

/* Ends the second; true when an alarm was raised or cleared. */
bool monitor_second(struct monitor *, const struct monitor_counts *,
		    uint64_t now_ns, uint64_t wall_ms);

/* This second so far, for the judgement of what is watched here: nothing has
 * to be counted twice. */
void monitor_counted(const struct monitor *, struct analyze_counts *ret);

/* The tables; borrowed for the life of the monitor. */
const struct psi *monitor_psi(const struct monitor *);

/* ALARM_COUNT of them; borrowed for the life of the monitor. */
const struct alarm *monitor_alarms(const struct monitor *);
