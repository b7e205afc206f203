/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the querier worker, which listens for IGMP and MLD queries.
 *
 * The worker runs while inputs use multicast groups, unless the timeout is 0.
 * Owns the worker; borrows the loop and the spawner.
 */
#pragma once

#include "common/base/util.h"
#include "master/streams/queriers.h"
#include "common/supervise/service_proc.h"

#include <jansson.h>

struct querier_proc;

struct querier_proc *querier_proc_new(const struct service_config *,
				      unsigned timeout_s);
void querier_proc_free(struct querier_proc **);

/* Returns the worker, borrowed. */
struct service_proc *querier_proc_service(struct querier_proc *);

/* Records the worker and the networks for the next master, a new reference. */
json_t *querier_proc_write(struct querier_proc *, struct handover *);
/* Adopts the worker and the networks in a record of the previous master. */
void querier_proc_adopt(struct querier_proc *, const json_t *record,
			struct handover *);

/* An input uses a multicast group on this network, so the worker must run.
 * Does nothing if the timeout is 0. */
void querier_proc_use(struct querier_proc *, struct querier_net,
		      uint64_t now_ms);

/* Returns the known queriers, borrowed. */
struct queriers *querier_proc_known(struct querier_proc *);
