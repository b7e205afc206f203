/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looks for the packet with which one who joins a stream begins, as
 * start_point.h says.
 *
 * The counters of the tables that go in front of it are those of the packets
 * that came before: what follows goes on behind them unchanged.
 *
 * Pure.  Owns its tables; it is needed no more when one was found.
 */
#pragma once

#include "worker/output/start_point.h"

struct entrance;

struct entrance *entrance_new(void);
void entrance_free(struct entrance **);

/* Packets that go by while nobody is there to begin. */
void entrance_pass(struct entrance *, const struct ts_run *);

/* How many packets of the run go by before the one to begin with; all of them
 * when it is not there. */
size_t entrance_find(struct entrance *, const struct ts_run *,
		     uint64_t now_ns);

/* What belongs in front of it. */
void entrance_tables(struct entrance *, start_point_put_fn *put, void *arg);
