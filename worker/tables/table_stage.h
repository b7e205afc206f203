/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces tables of a stream by own ones.
 *
 * Sections of the replaced tables are dropped; other sections of their PIDs
 * pass.  Sections that are due (schedule.h) go out in packets of their own: in
 * place of a null packet or of a dropped packet, else between two packets.
 * A dropped packet without a successor becomes a null packet if the stream has
 * null packets, so that its rate stays.
 *
 * Packets of a PID are 1.5 ms apart, as a receiver needs (ISO/IEC 13818-1
 * 2.4.2.3), and own sections of a sub-table 25 ms, however long one of them
 * waits.  A clock goes first and waits least.
 *
 * Pure: time is an argument.  Allocates when the stream begins, never per
 * packet.
 */
#pragma once

#include "worker/tables/section_schedule.h"
#include "worker/ts/packet.h"

struct table_stage;

struct table_stage_config {
	/* The continuity counters of the PIDs, TS_PIDS of them, which outlive
	 * the stage. */
	uint8_t *cc;
	/* Not 0: the rate is constant, and PCRs match it: own packets wait for
	 * a null packet or a dropped one, and each dropped one is replaced. */
	unsigned kbps;
	ts_out_fn *out;
	void *arg;
};

struct table_stage_counters {
	uint64_t sections; /* own sections that were queued */
	uint64_t lost;     /* passed sections that found no room */
};

struct table_stage *table_stage_new(const struct table_stage_config *);
/* NULL-safe; sets *s to NULL. */
void table_stage_free(struct table_stage **);

/* The schedule of own sections, borrowed. */
struct schedule *table_stage_schedule(struct table_stage *);

/* Drops the sections with this table_id, one of NIT, SDT, BAT, EIT, TDT or TOT,
 * of the source; drop false: lets them pass again. */
void table_stage_drop(struct table_stage *, uint8_t table_id, bool drop);

/* Own sections go out on this PID: packets of the source on it are dropped, but
 * for sections of NIT, SDT, BAT, EIT, TDT and TOT on their PIDs, which share
 * its counter. */
void table_stage_own_pid(struct table_stage *, uint16_t pid);

/* True if this section of an EIT of the source, of at least 14 bytes, is to be
 * dropped. */
typedef bool eit_filter_fn(const uint8_t *section, void *arg);
/* Sets a filter for the sections of EIT that table_stage_drop() lets pass,
 * while the stage has own sections on their PID (table_stage_own_pid()). */
void table_stage_filter_eit(struct table_stage *, eit_filter_fn *, void *arg);

/* Drops all packets of a PID; drop false: lets them pass again. */
void table_stage_drop_pid(struct table_stage *, uint16_t pid, bool drop);

void table_stage_feed(struct table_stage *, const struct ts_run *runs,
		      size_t n_runs, uint64_t now_ns, uint64_t unix_ms);

/* For a constant rate: has a table waited too long for a null packet?  Waiting
 * schedules of events do not count, unless the queue is full. */
bool table_stage_lacks_places(const struct table_stage *);

void table_stage_counters(const struct table_stage *,
			  struct table_stage_counters *ret);
