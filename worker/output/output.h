/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One output of a stream: an address that was opened, and what goes there.
 *
 * Owns its descriptors.  What cannot be sent is counted and forgotten: an
 * output never holds up the stream.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/prefetch.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/link_stat.h"
#include "proto/ipc/msg.h"
#include "worker/rtp/datagrams.h"
#include "worker/ts/packet.h"

struct departures;
struct output;

struct output_counters {
	uint64_t packets; /* sent */
	uint64_t dropped; /* that could not be sent */
};

/* Packets since the last that was taken by the network. */
struct output_gap {
	uint64_t packets;  /* 0: there is none */
	uint64_t since_ns; /* the first of them */
};

/* Any but http and https; the specification is borrowed for the life of the
 * output.  NULL with *ret_err = -errno and why. */
struct output *output_open(const struct output_spec *, int *ret_err,
			   struct errmsg *why);
void output_free(struct output **);

/* It is freed soon and gets nothing more: what takes its time begins to end, so
 * that several do so together.  True when it may take a moment. */
bool output_stop(struct output *);

/* Goes on in the sequence where the one before was, which is kept there from
 * now on; it outlives the output. */
void output_go_on(struct output *, struct rtp_state *);

/* Sends the packets of the runs now, DATAGRAM_PACKETS to a datagram; the last
 * may hold less. */
void output_send(struct output *, const struct ts_run *runs, size_t n_runs,
		 uint64_t now_ns);

/* What the next send will touch. */
void output_warm(const struct output *, struct warm *);

/* Once a second: 0, or -errno with why when nothing at all could be sent
 * since the last call, so that it is worth to open it anew. */
int output_second(struct output *, struct errmsg *why) MUST_CHECK;

/* After addresses, interfaces or routes of this machine changed: 1 when it was
 * opened anew since it is to be sent from another place; 0: nothing was to be
 * done; -errno with why: there is no way any more, it is worth to open it
 * anew. */
int output_follow(struct output *, struct errmsg *why) MUST_CHECK;

void output_counters(const struct output *, struct output_counters *ret);

struct output_gap output_gap(const struct output *);

/* When its datagrams left; borrowed for the life of the output. */
const struct departures *output_departures(const struct output *);

/* What its protocol knows; counted since output_open(). */
struct link_stats output_stats(const struct output *);

/* Why nothing can go though it is open; NULL when it can. */
const char *output_trouble(const struct output *);

/* It is open, tries by itself, and nobody takes what is sent: as if it were not
 * open, with its trouble for the reason. */
bool output_is_cut(const struct output *);

/* Why a part of it cannot go: a path, error correction; NULL when all can. */
const char *output_part_trouble(const struct output *);

/* The address of whom it is connected with; NULL: nobody, or more than can be
 * told, or it is not for connections. */
const char *output_peer(const struct output *);

/* Those who called it; -1: nobody calls such an output.  Strings are borrowed
 * until anything else is asked of it. */
ssize_t output_receivers(const struct output *, struct msg_receiver *ret,
			 size_t max);
/* Sends one of them away; false: he is not there. */
bool output_kick(struct output *, uint64_t client);
