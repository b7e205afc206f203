/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The worker that hears queries for multicast groups, and what it has heard.
 *
 * It runs while inputs have groups on an interface.  Owns the worker; borrows
 * the loop and the spawner.
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

/* The worker, borrowed. */
struct service_proc *querier_proc_service(struct querier_proc *);

/* From master to master. */
json_t *querier_proc_write(struct querier_proc *, struct handover *);
void querier_proc_adopt(struct querier_proc *, const json_t *record,
			struct handover *);

/* An input has a group there. */
void querier_proc_use(struct querier_proc *, struct querier_net,
		      uint64_t now_ms);

/* What is known, borrowed. */
struct queriers *querier_proc_known(struct querier_proc *);
