/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a monitor; for the files of this folder. */
#pragma once

#include "worker/analysis/monitor.h"
#include "worker/analysis/pid_stats.h"
#include "worker/analysis/psip_watch.h"
#include "worker/analysis/si_watch.h"
#include "worker/ts/cc.h"
#include "worker/ts/pes_head.h"
#include "worker/ts/psi.h"

enum {
	MONITOR_PCRS_MAX = 16,
	/* longest time between sections of a PAT or PMT: TR 101 290 1.3, 1.5 */
	MONITOR_TABLE_MS = 500,
	/* The longest time between two reads of a source: that of a service of
	 * a multiplex. */
	MONITOR_READ_MS = 100,
};

struct monitor_pcr {
	uint16_t pid;
	struct pcr_check check;
	struct pcr_report report; /* report of the last whole second */
};

/* The members that each packet touches are together at the front, so that they
 * take few cache lines: the caches lose them between two wake-ups. */
struct monitor {
	uint64_t packets;        /* packets of this source, with skipped ones */
	uint32_t second_packets; /* packets in the current second */
	uint32_t null_packets;   /* null packets in the current second */
	uint32_t scrambled;      /* scrambled packets in the current second */
	/* packets with transport_error_indicator in the current second, without
	 * null packets */
	uint32_t damaged;
	uint32_t psi_errors;     /* CRC errors of psi before this second */
	const struct psi *psi;
	struct psi *own_psi; /* equal to psi; NULL: another stage feeds psi */
	uint32_t psi_changes; /* changes of psi up to the last classify() */
	const uint8_t *classes;  /* borrowed from psi */
	uint32_t faults[ALARM_COUNT]; /* faults in the current second */
	size_t n_pcrs;
	struct pid_table pids;
	struct monitor_pcr pcrs[MONITOR_PCRS_MAX];
	struct si_watch si;
	struct cc cc;            /* counters of the PIDs without a record */
	struct pes_reader reader;

	struct psip_watch psip;
	uint16_t program;        /* the program of monitor_watch_program(); 0:
				  * the whole stream is watched */
	bool unplaced;           /* positions of packets were unknown in this
				  * second */
	uint64_t skipped;        /* packets of this source that were left out
				  * (struct ts_skips) */
	uint64_t fed_ns;         /* arrival of the last packets */
	uint64_t before_ns;      /* arrival of the packets of the read before
				  * fed_ns */
	uint64_t gap_ns;         /* see monitor_gap_ns() */
	bool silent;             /* the last second had no packets */
	uint64_t began_ns;       /* time at which this source began */
	uint64_t tables_ns;      /* time of the last change of the tables, or
				  * of the last end of a silence */
	/* bit set of the PIDs that the tables list; made once a second */
	uint8_t referenced[TS_PIDS / 8];
	/* at the last classify(): named: bit set of the PIDs that the tables
	 * name; clocks: bit set of the PCR PIDs of the programs */
	uint64_t named[TS_PIDS / 64], clocks[TS_PIDS / 64];
	/* time at which the tables named the PID, or dropped it; 0: never */
	uint64_t named_ns[TS_PIDS];
	uint64_t rate;           /* constant rate of the stream in bit/s; 0: the
				  * rate is not constant, or unknown */
	float system_leak;       /* bytes by which each system buffer empties in
				  * the duration of a packet */
	uint32_t broken_before;  /* broken sections of psi before this second */
	uint64_t all_null_packets; /* null packets before this second */
	uint64_t sync_errors;    /* sync errors of this source */
	uint64_t second_ns;      /* time at which this second began */
	struct monitor_rates {   /* report of the last whole second */
		uint32_t packets;
		uint32_t null_packets;
		uint64_t ns;     /* length of the second; 0: none yet */
	} rates;
	struct alarm alarms[ALARM_COUNT];
};

/* Is the program one that monitor_watch_program() watches? */
static inline bool monitor_watches(const struct monitor *m, uint16_t program)
{
	return m->program == 0 || m->program == program;
}

/* The program that a viewer sees; NULL: there is none. */
static inline const struct psi_program *monitor_main(const struct monitor *m)
{
	return m->program == 0 ? psi_main_program(m->psi)
			       : psi_program_find(m->psi, m->program);
}

/* Makes the checks at the end of a second and adds to its faults. */
void monitor_judge(struct monitor *, uint64_t now_ns);
