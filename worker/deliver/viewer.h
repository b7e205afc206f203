/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One viewer of a ring: a socket and a position.
 *
 * A TCP socket is given the ring's own pages.  Towards the tls worker they are
 * copied: what waits there when the viewer is cut is still encrypted and sent,
 * and must not change.
 *
 * Owns its socket and one watcher, which only sees the viewer leave; borrows
 * the loop.  Lives in its mount's list and in the roster.
 */
#pragma once

#include "common/base/ring.h"
#include "common/base/sockaddr.h"
#include "worker/deliver/lag.h"

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct roster;

struct viewer {
	LIST_ENTRY(viewer) entry;
	TAILQ_ENTRY(viewer) in_roster;
	struct roster *roster;
	uint64_t client;        /* its number */
	const char *stream;     /* id; the mount's */
	uint64_t begun_ms;
	struct sockaddr_any peer_address; /* len 0: not known */
	char peer[SOCKADDR_TEXT_MAX]; /* without port */
	bool copied;            /* its socket gets copies, not pages */
	struct ev_loop *loop;
	ev_io io;
	void (*on_gone)(struct viewer *, void *arg);
	void *arg;
	uint64_t start;         /* where the body began */
	uint64_t pos;           /* given to the socket so far */
	uint64_t wait_until_ms; /* for a random access point; 0: being fed */
	uint32_t heard;         /* bytes of what nobody asked it to say */
};

struct viewer_socket {
	int fd; /* non-blocking */
	/* fd is the plaintext of a TLS connection, with this peer */
	bool secure;
	struct sockaddr_any peer;
};

struct viewer_config {
	struct ev_loop *loop;
	const struct viewer_socket *socket; /* its fd is taken */
	uint64_t sndbuf;        /* 0 leaves it to the kernel */
	uint64_t wait_until_ms; /* > 0 */
	struct roster *roster;  /* borrowed, outlives it, as does stream */
	const char *stream;
	uint64_t now_ms;
	/* it closed the connection: free it */
	void (*on_gone)(struct viewer *, void *arg);
	void *arg;
};

struct viewer *viewer_new(const struct viewer_config *);

/* Lets the kernel send what is queued. */
void viewer_free(struct viewer **);

/* Its address into text of SOCKADDR_TEXT_MAX. */
void viewer_format(const struct viewer *, char *text);

/* Throws away what is queued: the viewer sees a reset, never a wrong byte. */
void viewer_cut(struct viewer **);

/* What all viewers of one ring share in one pass. */
struct viewer_pass {
	int ring_fd;
	const struct ring_reader *reader;
	const struct lag *lag;
	uint64_t end;     /* published */
	uint64_t start;   /* the random access point to start at */
	bool has_start;
	bool still;       /* nothing comes: who begins waits */
	uint64_t wait_until_ms; /* for a picture, when something does */
	uint64_t now_ms;
};

enum viewer_fate {
	VIEWER_STAYS,
	VIEWER_MOVED, /* stays; skipped what this process sent too late */
	VIEWER_GONE,
	VIEWER_SLOW,
};

/* Gives it what its socket takes; adds the bytes to *bytes. */
enum viewer_fate viewer_feed(struct viewer *, const struct viewer_pass *,
			     uint64_t *bytes);
