/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests for the list of streams, where the play paths are served: the master
 * writes the list, as it knows the names and the rights of the viewer.  It also
 * sends the programme guide of these streams, in memory that clients share.
 *
 * A request for a list gets 503 if LISTS_MAX requests wait, if playlist_limit.h
 * rejects it, if the master does not answer within LISTS_WAIT_MS, or if the
 * lists that clients receive would exceed LISTS_BYTES_MAX.  For the guide these
 * limits are GUIDES_WAITING_MAX, GUIDES_WAIT_MS and GUIDES_BYTES_MAX; also, an
 * address may wait for, or receive, only GUIDES_PER_ADDRESS guides at a time.
 *
 * Embedded.  Borrows the connections.
 */
#pragma once

#include "common/base/peers.h"
#include "common/base/playlist_limit.h"
#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

struct viewer_conn;

enum {
	LISTS_MAX = 256, /* requests for lists that wait */
	GUIDES_WAITING_MAX = 64, /* requests for the guide that wait, beside
				  * LISTS_MAX */
	LISTS_WAIT_MS = 6000, /* longer than the check of a password (5 s) */
	LISTS_BYTES_MAX = 4 * MSG_PAGE_MAX,
	/* Documents of the guide in memory; clients share a document. */
	GUIDES_HELD_MAX = 64,
	GUIDES_BYTES_MAX = 512 << 20,
	GUIDES_WAIT_MS = 40000, /* longer than the master waits for the guide
				 * (30 s) */
	/* most requests for the guide from one address, whose clients may be
	 * slow: other addresses can still get documents */
	GUIDES_PER_ADDRESS = GUIDES_HELD_MAX / 4,
};

/* A document of the guide. */
struct held_guide {
	struct blob *blob; /* the document; NULL: the entry is free */
	ino_t memory;      /* inode number of the shared memory: the same for
			    * all descriptors of the document */
};

struct stream_lists {
	/* requests that wait for the master; oldest first */
	TAILQ_HEAD(, viewer_conn) waiting;
	/* requests in `waiting': n for lists, n_guides for the guide */
	unsigned n, n_guides;
	size_t bytes; /* sum of the lists that are being sent */
	struct held_guide guides[GUIDES_HELD_MAX];
	size_t guide_bytes; /* sum of the documents in `guides' */
	struct peers *guide_peers; /* counts the requests of each address for
				    * the guide, until their end */
	struct playlist_limit limit; /* limits the questions: the master treats
				      * more of them as a flood */
	uint32_t seq; /* number of the last question */
	/* Sends a message to the master; 0 or -errno. */
	int (*send)(const struct msg *, void *arg);
	void *arg;
};

void stream_lists_init(struct stream_lists *,
		       int (*send)(const struct msg *, void *arg), void *arg);

/* Frees the documents.  No connection may wait for or receive a list any
 * more. */
void stream_lists_done(struct stream_lists *);

/* Sets the addresses to which GUIDES_PER_ADDRESS does not apply: the proxies of
 * the configuration; with max 0 it applies to no address. */
void stream_lists_limit(struct stream_lists *, const struct peers_config *);

/* True if the path is that of a list of streams, or of the guide. */
bool stream_lists_path(const char *path);

/* Asks the master for the list or guide that the connection requests.  The
 * request is answered later, or rejected before the call returns.  address:
 * that of the client; question->peer is its text. */
void stream_lists_ask(struct stream_lists *, struct viewer_conn *,
		      const struct msg_deliver_playlist *,
		      const struct ip_address *, uint64_t now_ms);
/* Takes the answer to the question with this seq; fd: its text, borrowed. */
void stream_lists_answer(struct stream_lists *,
			 const struct msg_deliver_page *, uint32_t seq, int fd);
/* Rejects the requests that have waited too long, and drops the documents that
 * no client receives. */
void stream_lists_expire(struct stream_lists *, uint64_t now_ms);
/* Call it when the connection ends, or when its answer is sent. */
void stream_lists_forget(struct stream_lists *, struct viewer_conn *);
