/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The body of an answer: a range of a ring on its way to a socket.
 *
 * The socket gets references to the pages of the ring, so the range must stay
 * in the ring until the client has acknowledged it, which may be long after its
 * last byte was handed to the socket.  Until then the body is in the list of
 * its mount, which checks it in its passes (ring_body_rests()).
 *
 * Embedded; zeroed memory is an inactive body.  Borrows mount and socket.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

struct mount;

enum ring_body_state {
	RING_BODY_BLOCKED, /* the socket is full */
	RING_BODY_MORE,    /* enough was sent for one wake-up: call
			    * ring_body_send() again in the next */
	RING_BODY_HELD,    /* the client has not acknowledged all bytes */
	/* with the next two, the body is no longer active */
	RING_BODY_DONE,    /* the client has acknowledged all bytes */
	RING_BODY_LOST,    /* the bytes are not in the ring any more, or the
			    * socket failed: reset the connection */
};

struct ring_body {
	LIST_ENTRY(ring_body) entry;
	struct mount *mount; /* NULL: the body is not active */
	/* Called when the body is no longer active: in a pass, because it is
	 * DONE or LOST, or with LOST when its mount ends.  The receiver frees
	 * no body and no mount inside. */
	void (*on_end)(struct ring_body *, enum ring_body_state);
	int fd;
	bool awaited;        /* the owner waits for on_end(); false: on_end()
			      * may be called some passes late */
	uint8_t rests;       /* passes since ring_body_check() was called */
	bool copied;         /* the socket gets copies, not pages */
	uint64_t start, end; /* positions of the ring */
	uint64_t pos;        /* the socket has the bytes up to here */
};

/* Begins a body: the bytes [start, end) of the ring of the mount.  on_end, fd
 * and copied are set, and the body is not active. */
void ring_body_start(struct ring_body *, struct mount *, uint64_t start,
		     uint64_t end);

/* Stops sending the body.  Does nothing without an active body. */
void ring_body_stop(struct ring_body *);

static inline bool ring_body_is_active(const struct ring_body *b)
{
	return b->mount != NULL;
}

/* Sends as much of the body as the socket accepts.  Returns its state. */
enum ring_body_state ring_body_send(struct ring_body *);

/* Call it in a pass; end: the end of the stream.  True if ring_body_check(),
 * whose system call takes most of the time of a pass, can wait for a later
 * pass, because the writer is still far from the bytes of the body. */
bool ring_body_rests(struct ring_body *, uint64_t end);

/* Asks the socket what the client has acknowledged: RING_BODY_HELD, _DONE or
 * _LOST. */
enum ring_body_state ring_body_check(struct ring_body *);
