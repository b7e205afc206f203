/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A viewer of a ring: a socket and a position.
 *
 * A TCP socket gets references to the pages of the ring.  A viewer that may be
 * on this host gets copies, as does a socket of the tls worker (ring_send.h).
 *
 * Owns its socket, its session and one watcher, which notices when the viewer
 * leaves; borrows the loop.  It is in the list of its mount.
 */
#pragma once

#include "common/base/peers.h"
#include "common/base/ring.h"
#include "common/base/sockaddr.h"
#include "worker/deliver/lag.h"

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct session;

struct viewer {
	/* the members that each pass reads, side by side */
	LIST_ENTRY(viewer) entry;
	uint64_t pos;           /* the socket has the bytes up to here */
	uint64_t bytes;         /* sent */
	uint64_t start;         /* position of the start of the body */
	uint64_t wait_until_ms; /* end of the wait for a random access point;
				 * 0: started */
	bool copied;            /* the socket gets copies, not pages */
	bool kernel;            /* the kernel encrypts what the socket sends */
	ev_io io;

	struct ev_loop *loop;
	void (*on_gone)(struct viewer *, void *arg);
	void *arg;
	struct session *session;
	uint32_t received;      /* bytes that the viewer sent and on_readable()
				 * discarded */
	struct peer *from;      /* counts the viewer for its address; NULL: no
				 * limit */
	struct sockaddr_any peer_address; /* len 0: unknown */
};

struct viewer_socket {
	int fd; /* non-blocking */
	bool copied; /* the socket gets copies, not pages; then peer is set */
	bool local;  /* the client may be on this host, and has no TLS */
	bool kernel; /* the kernel encrypts what is sent to it */
	struct sockaddr_any peer;
	struct peer *from; /* taken; NULL: not counted */
	struct session *session; /* taken; it has the permission */
};

struct viewer_config {
	struct ev_loop *loop;
	const struct viewer_socket *socket; /* the fd in it is taken */
	uint64_t sndbuf;        /* SO_SNDBUF in bytes; 0: the kernel tunes it */
	uint64_t wait_until_ms; /* end of the wait for a random access point,
				 * > 0 */
	uint64_t now_ms;
	/* the viewer closed the connection, or may not watch any more: free
	 * it */
	void (*on_gone)(struct viewer *, void *arg);
	void *arg;
};

struct viewer *viewer_new(const struct viewer_config *);

/* Closes the socket, or resets the connection while bytes of the ring are
 * queued: the writer may change these. */
void viewer_free(struct viewer **);

/* Resets the connection, which drops the queued bytes: the viewer never gets a
 * wrong byte. */
void viewer_reset(struct viewer **);

/* A pass over the viewers of one ring, which sends them the bytes up to the end
 * of a portion (portion.h). */
struct viewer_pass {
	int ring_fd;
	/* the pages for viewers at pages->pos; NULL or empty: no pages */
	struct page_pipe *pages;
	struct page_pipe *copies; /* the same for viewers that get copies */
	struct ring_copy *copy;
	struct ring_reader *reader;
	const struct lag *lag;
	uint64_t written; /* end of the stream in the ring */
	uint64_t end;     /* end of the portion: viewers that have started get
			   * the bytes up to here */
	uint64_t start;   /* the random access point for new viewers */
	bool has_start;
	bool has_marks;   /* the stream has random access points: without
			   * has_start new viewers wait for the next one */
	bool still;       /* no packets: new viewers wait */
	uint64_t wait_until_ms; /* end of a wait for a random access point that
				 * begins in this pass */
	uint64_t now_ms;
};

enum viewer_fate {
	VIEWER_STAYS,
	VIEWER_MOVED, /* stays, but lost bytes: this process was too late */
	VIEWER_GONE,
	VIEWER_SLOW,
	VIEWER_TORN,  /* lost bytes, among them a part of a packet whose begin
		       * it has: disconnect it */
};

/* Does the viewer wait for a picture, or lack bytes before end? */
static inline bool viewer_is_behind(const struct viewer *v, uint64_t end)
{
	return v->wait_until_ms > 0 || v->pos < end;
}

/* Sends what the socket accepts, up to the end of the portion; a viewer that
 * starts gets all written bytes.  Adds the bytes to *bytes.  Returns what
 * becomes of the viewer. */
enum viewer_fate viewer_feed(struct viewer *, const struct viewer_pass *,
			     uint64_t *bytes);
