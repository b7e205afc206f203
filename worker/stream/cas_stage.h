/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scrambles a stream for its conditional access systems (DVB Simulcrypt), for
 * all outputs at once: scrambles the components by the control word of the
 * period, and inserts ECMs and EMMs.  The remux adds the CA descriptors.
 *
 * Tables, adaptation fields and the packets of other PIDs stay in the clear.
 *
 * Owns the channels to the workers of the systems.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "proto/spec/cas_spec.h"
#include "worker/csa/crypto_periods.h"
#include "worker/csa/scrambler.h"

struct cas_stage;
struct csa_choice;
struct ev_loop;

struct cas_stage_config {
	struct ev_loop *loop;
	const struct msg_stream_start *start; /* borrowed for the call */
	/* components to scramble: bits by enum cas_component; 0: all */
	unsigned components;
	struct csa_choice *csa; /* borrowed for the call */
	/* Control words and ECMs for the next worker; outlives the stage. */
	struct crypto_memory *memory;
	/* scrambled PIDs for the next worker; outlives the stage */
	struct scrambler_pids *pids;
	ts_out_fn *out;
	void *arg;
	uint64_t now_ns;
};

/* Makes the stage.  NULL: the stream has no conditional access systems. */
struct cas_stage *cas_stage_new(const struct cas_stage_config *);
void cas_stage_free(struct cas_stage **);

/* The systems, borrowed for the life of the stage; NULL: there is no stage. */
const struct cas_list *cas_stage_list(const struct cas_stage *);

/* Sets the tables of the stream (borrowed), as scrambler_set_psi(). */
void cas_stage_set_psi(struct cas_stage *, const struct psi *);

/* Sets the channel to the worker of the system at this place; fd is taken. */
void cas_stage_link(struct cas_stage *, unsigned place, int fd);

void cas_stage_feed(struct cas_stage *, const struct ts_run *runs,
		    size_t n_runs, uint64_t now_ns);

/* Returns a set of bits, as cas_systems_linked(). */
unsigned cas_stage_linked(const struct cas_stage *);

/* Returns why a system delivers no ECMs or EMMs, as cas_systems_second(). */
const char *cas_stage_second(struct cas_stage *, uint64_t now_ns);
