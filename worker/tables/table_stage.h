/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replaces tables of a stream by tables that Sluice generates ("own" tables).
 *
 * Sections of the replaced tables are dropped; other sections of their PIDs
 * pass.  Own sections that are due (section_schedule.h) are sent in packets of
 * their own: in place of a null packet or of a dropped packet, otherwise
 * between two packets.  If no packet takes the place of a dropped one and the
 * stream has null packets, a null packet does, so that the rate stays.
 *
 * The packets of a PID are at least 1.5 ms apart, as receivers need (ISO/IEC
 * 13818-1 2.4.2.3), and own sections of a sub-table at least 25 ms.  A clock
 * (TDT, TOT) is sent before other sections.
 *
 * Pure: time is an argument.  Allocates when the stream begins and when the own
 * tables change, never per packet.
 */
#pragma once

#include "worker/tables/section_schedule.h"
#include "worker/ts/packet.h"

struct table_stage;

struct table_stage_config {
	/* for each of TS_PIDS PIDs: the next continuity counter; outlives the
	 * stage */
	uint8_t *cc;
	/* Not 0: the constant rate of the stream in kbit/s, with matching PCRs.
	 * Own packets then wait for the place of a null or dropped packet, and
	 * each dropped packet is replaced.  0: the rate is not constant. */
	unsigned kbps;
	ts_out_fn *out;
	void *arg;
};

struct table_stage_counters {
	uint64_t sections; /* own sections that were queued */
	uint64_t lost;     /* sections of the source that should pass, but had
			    * no room in the queue */
};

struct table_stage *table_stage_new(const struct table_stage_config *);
/* NULL-safe; sets *s to NULL. */
void table_stage_free(struct table_stage **);

/* The schedule of own sections, borrowed. */
struct schedule *table_stage_schedule(struct table_stage *);

/* Drops the sections with this table_id, one of NIT, SDT, BAT, EIT, TDT or TOT,
 * of the source; drop false: lets them pass again. */
void table_stage_drop(struct table_stage *, uint8_t table_id, bool drop);

/* Call it for each PID of own sections.  Packets of the source on the PID are
 * dropped, except sections of NIT, SDT, BAT, EIT, TDT and TOT on their fixed
 * PIDs, which are sent with the same continuity counter. */
void table_stage_own_pid(struct table_stage *, uint16_t pid);

/* Returns true if this section of an EIT of the source, of at least 14 bytes,
 * must be dropped. */
typedef bool eit_filter_fn(const uint8_t *section, void *arg);
/* Sets a filter for the sections of EIT that table_stage_drop() lets pass,
 * while the stage has own sections on their PID (table_stage_own_pid()). */
void table_stage_filter_eit(struct table_stage *, eit_filter_fn *, void *arg);

/* Drops all packets of a PID; drop false: lets them pass again. */
void table_stage_drop_pid(struct table_stage *, uint16_t pid, bool drop);

/* Takes packets of the source, and passes packets to out().  unix_ms: the
 * system time, for clocks. */
void table_stage_feed(struct table_stage *, const struct ts_run *runs,
		      size_t n_runs, uint64_t now_ns, uint64_t unix_ms);

/* For a constant rate: has a table waited too long for the place of a null or
 * dropped packet?  Waiting EIT schedules do not count, unless the queue is
 * full. */
bool table_stage_lacks_places(const struct table_stage *);

void table_stage_counters(const struct table_stage *,
			  struct table_stage_counters *ret);
