/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where inputs hear multicast groups, and whether somebody asks there which
 * groups are wanted.
 *
 * IGMP and MLD have one querier per network: a router, or the switch itself.
 * Where it is missing, a switch that listens to memberships lets them expire
 * after some minutes, and the groups fall silent.
 *
 * Pure: no clock, no loop.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct queriers;

enum {
	/* An interface that no input uses any more is kept for so long. */
	QUERIERS_KEPT_MS = 60000,
	QUERIERS_NETS_MAX = 256,
};

/* An interface, for the groups of one address family. */
struct querier_net {
	unsigned ifindex;
	bool v6;
};

enum querier_state {
	QUERIER_UNKNOWN, /* not listened to for long enough, or at all */
	QUERIER_HEARD,
	QUERIER_MISSING, /* for the whole timeout */
};

struct queriers *queriers_new(unsigned timeout_s);
void queriers_free(struct queriers **);

/* What the worker that listens says; copied. */
void queriers_update(struct queriers *, const struct msg_querier_status *,
		     uint64_t now_ms);
/* There is none any more. */
void queriers_reset(struct queriers *);

/* An input has a group there. */
void queriers_use(struct queriers *, struct querier_net, uint64_t now_ms);
/* From master to master: where groups are heard, and since when. */
json_t *queriers_write(const struct queriers *, uint64_t now_ms);
void queriers_take(struct queriers *, const json_t *ways, uint64_t now_ms);
/* Has any, lately? */
bool queriers_in_use(const struct queriers *, uint64_t now_ms);

enum querier_state queriers_state(const struct queriers *, struct querier_net,
				  uint64_t now_ms);
unsigned queriers_timeout_s(const struct queriers *);

/* For the next report: nothing, then input after input. */
void queriers_count_none(struct queriers *);
void queriers_count(struct queriers *, struct querier_net, bool silent);

/* {"querier_timeout", "igmp_error", "mld_error", "interfaces": […]}, a new
 * reference; doc/api.md, GET api/network-status. */
json_t *queriers_report(const struct queriers *, uint64_t now_ms);
