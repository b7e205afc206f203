/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches one transport stream by ETSI TR 101 290: an input as it arrives, or
 * the stream as it is sent.
 *
 * Follows tables, continuity, PCRs and PTS of every PID.  The faults of a
 * second raise alarms (alarm_state.h).  While no packets arrive only sync_loss
 * is raised, and the alarms of faults that the input counted (struct
 * monitor_counts), because other faults cannot be measured.
 *
 * Pure: the caller passes the time of the wake-up that read the packets.
 * Allocates nothing while packets are fed.
 */
#pragma once

#include "common/base/prefetch.h"
#include "worker/analysis/alarm_state.h"
#include "worker/analysis/pcr_check.h"
#include "worker/ts/analyze.h"
#include "worker/ts/skips.h"

struct monitor;

/* The faults that the input itself counted in this second. */
struct monitor_counts {
	uint32_t sync_losses;
	uint32_t bad_sync;  /* packets dropped for their sync byte */
	uint32_t network_lost;
	uint32_t socket_dropped;
	uint32_t senders; /* senders to the group; 0: unknown */
	/* seconds in which a configured path or FEC was missing */
	uint32_t unprotected;
	/* seconds with a file in the list that cannot be played */
	uint32_t unplayable;
};

/* psi: the tables of another stage that gets the same packets, borrowed for the
 * life of the monitor; NULL: the monitor reads the tables itself. */
struct monitor *monitor_new(const struct psi *psi, uint64_t now_ns);

void monitor_free(struct monitor **);

/* Resets tables and counters, because another source begins.  Raised alarms
 * stay until their fault ends. */
void monitor_reset(struct monitor *, uint64_t now_ns);

/* Clears all alarms, because the watch is interrupted. */
void monitor_rest(struct monitor *, uint64_t wall_ms);

/* Watches one program of several only: its PMT and components must arrive,
 * others need not.  0: watches the whole stream. */
void monitor_watch_program(struct monitor *, uint16_t number);

/*
 * Returns the number of losses in the packets: continuity errors, and packets
 * with transport_error_indicator other than null packets.  The payload of such
 * a packet is unusable, although it causes no continuity error.
 *
 * skips: how many packets of the stream are left out in front of each packet of
 * the runs, borrowed for the call; NULL: none.  At a constant rate the position
 * of a packet is its time.  If the positions of packets are unknown
 * (ts_skips_of()), the accuracy of PCRs, the buffers and the distance of
 * sections are not judged in this second.
 */
uint32_t monitor_feed(struct monitor *, const struct ts_run *runs,
		      size_t n_runs, const struct ts_skips *skips,
		      uint64_t now_ns);

/* After a loss in monitor_feed(): the time of the last packet in front of the
 * loss on its PID, the latest if there are several losses.  For a damaged
 * packet its own time. */
uint64_t monitor_gap_ns(const struct monitor *);

/* Lists the memory that the next packets of the usual PIDs will touch. */
void monitor_warm(const struct monitor *, struct prefetch *);

/* Ends the second; true when an alarm was raised or cleared. */
bool monitor_second(struct monitor *, const struct monitor_counts *,
		    uint64_t now_ns, uint64_t wall_ms);

/* In the last second: did PCRs of the program arrive, all with the same value?
 * Program 0: did PCRs of programs arrive, none of them with a new value? */
bool monitor_is_frozen(const struct monitor *, uint16_t program);

/* The counters of the current second, for analyze_judge(); a stream with a
 * monitor needs no struct analyze. */
void monitor_counted(const struct monitor *, struct analyze_counts *ret);

/* The tables; borrowed for the life of the monitor. */
const struct psi *monitor_psi(const struct monitor *);

/* An array of ALARM_COUNT alarms; borrowed for the life of the monitor. */
const struct alarm *monitor_alarms(const struct monitor *);
