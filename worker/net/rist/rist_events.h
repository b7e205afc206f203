/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the threads of librist say, until it is looked at.
 *
 * A receiver has numbers of each flow that reaches its port; those of the one
 * that is followed count, and the others are dropped.
 */
#pragma once

#include "proto/spec/link_stat.h"
#include "worker/net/rist/rist_peers.h"

#include <librist/librist.h>
#include <pthread.h>

enum {
	/* Peers that are told apart, two for each receiver in the simple
	 * profile. */
	RIST_STATS_PEERS_MAX = 128,
	RIST_FLOWS_MAX = RIST_SENDERS_MAX,
};

struct rist_flow_stats {
	uint32_t id;
	unsigned peers;
	struct link_stats counted;
};

/* Since it was taken. */
struct rist_counted {
	struct link_stats stats; /* nothing known: nothing was said */
	unsigned peers;          /* that were heard */
	unsigned connects;
	unsigned errors;         /* the last of them: */
	char error[160];
};

/* Embedded; where it stands it stays. */
struct rist_events {
	pthread_mutex_t lock;
	struct rist_counted counted;
	struct rist_peers *peers;  /* borrowed */
	bool secret;
	unsigned n_ids;            /* a sender's, that told their numbers */
	uint32_t ids[RIST_STATS_PEERS_MAX];
	bool follows;              /* ... this flow: */
	uint32_t flow;
	size_t n_flows;
	struct rist_flow_stats flows[RIST_FLOWS_MAX];
};

/* secret: whether there is one here. */
void rist_events_init(struct rist_events *, struct rist_peers *, bool secret);
void rist_events_done(struct rist_events *);

/* Has everything that is said of flows and peers go here. */
int rist_events_subscribe(struct rist_events *, struct rist_ctx *,
		     int interval_ms) MUST_CHECK;
int rist_events_on_log(void *arg, enum rist_log_level, const char *text);

/* From now on this flow is followed. */
void rist_events_follow(struct rist_events *, uint32_t flow);

void rist_events_take(struct rist_events *, struct rist_counted *ret);
