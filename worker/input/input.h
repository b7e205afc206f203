/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An input of a stream: an address that was opened, and the packets from it.
 *
 * Owns its descriptor and receive memory.  Uses no event loop: the owner calls
 * input_read() at its ticks, and waits for input_fd() while no packets arrive.
 * input_keeper opens and watches it.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/prefetch.h"
#include "proto/spec/io_spec.h"
#include "proto/spec/link_stat.h"
#include "worker/input/program_filter.h"
#include "worker/ts/batch.h"
#include "worker/ts/skips.h"

struct iat_in_report;
struct input;

enum {
	/* Changes of the sender in a second: one sender may replace another,
	 * but two senders alternate. */
	INPUT_TWO_SENDERS = 3,
};

/* Counted since input_open(). */
struct input_counters {
	/* datagrams lost by the network; input_counters() adds those that our
	 * socket dropped, and input_keeper.c subtracts them */
	uint64_t lost;
	uint64_t recovered;      /* datagrams lost and recovered */
	/* datagrams dropped by a full socket; of a ring: packets that were
	 * overwritten before they were read */
	uint64_t socket_drops;
	uint64_t sync_losses;
	uint64_t bad_sync;       /* packets dropped for a wrong sync byte */
	uint64_t junk_bytes;     /* received bytes that were no packets */
	uint64_t source_changes; /* times that the sender's address changed */
	uint64_t unprotected;    /* seconds without configured redundancy */
	/* seconds with a file of the input's list that cannot be played */
	uint64_t unplayable;
};

/*
 * Opens the input of a specification, which is borrowed for its life.  NULL
 * with *ret_err = -errno and error.
 */
struct input *input_open(const struct input_spec *, uint64_t now_ns,
			 int *ret_err, struct errmsg *error);
void input_free(struct input **);

/* Does a thread of the input hang in the kernel?  input_free() would leave this
 * thread behind.  So the owner keeps the input until the kernel answers, and
 * only then opens the same address again. */
bool input_hangs(const struct input *, uint64_t now_ns);

/*
 * Takes the packets that wait, up to a bound, into the batch and flushes it.
 * Returns the number of reads that had packets (at least 1 while the input
 * itself holds packets back), or -errno with error.  After an error the owner
 * must close the input, unless input_reopens(), and may open it again.
 * -ENODATA: the input has ended and must not be opened again.
 */
int input_read(struct input *, struct batch *, uint64_t now_ns,
	       struct errmsg *error) MUST_CHECK;

/* Does the input itself open its paths again after an error?  It then uses the
 * same delays as input_keeper. */
bool input_reopens(const struct input *);

/* Opens the sockets of a silent input again, and keeps what the input knows of
 * its sender: so the packets that were lost meanwhile are counted.  0;
 * -ENOTSUP: it cannot do this; another -errno with error.  After an error the
 * owner must close and open the input. */
int input_renew(struct input *, uint64_t now_ns, struct errmsg *error)
	MUST_CHECK;

/* Asks for the packets of one program only (program_filter.h).  An input that
 * cannot choose delivers all packets. */
void input_choose(struct input *, const struct program_choice *);

/* What the input skipped between the packets that it passes to the batch; valid
 * while the batch passes them on.  NULL: nothing. */
const struct ts_skips *input_skips(const struct input *);

/* Lists the memory that the next read will touch, for a prefetch. */
void input_warm(const struct input *, struct prefetch *);

/* A descriptor that is readable when packets wait; -1: the input has none, and
 * the owner reads it at every tick. */
int input_fd(const struct input *);

/* Does the input hold the packets of 200 ms at 60 Mbit/s until they are read,
 * and did one read take all that waited?  Else the owner reads it every 10 ms.
 * True for a ring, and for a socket with a large buffer. */
bool input_is_roomy(const struct input *);

/* Call once a second.  Renews multicast memberships and frees unused memory.
 * 0, or -errno with error as input_read(). */
int input_every_second(struct input *, uint64_t now_ns, struct errmsg *error)
	MUST_CHECK;

void input_counters(const struct input *, struct input_counters *ret);

/* The counters of its protocol, since input_open(). */
struct link_stats input_stats(const struct input *);

/* The report on the inter-arrival times of its datagrams, see iat_in.h; NULL:
 * the input has none, or none is measured yet.  Each call keeps the measurement
 * on for UDP_ASKED_S (udp_flow.h). */
const struct iat_in_report *input_iat_in(struct input *, uint64_t now_ns);

/* The error of an open input, for example that no sender is connected; NULL: no
 * error is known. */
const char *input_error(const struct input *);

/* A text that names two senders which alternated in the last second; NULL:
 * there was one sender at a time. */
const char *input_senders(const struct input *);

/* The redundancy that was missing in the last second (see
 * input_counters.unprotected); NULL: none, or unknown. */
const char *input_unprotected(const struct input *);

/* The position in the ring of another stream up to which packets were read; 0:
 * it reads no ring. */
uint64_t input_position(const struct input *);

/* Can packets arrive, as far as is known?  True for a socket; false for a file
 * or a ring, and for a server that has not answered yet. */
bool input_is_ready(const struct input *);

/* Does the input connect to a peer that has not answered yet?  The error of the
 * previous attempt is then still valid. */
bool input_is_calling(const struct input *);

/* Must packets arrive now, so that the watchdog may open a silent input again?
 * True when its interface is up, its peer is connected, or its description was
 * read.  False for a file or the ring of another stream. */
bool input_can_be_silent(const struct input *);

/* The address of the connected peer; NULL: no peer is connected, or the
 * protocol has no connections. */
const char *input_peer(const struct input *);
