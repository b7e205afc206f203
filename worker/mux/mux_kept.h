/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a multiplex hands over to the next one of its stream, so that an input
 * that is silent then stays in the tables.
 */
#pragma once

#include "worker/remux/remux.h"

struct mux_kept_service {
	uint16_t number; /* in the output */
	uint8_t silent, absent;
	uint32_t unlisted; /* nonzero: the SDT of its source has no entry of
			    * it */
	uint64_t heard_ns; /* the last packet before the silence; 0: none */
};

struct mux;

/* Passes PAT, PMT, CAT and SDT of the source of an input to fn; nothing if its
 * programs are not known. */
void mux_keep_tables(const struct mux *, size_t input, remux_section_fn *fn,
		     void *arg);
/* Writes the services of an input, at most max; returns their number. */
size_t mux_keep_services(const struct mux *, size_t input,
			 struct mux_kept_service *ret, size_t max);
/* The time of the last packets of an input, if it is silent now; 0: it is not
 * silent, or has had no packets. */
uint64_t mux_silent_ns(const struct mux *, size_t input);

/* Restores an input before the first turn, when it has its remux.
 * mux_restore() sets its state.  Then mux_restore_section() takes each of its
 * sections, which are checked as those of a source.  cc: the counters of the
 * PIDs of one input, zeroed at first. */
void mux_restore(struct mux *, size_t input, uint64_t silent_ns,
		 const struct mux_kept_service *, size_t n, uint64_t now_ns);
void mux_restore_section(struct mux *, size_t input, uint16_t pid,
			 const uint8_t *section, size_t len,
			 uint8_t cc[TS_PIDS]);
/* Call it when all inputs are restored: the packets that follow have services,
 * and the tables have PIDs and numbers of this multiplex. */
void mux_end_restore(struct mux *);
