/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The own tables of a stream, for all its inputs and outputs: makes those that
 * its keys demand, and sends them by table_stage.h.
 *
 * Reads the files of the time zone once, in own_tables_new().
 */
#pragma once

#include "proto/spec/stream_spec.h"
#include "worker/stream/own_eit.h"
#include "worker/ts/packet.h"

struct cue_memory;
struct eit_versions;
struct msg_stream_cue;
struct msg_stream_guide;
struct own_tables;
struct passed_list;
struct psi;
struct table_versions;

struct own_tables_config {
	const struct stream_spec *spec; /* copied */
	/* The PSI of the stream, and the versions of its own tables.  Both
	 * outlive the own tables. */
	const struct psi *psi;
	struct table_versions *versions;
	uint8_t *cc; /* TS_PIDS continuity counters; outlive the own tables */
	unsigned kbps; /* rate of the output, as in table_stage_config */
	struct cue_memory *cues; /* outlives the own tables */
	struct eit_versions *eit_versions; /* outlives the own tables */
	/* services for own_others.h; outlives the own tables */
	struct passed_list *passed;
	bool scrambled; /* another stage scrambles the outputs */
	/* guides, input_of and input_arg: as in own_eit_config; no bit in
	 * guides: no guide runs */
	uint64_t guides;
	own_eit_input_fn *input_of;
	void *input_arg;
	ts_out_fn *out;
	void *arg;
};

/* Makes the own tables.  NULL: all tables are those of the source. */
struct own_tables *own_tables_new(const struct own_tables_config *);
/* NULL-safe; sets *o to NULL. */
void own_tables_free(struct own_tables **);

/* Sets whether the system clock is synchronised.  Before the first call it
 * counts as synchronised. */
void own_tables_set_clock(struct own_tables *, bool synchronised);

/* Replaces the streams of nit_other: an object with their keys by id (copied).
 * A stream without a transport_stream_id is left out. */
void own_tables_set_others(struct own_tables *, const json_t *streams);

/* Takes the events of the stream or of an input (own_eit_guide(), no effect
 * without own EIT), or of a stream of nit_other (other_guides_take()). */
void own_tables_guide(struct own_tables *, const struct msg_stream_guide *,
		      int fd);

/* The rate that the own EIT need for their intervals, and the rate that they
 * have; 0: there are no own EIT. */
struct own_tables_eit {
	unsigned need_kbps, rate_kbps;
	size_t left_out; /* services without room (own_eit_left_out()) */
};
struct own_tables_eit own_tables_eit(const struct own_tables *);

/* Has a table waited too long for a null packet, as
 * table_stage_lacks_places()? */
bool own_tables_lack_places(const struct own_tables *);

/* Sends a splice command, as own_cue_send(). */
bool own_tables_cue(struct own_tables *, const struct msg_stream_cue *,
		    uint64_t now_ns, struct errmsg *error);

void own_tables_feed(struct own_tables *, const struct ts_run *runs,
		     size_t n_runs, uint64_t now_ns);
