/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The networks where inputs use multicast groups, and their queriers.
 *
 * IGMP (RFC 3376) and MLD (RFC 3810) have one querier per network: a router or
 * the switch.  Without a querier, a switch with snooping lets the memberships
 * expire after some minutes, and the groups stop.
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
	/* Time for which an interface is listed after its last use by an
	 * input. */
	QUERIERS_KEPT_MS = 60000,
	QUERIERS_NETS_MAX = 256,
};

/* An interface and an address family (IGMP or MLD). */
struct querier_net {
	unsigned ifindex;
	bool v6;
};

enum querier_state {
	/* no queries can be received, or not for the whole timeout yet */
	QUERIER_UNKNOWN,
	QUERIER_PRESENT,
	QUERIER_MISSING, /* no query for the whole timeout */
};

struct queriers *queriers_new(unsigned timeout_s);
void queriers_free(struct queriers **);

/* Takes a status of the querier worker; copies it. */
void queriers_update(struct queriers *, const struct msg_querier_status *,
		     uint64_t now_ms);
/* The querier worker has ended: no querier is known any more. */
void queriers_reset(struct queriers *);

/* An input uses a group on this network.  Does nothing if the network is new
 * and QUERIERS_NETS_MAX networks are in use. */
void queriers_use(struct queriers *, struct querier_net, uint64_t now_ms);
/* Packets of a group arrive on a network in use. */
void queriers_arrived(struct queriers *, struct querier_net, uint64_t now_ms);
/* Returns the time of the last queriers_arrived() for this network; 0:
 * never. */
uint64_t queriers_arrival_ms(const struct queriers *, struct querier_net);
/* Records the networks in use, and since when, for the next master: a new
 * reference. */
json_t *queriers_write(const struct queriers *, uint64_t now_ms);
/* Takes the valid networks of a record of queriers_write(). */
void queriers_take(struct queriers *, const json_t *nets, uint64_t now_ms);
/* True when an input has used a group within QUERIERS_KEPT_MS. */
bool queriers_in_use(const struct queriers *, uint64_t now_ms);

enum querier_state queriers_state(const struct queriers *, struct querier_net,
				  uint64_t now_ms);
unsigned queriers_timeout_s(const struct queriers *);

/* Call it before a report: sets the numbers of inputs of all networks to 0. */
void queriers_count_none(struct queriers *);
/* Counts an input on this network for the report; silent: it receives no
 * packets. */
void queriers_count(struct queriers *, struct querier_net, bool silent);

/* Returns {"querier_timeout", "igmp_error", "mld_error", "interfaces": […]}, a
 * new reference; see GET api/network-status in doc/api.md. */
json_t *queriers_report(struct queriers *, uint64_t now_ms);
