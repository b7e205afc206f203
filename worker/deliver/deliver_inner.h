/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The struct and the internal functions of deliver.h, for the files that
 * implement it. */
#pragma once

#include "common/base/ratelimit.h"
#include "worker/deliver/deliver.h"
#include "worker/deliver/demand_wait.h"
#include "worker/deliver/fragments.h"
#include "worker/deliver/lag.h"
#include "worker/deliver/mount_table.h"
#include "worker/deliver/page_pipe.h"
#include "worker/deliver/peer_link.h"
#include "worker/deliver/ring_send.h"
#include "worker/deliver/stream_lists.h"

#include <ev.h>
#include <stdint.h>
#include <sys/queue.h>

struct door;
struct first_byte;
struct hls_sessions;
struct listener;
struct pictures;
struct sessions;
struct sockaddr_any;
struct viewer_conn;

TAILQ_HEAD(conn_list, viewer_conn);

struct deliver {
	struct ev_loop *loop;
	ev_timer tick;
	LIST_HEAD(, listener) listeners;
	/* fresh: connections whose first request is not complete, in the order
	 * of their arrival.  busy: connections whose request has no complete
	 * answer yet, in the order of the requests.  used: all other
	 * connections, in the order of their last answers. */
	struct conn_list fresh, busy, used;
	struct mount_table mounts;
	struct tls_link *tls; /* NULL: no channel to the tls worker */
	bool gives_pages;     /* clients on this host get references to pages of
			       * the ring, not copies */
	struct peer_links links;
	bool kernel_tls;      /* the kernel supports TLS on sockets */
	unsigned max_outer;   /* a connection that is new while n_conns is not
			       * below this is not encrypted by the kernel */
	struct first_byte *first; /* waits for the first bytes of connections;
				   * NULL until deliver_set_tls() */
	struct sessions *sessions;
	struct door *door;
	struct hls_sessions *hls;
	struct stream_lists lists;
	struct pictures *pictures;
	ev_timer news; /* runs while changes of viewers wait to be reported */
	int (*send)(const struct msg *, void *arg);
	/* pipes that each mount uses during its pass, for pages of its ring and
	 * for copies of its bytes */
	struct page_pipe pages, copies;
	struct ring_copy copy;  /* shared by the mounts, as the pipes are */
	struct fragment_store fragments; /* fMP4 fragments of all mounts */
	struct lag_kernel kernel;
	struct peers *peers; /* counts the viewers of each address */
	struct peers *clients; /* counts the connections of each address */
	struct demand_wait wait;
	void (*on_demand)(const struct msg_deliver_viewers *, void *arg);
	void *arg;
	unsigned turns; /* number of ticks; each tick begins with another
			 * mount */
	unsigned n_demands; /* first viewers of streams on demand in this
			     * second: DEMANDS_MAX are reported at once */
	unsigned n_conns;   /* connections of clients that are no viewers
			     * (yet) */
	unsigned n_fresh;   /* length of the list `fresh' */
	unsigned n_viewers; /* viewers of all mounts at the last tick, plus
			     * those added since */
	unsigned max_conns;
	bool empty_missing; /* a missing HLS segment is answered with an empty
			     * 200, not with 404 */
	bool hash_names;    /* playlists name segments by hash, not number */
	bool session_playlists; /* playlists of play paths name a session */
	bool retiring; /* each connection is closed after its answer */
	unsigned head_ms;
	unsigned idle_ms;
	unsigned answer_ms;
	unsigned start_ms;
	unsigned still_ms;
	unsigned tick_ms;
	/* counters of removed mounts */
	uint64_t removed_bytes;
	uint64_t removed_cut;
	struct ratelimit full_log;
};

/* Logs, at a bounded rate, that a client was rejected because of a limit. */
void deliver_log_full(struct deliver *, const char *address,
		      const char *error);
/* Adds a connection that the listener with this address accepted.  If there are
 * too many, it replaces another connection.  If only viewers are left, it reads
 * no request, but sends 503 and is closed.  first: to detect TLS, or NULL.
 * peer: the client; NULL: the peer of the socket. */
struct viewer_conn *deliver_add_conn(struct deliver *, const char *address,
				     int fd, struct first_byte *first,
				     const struct sockaddr_any *peer);
void deliver_remove_conns(struct deliver *);
/* Closes and frees the connection. */
void deliver_remove_conn(struct deliver *, struct viewer_conn *);
/* Makes the connection a viewer of the mount, or rejects it. */
void deliver_admit(struct deliver *, struct viewer_conn *, struct mount *);
/* Starts the tick; call it when a viewer or a request that waits was added. */
void deliver_start_tick(struct deliver *);

/* --- streams on demand --- */

/* As deliver_admit(); the answer of a stream on demand waits for its
 * packets. */
void deliver_welcome(struct deliver *, struct viewer_conn *, struct mount *);
/* Call it for a new viewer of the mount: reports the first viewer of a stream
 * on demand to the master, which starts the stream. */
void deliver_report_demand(struct deliver *, struct mount *);
/* Answers the requests that wait for a stream on demand, if the stream can be
 * sent now, or if they have waited too long. */
void deliver_feed_waiting(struct deliver *, uint64_t now_ms);
/* Rejects the requests that wait for the mount. */
void deliver_reject_waiting(struct deliver *, struct mount *);
