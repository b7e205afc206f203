/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Serves all viewers of all streams: listeners, mounts (a mount is a path of a
 * listener, with the ring of a stream), and the tick that sends to the viewers.
 *
 * Owns the descriptors that it gets; borrows the loop.  A timer feeds the
 * viewers.  It runs only while viewers exist, or requests wait or receive bytes
 * of a ring.  The writer of a ring therefore makes no system call for its
 * viewers, and the number of viewers does not change how often the deliver
 * worker wakes.
 *
 * The number of viewers of an address is limited.  Each path (mount) has some
 * places that only its own viewers get, so no path can take the places of all
 * viewers.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <stdint.h>

struct deliver;
struct ev_loop;

struct deliver_config {
	struct ev_loop *loop;
	/* in each of the times 0 means its default */
	unsigned tick_ms;   /* most time between two passes over the viewers */
	unsigned head_ms;   /* time limit for the head of a request */
	unsigned idle_ms;   /* time limit for the next request of a
			     * connection */
	unsigned answer_ms; /* time limit for an answer, in addition to the time
			     * that its bytes take */
	unsigned start_ms;  /* longest wait of a new viewer for a random access
			     * point */
	unsigned still_ms;  /* a stream without packets for this time is
			     * paused */
	unsigned hls_idle_ms; /* a session of HLS without a request for this
			       * time has ended */
	/* Reports the first viewer of a stream on demand; NULL: only the report
	 * of the next second contains it. */
	void (*on_demand)(const struct msg_deliver_viewers *, void *arg);
	/* Sends a message to the master; 0 or -errno.  NULL: there is no
	 * master. */
	int (*send)(const struct msg *, void *arg);
	void *arg;
	unsigned max_conns; /* most viewers and requests; default: by the limit
			     * of descriptors */
	unsigned number;    /* number of this worker, from 0 */
	bool pages; /* clients on this host get references to pages of the
		     * ring, as clients on other hosts do; false: copies */
};

struct deliver *deliver_new(const struct deliver_config *);
void deliver_free(struct deliver **);

/* Adds a listening socket, fd (taken), which replaces the socket of the same
 * address and slot. */
void deliver_listen(struct deliver *, const struct msg_deliver_listen *,
		    int fd);
/* Sets the channel to the tls worker, fd (taken), for viewers with TLS. */
void deliver_set_tls(struct deliver *, int fd);
/* Closes the listener; its viewers stay. */
void deliver_unlisten(struct deliver *, const struct msg_deliver_unlisten *);

/* Takes ring_fd on success.  If the mount of this path has the same ring and
 * the same settings of TLS and HLS, it keeps its viewers.  Otherwise a new one
 * replaces it, and its viewers are closed.  0 or -errno: then this path has no
 * mount. */
int deliver_mount(struct deliver *, const struct msg_deliver_mount *,
		  int ring_fd) MUST_CHECK;
void deliver_unmount(struct deliver *, const struct msg_deliver_mount *);
/* Takes a viewer that requested a play path at the control port, and its socket
 * (taken). */
void deliver_take(struct deliver *, const struct msg_deliver_viewer *, int fd);
/* Renames a play path, if it is mounted; its viewers stay. */
void deliver_move(struct deliver *, const struct msg_deliver_move *);

/* Applies the limit of viewers of one address (to new viewers only), the
 * trusted proxies, and the settings of HLS playlists. */
void deliver_limit(struct deliver *, const struct msg_deliver_limits *);

/* Call it when a new master begins.  Listeners and mounts that it adds again
 * keep their connections and viewers, and deliver_settle() removes all others.
 * All counters are reported again.  With `retire' in the message of
 * deliver_settle() each connection is closed after its answer. */
void deliver_renew(struct deliver *);
void deliver_settle(struct deliver *, const struct msg_deliver_settle *);

/* Sets which viewers need a permission: until the first call, all. */
void deliver_set_policy(struct deliver *, const struct msg_deliver_policy *);
/* Takes the answer of the master to the question with this seq. */
void deliver_answer(struct deliver *, const struct msg_deliver_answer *,
		    uint32_t seq);
/* Takes the list of streams, or the programme guide, for the request with this
 * seq; fd: its text, borrowed. */
void deliver_page(struct deliver *, const struct msg_deliver_page *,
		  uint32_t seq, int fd);
/* Asks the master again whether this viewer may watch; 0: about all viewers. */
void deliver_review(struct deliver *, uint64_t client);

/* Takes the reply to the question with this seq for a picture.  fd (taken) has
 * the picture, or is -1. */
void deliver_picture(struct deliver *, const struct msg_picture_result *,
		     uint32_t seq, int fd);

/* Call it once a second.  Measures the rates of the streams, asks again about
 * viewers whose permission ends, and ends HLS sessions and requests whose time
 * is over. */
void deliver_every_second(struct deliver *);

struct msg_deliver_status deliver_status(const struct deliver *);

/* Reports the next mount whose counters changed since its last report.
 * *cursor: index of the mount at which the search begins, 0 at first; the call
 * moves it behind the reported mount.  False: there are no further mounts. */
bool deliver_next_change(struct deliver *, size_t *cursor,
			 struct msg_deliver_viewers *ret);

/* Lists the viewers with a number above after, as many as fit.  Before that it
 * reports new and ended viewers to the master, so that the master knows the
 * sessions that it may end.  Strings are borrowed until the next call. */
void deliver_list(struct deliver *, uint64_t after,
		  struct msg_deliver_sessions *ret);

/* Disconnects a viewer, if it exists; with `idle' in the message only if its
 * session is one of HLS whose client seems to have left. */
void deliver_kick(struct deliver *, const struct msg_deliver_kick *);
