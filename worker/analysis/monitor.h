/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches one transport stream by ETSI TR 101 290: an input as it arrives, or
 * the stream as it is sent.
 *
 * Follows tables, continuity, PCRs and PTS of every PID.  The faults of a
 * second raise alarms (alarm_state.h).  While no packets arrive only sync_loss
 * is raised: nothing else is known then.
 *
 * Pure: time is a number, that of the wake-up in which the packets were read.
 * Allocates nothing while packets are fed.
 */
#pragma once

#include "common/base/prefetch.h"
#include "worker/analysis/alarm_state.h"
#include "worker/analysis/pcr_check.h"
#include "worker/ts/analyze.h"

struct monitor;

/* Counts of the input in this second. */
struct monitor_counts {
	uint32_t sync_losses;
	uint32_t bad_sync;  /* packets dropped for their sync byte */
	uint32_t network_lost;
	uint32_t socket_dropped;
	uint32_t senders; /* to the group; 0: not known */
	uint32_t unprotected; /* without a path or FEC that was asked for */
	uint32_t unplayable; /* with a file of a list that cannot be played */
};

/* psi: the tables of another stage that is fed the same packets, borrowed for
 * the life of the monitor; NULL: it reads the tables itself. */
struct monitor *monitor_new(const struct psi *psi, uint64_t now_ns);

void monitor_free(struct monitor **);

/* Another source begins: tables and counters are reset, alarms stay until they
 * are cleared. */
void monitor_reset(struct monitor *, uint64_t now_ns);

/* The watch ends for now: clears all alarms. */
void monitor_rest(struct monitor *, uint64_t wall_ms);

void monitor_feed(struct monitor *, const struct ts_run *runs, size_t n_runs,
		  uint64_t now_ns);

/* The memory that the next packets touch, if they are of the usual PIDs. */
void monitor_warm(const struct monitor *, struct warm *);

/* Ends the second; true when an alarm was raised or cleared. */
bool monitor_second(struct monitor *, const struct monitor_counts *,
		    uint64_t now_ns, uint64_t wall_ms);

/* This second so far, for analyze_judge(): no second stage has to count. */
void monitor_counted(const struct monitor *, struct analyze_counts *ret);

/* The tables; borrowed for the life of the monitor. */
const struct psi *monitor_psi(const struct monitor *);

/* ALARM_COUNT of them; borrowed for the life of the monitor. */
const struct alarm *monitor_alarms(const struct monitor *);
