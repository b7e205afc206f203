/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What librist does for an input or an output: its context, its peers, its
 * numbers.
 *
 * The library works in threads of its own; what they say is noted under a lock
 * and looked at here, once a second.  Names are found before it begins.
 */
#pragma once

#include "common/errmsg.h"
#include "common/ratelimit.h"
#include "common/util.h"
#include "proto/link_stat.h"
#include "proto/rist_spec.h"
#include "worker/net/name.h"

#include <librist/librist.h>
#include <pthread.h>

/* Peers that are told apart, two for each receiver in the simple profile:
 * callers of an output that listens are more. */
enum { RIST_TOLD_MAX = 128 };

enum rist_direction { RIST_RECEIVES, RIST_SENDS };

/* Said by the library's threads. */
struct rist_said {
	pthread_mutex_t lock;
	struct link_stats counted; /* since the last second */
	unsigned peers;            /* that were heard in it */
	unsigned n_ids;            /* a sender's, that told their numbers */
	uint32_t ids[RIST_TOLD_MAX];
	unsigned connects;
	unsigned errors;           /* since the last second; one of them: */
	char error[160];
};

/* Embedded; where it stands it stays. */
struct rist_link {
	const struct rist_spec *spec; /* borrowed */
	enum rist_direction direction;
	struct rist_ctx *ctx;         /* NULL: names are looked for */
	struct name *names[RIST_PEERS_MAX]; /* NULL: it has none */
	struct sockaddr_any addresses[RIST_PEERS_MAX];
	struct rist_logging_settings logging;
	struct rist_said said;
	struct link_stats stats;
	struct ratelimit log;
	unsigned quiet_s; /* nobody is there */
};

void rist_link_open(struct rist_link *, const struct rist_spec *,
		    enum rist_direction);
void rist_link_close(struct rist_link *);

/* 1: it works; 0: a name is still looked for; -errno with why. */
int rist_link_turn(struct rist_link *, struct errmsg *why) MUST_CHECK;

/* Once a second: takes over what was said. */
void rist_link_second(struct rist_link *);

/* Why nothing can go; NULL: it can. */
const char *rist_link_trouble(const struct rist_link *);
