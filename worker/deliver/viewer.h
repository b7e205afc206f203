/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One viewer of a ring: a socket and a position.
 *
 * A TCP socket gets the pages of the ring themselves.  A socket of the tls
 * worker gets copies: the tls worker still encrypts and sends them after the
 * viewer was disconnected, so they must not change.
 *
 * Owns its socket and one watcher, which notices when the viewer leaves;
 * borrows the loop.  It is in the list of its mount and in the sessions.
 */
#pragma once

#include "common/base/ring.h"
#include "common/base/sockaddr.h"
#include "worker/deliver/lag.h"

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct viewer_sessions;

struct viewer {
	/* what each pass reads, side by side */
	LIST_ENTRY(viewer) entry;
	uint64_t pos;           /* the socket has the bytes up to here */
	uint64_t start;         /* position of the start of the body */
	uint64_t wait_until_ms; /* for a random access point; 0: started */
	bool copied;            /* the socket gets copies, not pages */
	ev_io io;

	struct ev_loop *loop;
	void (*on_gone)(struct viewer *, void *arg);
	void *arg;
	TAILQ_ENTRY(viewer) in_sessions;
	struct viewer_sessions *sessions;
	uint64_t client;        /* its number */
	const char *stream;     /* id; the mount's */
	uint64_t begun_ms;
	uint32_t received;      /* bytes that the viewer sent needlessly */
	struct sockaddr_any peer_address; /* len 0: unknown */
	char peer[SOCKADDR_TEXT_MAX]; /* without port */
};

struct viewer_socket {
	int fd; /* non-blocking */
	/* fd is the plaintext of a TLS connection with this peer */
	bool secure;
	struct sockaddr_any peer;
};

struct viewer_config {
	struct ev_loop *loop;
	const struct viewer_socket *socket; /* its fd is taken */
	uint64_t sndbuf;        /* 0: tuned by the kernel */
	uint64_t wait_until_ms; /* > 0 */
	/* sessions and stream are borrowed and outlive the viewer */
	struct viewer_sessions *sessions;
	const char *stream;
	uint64_t now_ms;
	/* the viewer closed the connection: free it */
	void (*on_gone)(struct viewer *, void *arg);
	void *arg;
};

struct viewer *viewer_new(const struct viewer_config *);

/* The kernel still sends the queued bytes. */
void viewer_free(struct viewer **);

/* Drops the queued bytes: the viewer sees a reset, never a wrong byte. */
void viewer_reset(struct viewer **);

/* A pass over the viewers of one ring. */
struct viewer_pass {
	int ring_fd;
	/* for viewers at its position; NULL or empty: none */
	struct page_pipe *pages;
	const struct ring_reader *reader;
	const struct lag *lag;
	uint64_t end;     /* published */
	uint64_t start;   /* the random access point for new viewers */
	bool has_start;
	bool still;       /* no packets: new viewers wait */
	uint64_t wait_until_ms; /* for a picture, after a pause */
	uint64_t now_ms;
};

enum viewer_fate {
	VIEWER_STAYS,
	VIEWER_MOVED, /* stays; skipped bytes: this process was too late */
	VIEWER_GONE,
	VIEWER_SLOW,
};

/* Sends what the socket accepts; adds the bytes to *bytes. */
enum viewer_fate viewer_feed(struct viewer *, const struct viewer_pass *,
			     uint64_t *bytes);
