/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One input of a stream: an address that was opened, and what comes from it.
 *
 * Owns its descriptor and receive memory.  Knows no loop: the data path calls
 * input_read() at its ticks, and waits for input_fd() when nothing came for a
 * while.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/prefetch.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/link_stat.h"
#include "worker/ts/batch.h"

struct arrivals_report;
struct input;

enum {
	/* One sender may take the place of another; in turns they do it
	 * again and again in a second. */
	INPUT_TWO_SENDERS = 3,
};

/* Counted since input_open(). */
struct input_counters {
	uint64_t lost;         /* datagrams that the network lost for good */
	uint64_t recovered;    /* that it lost, and that came back */
	uint64_t socket_drops; /* datagrams that the socket had no room for */
	uint64_t sync_losses;
	uint64_t bad_sync;     /* packets dropped for their sync byte */
	uint64_t source_changes; /* another sender than the one before */
	/* Seconds without a path, or error correction, that was asked for. */
	uint64_t unprotected;
	/* ... with a file of a list that cannot be played. */
	uint64_t unplayable;
};

/*
 * Opens what the specification describes (borrowed for the life of the
 * input).  NULL with *ret_err = -errno and why.
 */
struct input *input_open(const struct input_spec *, uint64_t now_ns,
			 int *ret_err, struct errmsg *why);
void input_free(struct input **);

/* What would be freed now is left behind in the kernel, as it does not answer:
 * whoever wants to open the same again keeps this one until it does. */
bool input_hangs(const struct input *, uint64_t now_ns);

/*
 * Takes what is there, at most a bounded part, into the batch and flushes it.
 * The number of reads that brought something, 0 when there was nothing; or
 * -errno with why: the input is to be closed and opened again, for -ENODATA
 * never again: it has ended.
 */
int input_read(struct input *, struct batch *, uint64_t now_ns,
	       struct errmsg *why) MUST_CHECK;

/* What the next read will touch. */
void input_warm(const struct input *, struct warm *);

/* Readable when there is something to read; -1 for an input that only runs
 * by the clock and must be read at every tick. */
int input_fd(const struct input *);

/* Once a second: what takes care of itself (memberships, memory).  0, or
 * -errno with why as input_read(). */
int input_second(struct input *, uint64_t now_ns, struct errmsg *why)
	MUST_CHECK;

void input_counters(const struct input *, struct input_counters *ret);

/* What its protocol knows; counted since input_open(). */
struct link_stats input_stats(const struct input *);

/* How its datagrams arrive, see arrivals.h; NULL: it has none, or it was not
 * measured yet.  Who asks for it makes it be measured. */
const struct arrivals_report *input_arrivals(struct input *, uint64_t now_ns);

/* Why nothing can come though it is open, such as that nobody has called yet;
 * NULL when it can. */
const char *input_trouble(const struct input *);

/* Who they are, when two sent to it in the last second; else NULL. */
const char *input_senders(const struct input *);

/* What is not protected that should be, as of the last second (see
 * input_counters.unprotected); NULL: nothing, or it is not known why. */
const char *input_bare(const struct input *);

/* Its interface is down, or gone: it is waited for, and opening it again would
 * not help. */
bool input_is_cut_off(const struct input *);

/* What it asks for could be had, as far as it is known: a socket that others
 * send to or call, not a file or server that can be asked. */
bool input_is_there(const struct input *);

/* It asks for packets, and nothing is known of the answer yet: the error of the
 * last try still holds. */
bool input_is_tried(const struct input *);

/* Packets are due, so that silence is an error that opening it again may end:
 * its interface is up, a peer is connected, its description was read.  Never
 * for a file or the ring of another stream. */
bool input_can_be_silent(const struct input *);

/* The address of who is connected with it; NULL: nobody, or it is not for
 * connections. */
const char *input_peer(const struct input *);
