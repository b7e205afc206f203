/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The connection of a client: reads one request after the other, waits for the
 * answer of each and writes it.
 *
 * Owns its sockets, the parser and two watchers; borrows the loop and the
 * events.  The client may send requests ahead: they wait for the answers in
 * front of them, most of them in the kernel.  A request without a complete head
 * in time gets an error, a client that is idle or reads too slowly is
 * disconnected.  After the last answer the connection waits up to two seconds
 * for the client to close, so that the client receives the answer and not a
 * reset.
 *
 * A connection uses less than 16 KiB of memory: a head of at most 8 KiB, 4 KiB
 * that were read ahead, and the answer, which is small or a range of a ring; a
 * picture is at most 32 KiB more.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/peers.h"
#include "common/base/util.h"
#include "common/loop/first_byte.h"
#include "common/base/sockaddr.h"
#include "proto/wire/http_request.h"
#include "worker/deliver/ring_body.h"

#include <ev.h>
#include <stdbool.h>
#include <sys/queue.h>

struct viewer_conn;

struct viewer_conn_events {
	/* The head is complete and valid; the body is not read.  The owner
	 * calls viewer_conn_reject(), viewer_conn_answer(),
	 * viewer_conn_answer_head() or viewer_conn_take_fd() once, inside or
	 * later; until then the request is valid.  It may free the connection
	 * inside. */
	void (*on_request)(struct viewer_conn *, const struct http_request *,
			   void *arg);
	/* The client begins a TLS handshake.  The receiver passes a copy of the
	 * socket to the tls worker, and returns the socket of the plaintext, or
	 * -errno. */
	int (*on_tls)(int fd, void *arg);
	/* The connection waits for the next request of its client, or after the
	 * last answer for its end; the receiver does not free it. */
	void (*on_idle)(struct viewer_conn *, void *arg);
	/* The connection has ended, perhaps while its request has no answer;
	 * the receiver frees it. */
	void (*on_end)(struct viewer_conn *, void *arg);
};

enum viewer_conn_state {
	CONN_READING,   /* reads a request, or waits for one */
	CONN_ASKED,     /* the owner prepares the answer */
	CONN_ANSWERING, /* sends the answer */
	CONN_CLOSING,   /* has sent the last answer: waits until the client
			 * closes */
};

struct viewer_conn {
	/* --- the owner (deliver.h) uses the members from here --- */
	TAILQ_ENTRY(viewer_conn) entry; /* in `list' */
	struct conn_list *list;         /* fresh, busy or used of deliver */
	struct peer *from; /* counts the address for the limit of viewers */
	struct peer_place place; /* counts the address for the limit of
				  * connections */
	struct hls_wait {  /* the request waits for a segment or playlist */
		LIST_ENTRY(viewer_conn) entry;
		struct mount *mount; /* NULL: the request does not wait */
		uint64_t until_ms;
		uint64_t session; /* number of the HLS session in the last
				   * request, or with is_index of the new one;
				   * 0: none */
		bool is_index; /* the answer is a list that names `session' */
	} hls;
	/* the request waits for the packets of a stream on demand */
	TAILQ_ENTRY(viewer_conn) in_wait;
	struct mount *waits_for; /* NULL: the request does not wait */
	uint64_t wait_until_ms;
	/* the session of the request, until it has a permission and an answer;
	 * NULL: none */
	struct session *session;
	/* the HLS session for whose permission the request waits; NULL: none */
	struct hls_session *shared;
	TAILQ_ENTRY(viewer_conn) in_shared;
	/* the HLS session of the last request; NULL: none */
	struct hls_session *served;
	TAILQ_ENTRY(viewer_conn) in_served;
	uint64_t *sent; /* counts the bytes of answers; NULL: not counted */
	struct list_wait { /* the request waits for a list or guide */
		TAILQ_ENTRY(viewer_conn) entry;
		uint32_t seq;  /* of the question to the master; 0: none */
		uint64_t until_ms;
		bool guide;    /* it waits for the guide, not for a list */
		size_t bytes;  /* of the answer, counted in stream_lists */
		struct peer *from; /* counts the address for the limit of
				    * guides; NULL: no limit */
	} asked;
	/* the request waits for the picture of a stream */
	TAILQ_ENTRY(viewer_conn) in_picture;
	struct picture *picture; /* NULL: the request does not wait */
	/* --- the owner sets the members up to here, `play' and `keep'; it only
	 * reads the others --- */
	struct ev_loop *loop;
	char *address; /* copy of the listener's address */
	bool play; /* the listener served the play paths */
	const struct viewer_conn_events *events;
	void *arg;
	unsigned head_ms, idle_ms, answer_ms, answer_rate;
	enum viewer_conn_state state;
	int fd;  /* requests are read from it; -1: the owner took it */
	ev_io io; /* watches fd, or the socket that answers are sent to */
	ev_timer deadline;
	struct http_request *request;
	struct buf in, out;
	struct ring_body body; /* range of a ring; active after its answer until
				* the client has acknowledged it */
	struct blob *blob; /* body of the answer that is not sent yet, or
			    * NULL */
	size_t blob_pos, blob_end; /* the bytes of blob that are still to be
				    * sent */
	bool more_body; /* `body' has bytes of the answer that are not sent */
	bool used;      /* a request was answered before */
	bool begun;     /* a request has begun, or none was answered yet: the
			 * deadline is head_ms, not idle_ms */
	bool keep;      /* another request may follow the answer */
	bool nodelay;   /* TCP_NODELAY is set, if fd is a TCP socket */
	bool lost;      /* bytes of the answer are lost: reset the connection */
	size_t drained; /* bytes read after the last answer */
	bool fresh;   /* the first byte has not arrived: waits in `first` */
	struct first_byte *first;
	struct first_byte_wait wait;
	bool secure; /* over TLS: fd is the socket of the plaintext */
	/* with TLS: the socket of the client, if the kernel may encrypt on it;
	 * -1: none */
	int outer;
	bool kernel_tls; /* after the handshake, ask whether the kernel
			  * encrypts */
	bool kernel;     /* the kernel encrypts what is sent to `outer' */
	struct sockaddr_any peer; /* the client; len 0: unknown */
	bool local; /* the socket may lead to a process of this host */
};

struct viewer_conn_config {
	struct ev_loop *loop;
	const char *address; /* copied */
	int fd;              /* taken; non-blocking */
	/* to detect TLS, borrowed; NULL: no TLS */
	struct first_byte *first;
	bool kernel_tls;     /* the kernel supports it: see kernel_tls.h */
	/* borrowed for the call; NULL: no client counts as one on this host */
	struct peer_links *links;
	unsigned head_ms;    /* limit for the head */
	unsigned idle_ms;    /* limit for the wait for the next request */
	unsigned answer_ms;  /* limit for an answer, in addition to the time
			      * that its bytes take at answer_rate */
	unsigned answer_rate; /* bytes per second */
	const struct viewer_conn_events *events;
	void *arg;
};

struct viewer_conn *viewer_conn_new(const struct viewer_conn_config *);
/* Closes the connection, or resets it if bytes of a ring are on their way. */
void viewer_conn_free(struct viewer_conn **);

/* Processes the head of a request that was received by another process, before
 * any byte of the socket.  peer (may be NULL): the client, over TLS. */
void viewer_conn_begin(struct viewer_conn *, const char *head,
		       const struct sockaddr_any *peer);

/* Answers with an error of one line and closes. */
void viewer_conn_reject(struct viewer_conn *, int status);
/* Answers with 405 and closes; options: the path also allows OPTIONS. */
void viewer_conn_reject_method(struct viewer_conn *, bool options);

struct viewer_answer {
	int status;
	const char *headers; /* lines, each with CRLF; NULL: none */
	const void *body;    /* copied; NULL: blob or mount has the body */
	size_t len;
	struct blob *blob;   /* the body is bytes [start, end) of it, or NULL */
	/* the body is the range [start, end) of the ring of this mount, or
	 * NULL */
	struct mount *mount;
	uint64_t start, end;
};

/* Answers in this iteration of the loop, but not inside the call.  The
 * connection adds Date, Content-Length, Access-Control-Allow-Origin and
 * Connection, and leaves the body out for HEAD. */
void viewer_conn_answer(struct viewer_conn *, const struct viewer_answer *);

/* Sends the head in front of a body of TS packets that ends with the
 * connection.  0 or -errno. */
int viewer_conn_accept(struct viewer_conn *) MUST_CHECK;

/* Answers a HEAD request whose body has no length yet, and closes.  headers:
 * NULL for those of a stream of TS packets. */
void viewer_conn_answer_head(struct viewer_conn *, const char *headers);

/* True if the client has received an answer, and has sent no request since. */
bool viewer_conn_is_idle(const struct viewer_conn *);

/* Must answers be copied, because the tls worker encrypts them, or a process of
 * this host receives them? */
bool viewer_conn_is_copied(const struct viewer_conn *);

/* Returns the socket to which answers are sent.  The caller owns it, and calls
 * viewer_conn_free() next. */
int viewer_conn_take_fd(struct viewer_conn *);
