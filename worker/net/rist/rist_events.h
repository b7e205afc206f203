/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects the statistics, connection states and log lines from librist's
 * threads, until the worker reads them.
 *
 * A receiver gets the statistics of each flow that reaches its port.  Only
 * those of the followed flow are counted.
 */
#pragma once

#include "proto/spec/link_stat.h"
#include "worker/net/rist/rist_peers.h"

#include <librist/librist.h>
#include <pthread.h>

enum {
	/* Peers whose statistics are counted separately.  In the simple profile
	 * each receiver has two. */
	RIST_STATS_PEERS_MAX = 128,
	RIST_FLOWS_MAX = RIST_SENDERS_MAX,
};

struct rist_flow_stats {
	uint32_t id;
	unsigned peers;
	struct link_stats counted;
};

/* Counted since the last rist_events_take(). */
struct rist_counted {
	struct link_stats stats; /* known 0: there were no statistics */
	unsigned peers;          /* peers that have answered */
	unsigned connects;
	unsigned errors;         /* number of errors; `error' is the last one */
	char error[160];
};

/* Embedded; must not move. */
struct rist_events {
	pthread_mutex_t lock;
	struct rist_counted counted;
	struct rist_peers *peers;  /* borrowed */
	bool secret;
	unsigned n_ids; /* number of `ids': peers with statistics in this
			 * interval */
	uint32_t ids[RIST_STATS_PEERS_MAX];
	bool follows;              /* only `flow' is counted */
	uint32_t flow;
	size_t n_flows;
	struct rist_flow_stats flows[RIST_FLOWS_MAX];
};

/* Initialises the struct.  secret: encryption is configured. */
void rist_events_init(struct rist_events *, struct rist_peers *, bool secret);
void rist_events_done(struct rist_events *);

/* Subscribes to statistics and connection states of the context. */
int rist_events_subscribe(struct rist_events *, struct rist_ctx *,
			  int interval_ms) MUST_CHECK;
int rist_events_on_log(void *arg, enum rist_log_level, const char *text);

/* Counts only the statistics of this flow from now on. */
void rist_events_follow(struct rist_events *, uint32_t flow);

void rist_events_take(struct rist_events *, struct rist_counted *ret);
