/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A data path between real sockets, in one loop of one thread and in a network
 * namespace of its own.
 */
#pragma once

#include "worker/stream/pipeline.h"
#include "worker/ts/packet.h"

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RIG_PATIENCE_MS = 30000, /* then a test has failed */
	RIG_OUTPUTS = 2,
	RIG_CAPTURE = 4 << 20,
	RIG_ERROR = 256,
};

/* The data of one output. */
struct rig_capture {
	int fd;
	size_t header;      /* bytes to take off each datagram */
	size_t len;
	size_t datagrams;
	uint64_t last_ns;
	uint64_t gap_ns;    /* longest time between two datagrams */
	size_t most_in_ms;  /* most bytes within one millisecond */
	size_t in_ms;
	uint64_t ms;
	uint8_t last[2048]; /* the last datagram, whole */
	uint8_t *data;
};

struct rig {
	struct ev_loop *loop;
	ev_timer pulse;
	struct pipeline *pipeline;
	struct rig_capture out[RIG_OUTPUTS];
	int tx;
	int memory;         /* for rig_start(); -1: none */
	bool feed;          /* for rig_start(): a multiplex reads it */
	unsigned group_if;  /* where groups are sent to and joined */
	uint64_t pulse_ns;  /* the loop turned last */
	uint64_t stood_ns;  /* it did not turn for so long, in all */

	struct msg_stream_status status; /* the last; strings are not kept */
	char input_error[RIG_ERROR];
	unsigned n_status;
	struct msg_input_status sum; /* counters of input 1 over all seconds */
};

/* Enters a namespace whose lo is up and has multicast; skips the test where the
 * system forbids it. */
void rig_init(struct rig *);
void rig_done(struct rig *);

/* A pair of interfaces v0 and v1, joined by a cable, up; v0 has 10.9.9.1/24 and
 * replaces lo for groups.  Skips the test where there are none. */
void rig_add_wire(struct rig *);

/* Datagrams of more than a few hundred bytes pass lo in fragments only. */
void rig_narrow_lo(struct rig *);

/* Starts the path; NULL outputs are skipped. */
void rig_start(struct rig *, const char *input, const char *output0,
	       const char *output1);

/* Output i arrives here; joined when the address is a group. */
void rig_listen(struct rig *, unsigned i, const char *host, uint16_t port);

/* Later calls of rig_send() send there. */
void rig_aim(struct rig *, const char *host, uint16_t port);
void rig_send(struct rig *, const void *data, size_t len);

/* Lets the loop turn for so long, and once at least. */
void rig_turn(struct rig *, unsigned ms);
/* Lets the loop turn until output i has received len bytes, or fails. */
void rig_await(struct rig *, unsigned i, size_t len);
/* Lets the loop turn until n more statuses have come. */
void rig_await_status(struct rig *, unsigned n);

/* n packets of one PID, each with its own number in it, counters from that of
 * `first` on. */
void rig_make_packets(uint8_t *ret, size_t first, size_t n);
