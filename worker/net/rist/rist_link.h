/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What librist does for an input or an output: its context, its peers, its
 * numbers.
 *
 * The library works in threads of its own; what they say is noted under a lock
 * and looked at here, once a second.  It begins with the first of the ways that
 * can be had; the others are tried again, and join it.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/ratelimit.h"
#include "common/base/util.h"
#include "proto/spec/link_stat.h"
#include "proto/spec/rist_spec.h"
#include "worker/net/curl/resolver.h"
#include "worker/net/refusal_log.h"
#include "worker/net/librist/rist_guard.h"
#include "worker/net/rist/rist_peers.h"
#include "worker/net/rist/rist_events.h"
#include "worker/net/librist/rist_threads.h"
#include "worker/input/redundant_paths.h"

#include <librist/librist.h>
#include <stdatomic.h>
#include <sys/types.h>

enum rist_direction { RIST_RECEIVES, RIST_SENDS };

/* One of its peers, as it is set. */
struct rist_way {
	struct resolver *resolver; /* NULL: it is not looked for now */
	struct sockaddr_any at;
};

/* Embedded; where it stands it stays. */
struct rist_link {
	const struct rist_spec *spec; /* borrowed */
	enum rist_direction direction;
	struct rist_ctx *ctx;         /* NULL: names are looked for */
	struct redundant_paths paths; /* open: the library has it */
	struct rist_way ways[RIST_PEERS_MAX];
	_Atomic pid_t adder; /* the thread that adds a way; 0: none ... */
	size_t added;        /* ... this one */
	struct rist_logging_settings logging;
	struct rist_guard guard;
	struct rist_peers peers;
	struct rist_events events;
	struct rist_threads threads;
	struct link_stats stats;
	char peer[200]; /* who is there; "": nobody */
	struct ratelimit log;
	struct refusal_log refusal_log;
	unsigned quiet_s; /* nobody is there */
	unsigned absent_s; /* of one that sends: nobody answers ... */
	bool reaches;      /* ... and not yet for a while */
	uint64_t invalid; /* datagrams that the guard kept away */
	struct errmsg told;     /* the last trouble in the log ... */
	uint64_t told_ms;       /* ... when it was seen last ... */
	uint64_t heard_ms;      /* ... who may be its cause ... */
	struct ratelimit told_limit; /* of others in turns with it */
	bool troubled;          /* ... and not, that all is well since */
	unsigned brought;          /* ways of which blocks were taken in this
				    * second */
};

void rist_link_open(struct rist_link *, const struct rist_spec *,
		    enum rist_direction);
void rist_link_close(struct rist_link *);

/* At every tick.  1: it works, if not by all its ways; 0: a name is still
 * looked for; -errno with why: none of them can be had. */
int rist_link_turn(struct rist_link *, struct errmsg *error) MUST_CHECK;

/* As of the last turn, by one way at least. */
bool rist_link_works(const struct rist_link *);

/* Once a second: takes over what was said.  Ends the process when a thread of
 * the library is caught, with a line of the log: nothing else ends that. */
void rist_link_second(struct rist_link *);

/* A line of the log, within a limit. */
void rist_link_warn(struct rist_link *, const char *text);

/* The addresses of those who are there; NULL: nobody is. */
const char *rist_link_peer(const struct rist_link *);

/* It sends, and somebody is there. */
bool rist_link_reaches(const struct rist_link *);

/* It sends to those who call: that nobody does is nobody's fault. */
bool rist_link_waits(const struct rist_link *);

/* It sends, calls somebody, and has not been answered for a while. */
bool rist_link_is_cut(const struct rist_link *);

/* Why nothing can go; NULL: it can, or it waits. */
const char *rist_link_trouble(const struct rist_link *);
/* Why one of its ways is not used while others are; NULL: all are. */
const char *rist_link_way_trouble(const struct rist_link *);
