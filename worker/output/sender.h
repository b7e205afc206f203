/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the data path to the network outputs, at the pace of the stream.
 *
 * Owns the pacer and the packets that wait; borrows the outputs.  While the
 * input keeps its pace nothing is copied: what comes is sent from where it
 * stands.
 */
#pragma once

#include "worker/ts/fifo.h"
#include "worker/output/output.h"
#include "worker/output/pacer.h"
#include "worker/ts/pcr.h"

struct sender {
	struct output **outputs; /* borrowed; NULL entries are passed over */
	size_t n_outputs;
	struct fifo fifo;
	struct pacer pacer;
	struct pcr_clock pcr; /* until the pacer knows the rate */
	uint64_t dropped; /* packets that waited too long */
};

void sender_init(struct sender *, struct output **outputs, size_t n);
void sender_done(struct sender *);

/* Takes new packets (n_runs may be 0) and sends what may leave now. */
void sender_feed(struct sender *, const struct ts_run *runs, size_t n_runs,
		 uint64_t now_ns);

/* What waits to be sent. */
struct ts_run sender_waiting(const struct sender *);

/* Before the first feed: packets that another sender left waiting. */
void sender_take_over(struct sender *, struct ts_run waiting);

/* When to feed again, even with nothing; UINT64_MAX: with new packets. */
uint64_t sender_next_ns(const struct sender *);

/* Does more wait than may leave at once? */
bool sender_is_behind(const struct sender *);

/* Once a second: gives back memory that a long queue took. */
void sender_second(struct sender *);
