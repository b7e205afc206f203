/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The own SDT other of a stream: the services of the streams of nit_other.
 * Their running_status and free_CA_mode are those of the SDT of their stream,
 * as the guide has them; without a guide they are running and in the clear.
 * Their EIT flags are those of the EIT other that are sent: own ones, or those
 * of the source that pass.
 *
 * A table gets a new version when its content changes, also if the worker was
 * replaced meanwhile.  The next worker continues the EIT flags.
 */
#pragma once

#include "proto/spec/stream_spec.h"
#include "worker/ts/packet.h"

struct other_guide;
struct other_guides;
struct own_others;
struct passed_list;
struct schedule;
struct table_versions;

/* Borrows the versions, the list of services whose EIT other pass, and the
 * schedule.  NULL: spec has no sdt_other. */
struct own_others *own_others_new(const struct tables_spec *,
				  struct table_versions *,
				  struct passed_list *, struct schedule *);
/* NULL-safe; sets *o to NULL. */
void own_others_free(struct own_others **);

/* Takes packets of the source.  True: the services with EIT other in the source
 * have changed, and the list must be built again. */
bool own_others_feed(struct own_others *, const struct other_guides *,
		     const struct ts_run *runs, size_t n_runs,
		     uint64_t now_ns);

/* Begins another list.  Then own_others_add() adds each stream, which must have
 * a transport_stream_id, and own_others_end() ends the list. */
void own_others_begin(struct own_others *);
void own_others_add(struct own_others *, const struct stream_spec *,
		    const struct other_guide *);
void own_others_end(struct own_others *);
