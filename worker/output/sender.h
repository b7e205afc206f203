/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends the packets of the data path to the network outputs, at the pace of the
 * stream.
 *
 * Owns the pacer and the queue; borrows the outputs, and after sender_keep()
 * the memory of the queue.  While the input keeps its pace the sender copies
 * nothing and sends from the memory of the input.
 */
#pragma once

#include "worker/ts/fifo.h"
#include "worker/output/output.h"
#include "worker/output/pacer.h"
#include "worker/ts/pcr.h"

enum {
	/* The queue of the previous worker is late after this time: a worker
	 * that follows at once is faster. */
	SENDER_LATE_MS = 500,
	/* Most packets in the queue: a second (PACER_QUEUE_MS) at 134
	 * Mbit/s. */
	SENDER_PACKETS_MAX = 16 * 1024 * 1024 / TS_PACKET,
};

struct sender_memory;

/* fn is called at each feed, before the outputs send, with the packets that
 * stay in the queue.  The next process sends the packets of the last call, so
 * none is sent twice. */
struct sender_note {
	void (*fn)(struct ts_run waiting, uint64_t now_ns, void *arg);
	void *arg;
};

struct sender {
	struct output **outputs; /* borrowed; NULL entries are skipped */
	size_t n_outputs;
	struct fifo fifo;
	struct sender_memory *memory; /* of sender_keep(); or NULL */
	struct sender_note note;
	struct pacer pacer;
	/* gives the rate until the pacer has measured it */
	struct pcr_clock pcr;
	uint64_t sent;    /* packets handed to the outputs */
	uint64_t dropped; /* packets that the queue had no room for */
	/* The packets arrive at their pace already: all leave at once.  Set it
	 * before the first feed. */
	bool immediate;
};

/* Makes a sender of these outputs.  note: NULL: the caller does not store the
 * queue. */
void sender_init(struct sender *, struct output **outputs, size_t n,
		 const struct sender_note *note);
void sender_done(struct sender *);

/* Takes new packets (n_runs may be 0) and sends what the pacer releases. */
void sender_feed(struct sender *, const struct ts_run *runs, size_t n_runs,
		 uint64_t now_ns);

/* Sends the oldest packets at once, until at most so many wait. */
void sender_shorten(struct sender *, size_t most, uint64_t now_ns);

/* The packets in the queue. */
struct ts_run sender_waiting(const struct sender *);

/* Call it before the first feed.  Sends the queue of the previous worker at
 * once, because the first new packets may arrive much later.  If late_ms is
 * SENDER_LATE_MS or more, the PCRs are removed, because they would be wrong by
 * late_ms.  The packets are sent even then, so that no continuity counter is
 * missing.  An output that has no connection yet drops them. */
void sender_take_over(struct sender *, struct ts_run waiting, uint32_t late_ms,
		      uint64_t now_ns);

/* The bytes of the memory for sender_keep(). */
size_t sender_memory_size(void);

/* Call it before the first feed.  Puts the queue into this memory, which begins
 * with a page, is shared and outlives the sender.  sender_resume() sends the
 * queue that the last sender with the same address (a hash) left there.
 * Packets that were being sent when that sender ended are not sent again. */
void sender_keep(struct sender *, void *memory, uint64_t address,
		 uint64_t now_ns);

/* Sends the queue that sender_keep() found, as sender_take_over() does. */
void sender_resume(struct sender *, uint64_t now_ns);

/* The time of the next feed without new packets; UINT64_MAX: none. */
uint64_t sender_next_ns(const struct sender *);

/* Do more packets wait than one release may send? */
bool sender_is_behind(const struct sender *);

/* Once a second: frees the memory of a long queue. */
void sender_every_second(struct sender *);
