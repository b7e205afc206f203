/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections that an operator wrote (list si of a stream), in the schedule of
 * the stream. */
#pragma once

#include "proto/spec/tables_spec.h"
#include "worker/ts/packet.h"

struct own_sections;
struct psi;
struct table_stage;

/* Copies the sections; borrows the stage.  NULL: there are none. */
struct own_sections *own_sections_new(const struct tables_spec *,
				      struct table_stage *);
/* NULL-safe; sets *o to NULL. */
void own_sections_free(struct own_sections **);

/* Call it when the programs of the stream have changed: sends the sections
 * whose PIDs no program uses for its PMT, a stream, a PCR or ECMs, and logs the
 * others. */
void own_sections_use(struct own_sections *, const struct psi *);

/* True if own sections with this table_id are sent on a PID of DVB tables, so
 * that the source's sections with it are dropped.  False for NULL. */
bool own_sections_have(const struct own_sections *, uint8_t table_id);

/* Takes packets of the stream: no section is sent on the PIDs of EMMs that its
 * CAT lists. */
void own_sections_feed(struct own_sections *, const struct psi *,
		       const struct ts_run *runs, size_t n_runs);
