/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An input of a stream: an address that was opened, and the packets from it.
 *
 * Owns its descriptor and receive memory.  Knows no loop: the owner calls
 * input_read() at its ticks, and waits for input_fd() while no packets arrive.
 * input_keeper opens and watches it.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/prefetch.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/link_stat.h"
#include "worker/ts/batch.h"

struct iat_in_report;
struct input;

enum {
	/* Changes of the sender in a second: one sender may replace another,
	 * but two senders alternate. */
	INPUT_TWO_SENDERS = 3,
};

/* Counted since input_open(). */
struct input_counters {
	uint64_t lost;           /* datagrams lost by the network */
	uint64_t recovered;      /* datagrams lost and recovered */
	uint64_t socket_drops;   /* datagrams dropped by a full socket */
	uint64_t sync_losses;
	uint64_t bad_sync;       /* packets dropped for their sync byte */
	uint64_t source_changes; /* times that the sender's address changed */
	uint64_t unprotected;    /* seconds without configured redundancy */
	uint64_t unplayable;     /* seconds with a bad file in its list */
};

/*
 * Opens the input of a specification, which is borrowed for its life.  NULL
 * with *ret_err = -errno and error.
 */
struct input *input_open(const struct input_spec *, uint64_t now_ns,
			 int *ret_err, struct errmsg *error);
void input_free(struct input **);

/* A part of it is stuck in the kernel.  input_free() would leave that part
 * behind, so the owner keeps the input until it answers, before it opens the
 * same again. */
bool input_hangs(const struct input *, uint64_t now_ns);

/*
 * Takes the packets that wait, up to a bound, into the batch and flushes it.
 * The number of reads with packets; 0: none; or -errno with error: the owner
 * must close the input, unless it reopens itself, and may open it again, after
 * -ENODATA (its end) not.
 */
int input_read(struct input *, struct batch *, uint64_t now_ns,
	       struct errmsg *error) MUST_CHECK;

/* It opens its paths again after an error, by the policy of input_keeper. */
bool input_reopens(const struct input *);

/* Names the memory that the next read will touch. */
void input_warm(const struct input *, struct warm *);

/* Readable when packets wait; -1: the input runs by the clock and is read at
 * every tick. */
int input_fd(const struct input *);

/* Maintains memberships and memory.  0, or -errno with error as input_read().
 */
int input_every_second(struct input *, uint64_t now_ns, struct errmsg *error)
	MUST_CHECK;

void input_counters(const struct input *, struct input_counters *ret);

/* The counters of its protocol, since input_open(). */
struct link_stats input_stats(const struct input *);

/* The inter-arrival times of its datagrams, see iat_in.h; NULL: none, or not
 * measured yet.  The call starts measuring for a while. */
const struct iat_in_report *input_iat_in(struct input *, uint64_t now_ns);

/* What is wrong with an open input, for example that no sender is connected;
 * NULL: no error is known. */
const char *input_error(const struct input *);

/* The two senders that sent to it in the last second; NULL: one or none. */
const char *input_senders(const struct input *);

/* The redundancy that was missing in the last second (see
 * input_counters.unprotected); NULL: none, or unknown. */
const char *input_unprotected(const struct input *);

/* As far as it is known, packets can arrive: true for a socket, false for a
 * file or server before it has answered. */
bool input_is_ready(const struct input *);

/* It calls, and no answer is known yet: the error of the last try still
 * holds. */
bool input_is_calling(const struct input *);

/* Packets are due, so that silence is an error that opening it again may end:
 * its interface is up, a peer is connected, its description was read.  Never
 * for a file or the ring of another stream. */
bool input_can_be_silent(const struct input *);

/* The address of its peer; NULL: not connected, or without connections. */
const char *input_peer(const struct input *);
