/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The own SDT other of a stream: the services of the streams of nit_other.
 * Their running_status and free_CA_mode are those of the SDT of their stream,
 * as the guide has them; without a guide they are running and in the clear.
 * Their EIT flags are those of the own EIT other that are sent.
 *
 * Their versions count contents, also across workers.
 */
#pragma once

#include "proto/spec/stream_spec.h"

struct other_guide;
struct own_others;
struct schedule;
struct table_versions;

/* Borrows the versions and the schedule.  NULL: spec has no sdt_other. */
struct own_others *own_others_new(const struct tables_spec *,
				  struct table_versions *, struct schedule *);
/* NULL-safe; sets *o to NULL. */
void own_others_free(struct own_others **);

/* Another list begins, gets a stream, which has a transport stream, and is
 * whole. */
void own_others_begin(struct own_others *);
void own_others_add(struct own_others *, const struct stream_spec *,
		    const struct other_guide *);
void own_others_end(struct own_others *);
