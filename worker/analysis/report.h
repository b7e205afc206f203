/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the report of a monitor as the JSON that doc/api.md describes.
 *
 * The table of PIDs is divided into parts that each fit a message; the first
 * part also has the fields that do not belong to a PID.
 */
#pragma once

#include "worker/analysis/monitor.h"

#include <jansson.h>

enum { REPORT_PIDS = 100 }; /* PIDs in one part */

struct report_part {
	uint16_t from;   /* the first PID of the part; 0: the first part */
	bool sent;       /* reports the sent stream, without network alarms */
	uint64_t now_ns;
	/* The alarms of the outputs and of a multiplex; NULL: none. */
	const struct alarm *overflow, *mux_overflow, *eit_slow, *eit_full;
	const struct alarm *hls_gop;
};

/* Adds the part of the report to the object.  Returns the first PID of the next
 * part; 0: this was the last part. */
uint16_t monitor_report(const struct monitor *, const struct report_part *,
			json_t *object);

/* --- report_pids.c, for report.c --- */

/* Adds the array `programs' to the object. */
void report_programs(const struct monitor *, json_t *object);
/* Adds the array `pids', from PID `from' on; returns as monitor_report(). */
uint16_t report_pids(const struct monitor *, uint16_t from, json_t *object);
