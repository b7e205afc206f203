/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An open output of a stream.
 *
 * Owns its descriptors.  Packets that cannot be sent are counted and dropped:
 * an output never blocks the stream.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/prefetch.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/link_stat.h"
#include "proto/ipc/msg.h"
#include "worker/rtp/datagrams.h"
#include "worker/ts/packet.h"

struct asker;
struct scrambler;
struct iat_out;
struct output;

struct output_counters {
	uint64_t packets; /* packets sent */
	uint64_t dropped; /* packets that could not be sent */
};

/* The packets since the last packet that the network accepted. */
struct output_gap {
	uint64_t packets;  /* 0: no gap */
	uint64_t since_ns; /* time of the first packet in the gap */
};

/* Opens any type except http and https.  Borrows the specification for the life
 * of the output.  NULL with *ret_err = -errno and error. */
struct output *output_open(const struct output_spec *, int *ret_err,
			   struct errmsg *error);
void output_free(struct output **);

/* Call before output_free() and after the last packet: several slow outputs
 * then stop at the same time.  True if the output needs time to stop. */
bool output_stop(struct output *);

/* Continues the RTP sequence in the state, and saves it there from now on.  The
 * state outlives the output. */
void output_resume_rtp(struct output *, struct rtp_state *);

/* Sends the packets of the runs now, DATAGRAM_PACKETS to a datagram; the last
 * datagram may contain fewer. */
void output_send(struct output *, const struct ts_run *runs, size_t n_runs,
		 uint64_t now_ns);

/* Adds the memory that the next output_send() reads to the prefetch. */
void output_warm(const struct output *, struct prefetch *);

/* Once a second: 0, or -errno with error if the output has failed, and sent
 * nothing since the last call.  The caller then reopens the output. */
int output_every_second(struct output *, struct errmsg *error) MUST_CHECK;

/* After addresses, interfaces or routes of this machine changed: 1: the output
 * was reopened because its source address changed; 0: no change; -errno with
 * error: no route, and the caller reopens the output. */
int output_follow(struct output *, struct errmsg *error) MUST_CHECK;

void output_counters(const struct output *, struct output_counters *ret);

struct output_gap output_gap(const struct output *);

/* The times between the datagrams of the output; borrowed for its life. */
const struct iat_out *output_iat(const struct output *);

/* The counters of the protocol since output_open(). */
struct link_stats output_stats(const struct output *);

/* Why the open output cannot send; NULL if it can. */
const char *output_error(const struct output *);

/* Is the output open, but without a receiver or room on the disk, and does it
 * continue by itself?  It then counts as closed, with output_error() as the
 * reason. */
bool output_is_disconnected(const struct output *);

/* Why a part (a path, error correction) cannot send; NULL if all parts can. */
const char *output_part_error(const struct output *);

/* The address of the output's peer; NULL: there is none, there are several, or
 * the type has no connections. */
const char *output_peer(const struct output *);

/* Writes the receivers that are connected to the output, at most max, to ret.
 * Returns their number; -1: the type accepts no receivers.  Strings are
 * borrowed until the next call for this output. */
ssize_t output_receivers(const struct output *, struct msg_receiver *ret,
			 size_t max);
/* Disconnects a receiver; false: it is not connected. */
bool output_kick(struct output *, uint64_t client);

/* Scrambles the packets that the output sends from now on.  The scrambler is
 * borrowed for the life of the output; NULL: packets are sent in the clear. */
void output_set_scrambler(struct output *, struct scrambler *);

/* Sets how the output asks about callers (admission.h); borrowed.  Call it
 * after output_open(). */
void output_set_asker(struct output *, struct asker *);
/* Takes the answer to the question with this number.  False: the output has not
 * asked it. */
bool output_answer(struct output *, const struct msg_deliver_answer *,
		   uint32_t seq);
/* Asks the master again about this receiver, or about all for 0, because the
 * rules have changed. */
void output_review(struct output *, uint64_t client);
