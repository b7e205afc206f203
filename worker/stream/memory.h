/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of a stream from which its next worker continues, in memory that
 * the master keeps.
 *
 * The struct has no pointers and is updated as the stream is sent, so that it
 * is right whenever the worker ends.  The last worker may have damaged it:
 * every part is checked before it is used.
 */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/csa/crypto_periods.h"
#include "worker/csa/scrambler.h"
#include "worker/rtp/datagrams.h"
#include "worker/remux/si_versions.h"
#include "worker/remux/table_versions.h"
#include "worker/remux/version_stage.h"
#include "worker/splice/continuity.h"
#include "worker/stream/cue_memory.h"
#include "worker/stream/mux_memory.h"
#include "worker/stream/passed_eits.h"
#include "worker/tables/eit_versions.h"
#include "worker/ts/packet.h"

#include <stdbool.h>

enum {
	/* The most waiting packets that are kept for the next worker: the
	 * oldest.  Further packets are lost if the worker is killed.  A release
	 * of the pacer (PACER_BURST_MS) has 67 packets at 10 Mbit/s and 333 at
	 * 50 Mbit/s.  512 packets are 77 ms of 10 Mbit/s, and 15 ms of 50
	 * Mbit/s: only a source that sends in bursts has more of them
	 * waiting. */
	STREAM_WAITING_MAX = 512,
};

struct stream_memory {
	uint64_t magic;
	uint32_t version; /* version of this layout */
	uint32_t size;
	/* n_waiting: the packets that waited before the last send.  n_left: how
	 * many of them have left since, which only workers of earlier versions
	 * count. */
	uint16_t n_waiting, n_left;
	/* time of that send: monotonic ms, modulo 2^32; 0: unknown */
	uint32_t waiting_ms;
	/* its members before `cc', which each turn writes, share a cache line
	 * with the members above */
	struct splice_continuity splice;
	struct table_versions tables;
	struct si_versions si;
	struct rtp_state outputs[MSG_OUTPUTS_MAX];
	/* components that are scrambled, by biss of outputs or by CA systems */
	struct scrambler_pids components;
	struct version_counts versions;
	uint8_t table_cc[TS_PIDS]; /* continuity counters of own tables */
	struct cue_memory cues;
	/* For each input of a multiplex: how far its ring was read. */
	struct stream_read {
		uint64_t address; /* hash of the address of the input */
		/* the packets before this position in the ring were sent; 0:
		 * unknown */
		uint64_t pos;
	} reads[MSG_INPUTS_MAX];
	struct eit_versions eit;
	struct passed_list passed;
	struct mux_memory mux;
	/* waiting and crypto are the last members, because a stopped stream
	 * does not keep them */
	uint8_t waiting[STREAM_WAITING_MAX * TS_PACKET];
	struct crypto_memory crypto; /* control words and ECMs */
};

/*
 * Maps the memory of fd (not taken).  Without fd (-1), or when it cannot be
 * mapped (*ret_err = -errno, otherwise 0), it is memory that ends with this
 * process.  Never NULL.  Memory with another layout is set to zero.  Of valid
 * memory only the state of the splice is checked here.
 */
struct stream_memory *stream_memory_open(int fd, uint64_t now_ns,
					 int *ret_err);
/* Arranges the states of the outputs in the order of these addresses (hashes),
 * so that an output keeps its state when outputs in front of it are added or
 * removed.  An output with a new address gets an empty state.  In the memory of
 * fd (not taken; -1: none) the queues of other outputs are freed. */
void stream_memory_arrange(struct stream_memory *, int fd,
			   const uint64_t *addresses, size_t n);

/* Maps the queue of an output after stream_memory_arrange(), of size bytes, in
 * the memory of fd (not taken).  NULL: there is no queue, or it cannot be
 * mapped (*ret_err = -errno, otherwise 0).  shared_unmap() ends it. */
void *stream_memory_queue(int fd, const struct rtp_state *, size_t size,
			  int *ret_err);

/* The packets that the last worker did not begin to send, valid until
 * stream_memory_set_waiting() stores others; n is 0 if they are damaged.
 * *ret_late_ms: the time in ms since the last turn of that worker's loop; 0:
 * unknown. */
struct ts_run stream_memory_waiting(const struct stream_memory *,
				    uint64_t now_ns, uint32_t *ret_late_ms);
/* Keeps the first STREAM_WAITING_MAX of these packets for the next worker. */
void stream_memory_set_waiting(struct stream_memory *, struct ts_run,
			       uint64_t now_ns);

void stream_memory_close(struct stream_memory **);
