/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a monitor; for the files of this folder. */
#pragma once

#include "worker/analysis/monitor.h"
#include "worker/analysis/pid_stats.h"
#include "worker/analysis/si_watch.h"
#include "worker/ts/cc.h"
#include "worker/ts/psi.h"

enum { MONITOR_PCRS_MAX = 16 };

struct monitor_pcr {
	uint16_t pid;
	struct pcr_check check;
	struct pcr_report report; /* report of the last whole second */
};

/* The fields that each packet touches are in front, close together: between two
 * wake-ups the caches lose them. */
struct monitor {
	uint64_t packets;        /* of this source */
	uint32_t second_packets; /* this second */
	uint32_t null_packets;   /* this second */
	uint32_t scrambled;      /* this second, any PID */
	uint32_t psi_errors;     /* CRC errors of psi before this second */
	const struct psi *psi;
	struct psi *own_psi; /* psi; NULL: another stage feeds it */
	uint32_t psi_changes; /* changes of psi up to the last classify() */
	const uint8_t *classes;  /* borrowed from psi */
	uint32_t faults[ALARM_COUNT]; /* this second */
	size_t n_pcrs;
	struct pid_table pids;
	struct monitor_pcr pcrs[MONITOR_PCRS_MAX];
	struct si_watch si;
	struct cc cc;            /* for PIDs without a record */

	uint64_t began_ns;       /* since when this source is watched */
	uint64_t tables_ns;      /* when the tables last changed */
	uint8_t referenced[TS_PIDS / 8]; /* bits, made once a second */
	uint32_t broken_before;  /* broken sections of psi before this second */
	uint64_t all_null_packets; /* without this second */
	uint64_t sync_errors;    /* of this source */
	uint64_t second_ns;      /* when this second began */
	struct monitor_rates {   /* report of the last whole second */
		uint32_t packets;
		uint32_t null_packets;
		uint64_t ns;     /* how long it was; 0: there was none */
	} rates;
	struct alarm alarms[ALARM_COUNT];
};

/* The checks at the end of a second; adds to the faults. */
void monitor_judge(struct monitor *, uint64_t now_ns);
