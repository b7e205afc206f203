/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A random stream, two random networks that each carry a copy of it, and the
 * merge by content of their outputs.  The same seed makes the same stream and
 * the same faults.
 */
#pragma once

#include "worker/ts/batch.h"
#include "worker/merge/ts_merge.h"

enum {
	SIM_DATAGRAM = 7, /* packets */
	SIM_DATAGRAM_MS = 2,
	SIM_DELAY_MS = 500,
	/* Both networks are whole for so many datagrams, and a third of that
	 * at the end. */
	SIM_QUIET = 300,
	SIM_PID_FIRST = 0x100,
	SIM_PES_PIDS = 4,
	SIM_PID_FILLER = 0x101,
	SIM_PID_PCR = SIM_PID_FIRST,
	SIM_PIDS = SIM_PES_PIDS + 2, /* and the tables */
};

/* The possible faults, in thousandths of the datagrams. */
struct sim_network {
	unsigned lost, doubled, overtaken;
	unsigned burst; /* so many in a row are lost */
	unsigned stalled; /* ... and it holds all for up to 60 ms */
	/* It is cut each so often, for the first time after cut_first_ms, for
	 * cut_ms. */
	uint32_t cut_every_ms, cut_first_ms, cut_ms;
	/* Behind each other cut it has so much more latency. */
	uint32_t detour_ms;
};

/* The time at which a datagram leaves a network. */
struct sim_event {
	uint32_t at_ms;
	uint32_t datagram;
};

struct sim {
	uint32_t random;
	size_t n; /* packets that are sent */
	uint8_t (*packet)[TS_PACKET];
	bool *came; /* on one path at least */
	struct sim_event *event[TS_MERGE_PATHS];
	size_t n_events[TS_MERGE_PATHS];
	struct ts_merge *merge;
	struct batch batch;
	size_t n_out;
	uint8_t (*out)[TS_PACKET];
};

struct sim *sim_new(size_t datagrams);
void sim_free(struct sim **);

/* A new stream and a new merge. */
void sim_begin(struct sim *, uint32_t seed);

uint32_t sim_any(struct sim *, uint32_t below);

/* The PIDs of a stream: those with a PES first. */
uint16_t sim_pid(unsigned k);

/* Pictures and sound, one PID with filler between, times, tables, null
 * packets; some of a thousand packets are sent twice. */
void sim_make(struct sim *, unsigned twice);

/* The result of one of the networks. */
void sim_carry(struct sim *, unsigned path, const struct sim_network *,
	       uint32_t skew_ms);

/* From the first packet to the last; no packet waits then. */
void sim_play(struct sim *);

/* Is it of the PID with filler, and filler? */
bool sim_is_filler(const uint8_t *packet);
