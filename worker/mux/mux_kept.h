/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a multiplex hands over to the next multiplex of its stream.  So an input
 * that is silent at that time stays in the tables.
 */
#pragma once

#include "worker/remux/remux.h"

struct mux_kept_service {
	uint16_t number; /* service number in the output */
	uint8_t silent, absent;
	uint32_t unlisted; /* nonzero: the SDT of its source has no entry for
			    * this service */
	uint64_t heard_ns; /* arrival of the last packet before the silence; 0:
			    * it is not silent */
};

struct mux;

/* Passes the sections of PAT, PMT, CAT and SDT that the source of an input has
 * sent to fn.  Passes nothing if the input has no program with a PMT. */
void mux_keep_tables(const struct mux *, size_t input, remux_section_fn *fn,
		     void *arg);
/* Writes the states of the services of an input, at most max; returns their
 * number. */
size_t mux_keep_services(const struct mux *, size_t input,
			 struct mux_kept_service *ret, size_t max);
/* The arrival of the last packets of an input that is silent now; 0: it is not
 * silent, or has never had packets. */
uint64_t mux_silent_ns(const struct mux *, size_t input);

/* Restores an input, after mux_set_remux() and before the first mux_turn().
 * mux_restore() sets its state.  Then mux_restore_section() takes each of its
 * sections, which are checked as those of a source.  cc: continuity counters of
 * the input, zeroed before its first section. */
void mux_restore(struct mux *, size_t input, uint64_t silent_ns,
		 const struct mux_kept_service *, size_t n, uint64_t now_ns);
void mux_restore_section(struct mux *, size_t input, uint16_t pid,
			 const uint8_t *section, size_t len,
			 uint8_t cc[TS_PIDS]);
/* Call it when all inputs are restored: reads their services, so that the
 * packets that follow belong to services, and builds the tables with PIDs and
 * numbers of this multiplex. */
void mux_end_restore(struct mux *);
