/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the tables of a multiplex say about its inputs: the next worker lists an
 * input that is silent then, with the same versions, PIDs and numbers.
 *
 * The struct has no pointers, so it lies in the memory that outlives the
 * worker.  Its content is checked when it is read: sections pass the parsers of
 * the input as packets.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/mux/mux_kept.h"

enum {
	/* Tables of inputs beyond it are not kept: 490 bytes for each of 256
	 * services. */
	MUX_MEMORY_BYTES = 126200,
	MUX_MEMORY_SERVICES = 512,
};

struct mux_memory_input {
	uint64_t address;   /* a hash; 0: there is none */
	uint64_t silent_ns; /* as mux_silent_ns() */
	uint32_t services;  /* in `services' behind those before */
	uint32_t bytes;     /* the same in `sections' */
};

struct mux_memory {
	uint32_t whole; /* 0: a part is missing */
	struct mux_memory_input inputs[MSG_INPUTS_MAX];
	struct mux_kept_service services[MUX_MEMORY_SERVICES];
	/* PID and length, 16 bits each, and the section */
	uint8_t sections[MUX_MEMORY_BYTES];
};

/* Keeps the tables of the inputs with these addresses, if they have changed. */
void mux_memory_keep(struct mux_memory *, const struct mux *,
		     const uint64_t *addresses, size_t n);

/* Restores the inputs that have the same addresses, once each.  at_ns: the time
 * of the last turn.  The memory is empty then: tables at which a worker crashes
 * are not used again.  Were there any? */
bool mux_memory_restore(struct mux_memory *, struct mux *,
			const uint64_t *addresses, size_t n, uint64_t at_ns,
			uint64_t now_ns);
