/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of the inputs of a multiplex, for the next worker: if an input is
 * silent when that worker starts, its services stay in the tables with the same
 * versions, PIDs and numbers.
 *
 * The struct has no pointers, so it lies in the memory that outlives the
 * worker.  Its content is checked when it is read: sections pass the parsers of
 * the input as packets.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/mux/mux_kept.h"

enum {
	/* Room for 490 bytes of each of 256 services.  Tables that find no room
	 * are not kept. */
	MUX_MEMORY_BYTES = 126200,
	MUX_MEMORY_SERVICES = 512,
};

struct mux_memory_input {
	uint64_t address;   /* hash of the input's address; 0: no input */
	/* time of its last packets if it is silent, as mux_silent_ns(); 0: it
	 * is not */
	uint64_t silent_ns;
	/* number of its entries in `services', which follow those of earlier
	 * inputs */
	uint32_t services;
	/* number of its bytes in `sections', which follow those of earlier
	 * inputs */
	uint32_t bytes;
};

struct mux_memory {
	uint32_t whole; /* 1: complete; 0: a part is missing */
	struct mux_memory_input inputs[MSG_INPUTS_MAX];
	struct mux_kept_service services[MUX_MEMORY_SERVICES];
	/* for each section: PID and length, 16 bits each, and its bytes */
	uint8_t sections[MUX_MEMORY_BYTES];
};

/* Keeps the tables of the inputs with these addresses, if they have changed. */
void mux_memory_keep(struct mux_memory *, const struct mux *,
		     const uint64_t *addresses, size_t n);

/* Restores the inputs that have the same addresses, once each, and empties the
 * memory: tables at which a worker crashes are not used again.  at_ns: the time
 * of the last turn; after ten minutes nothing is restored.  True: an input was
 * restored. */
bool mux_memory_restore(struct mux_memory *, struct mux *,
			const uint64_t *addresses, size_t n, uint64_t at_ns,
			uint64_t now_ns);
