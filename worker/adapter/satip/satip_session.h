/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One session with a SAT>IP server: which requests are sent on the RTSP
 * connection, what the replies mean, and when to try again.
 *
 * A session never ends: after each fault it retries until the server streams
 * again.  The owner has the sockets.  It opens a connection while
 * satip_session_wants() is true, sends the bytes of `out', and passes what it
 * receives to satip_session_feed().
 *
 * Owns its buffers.  Pure: the caller passes the time.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/units.h"
#include "worker/adapter/satip/rtsp.h"
#include "worker/adapter/satip/satip_pids.h"
#include "worker/adapter/satip/ses1.h"
#include "worker/socket/retry.h"

#include <stdio.h>
#include <string.h>

enum {
	SATIP_CONNECT_MS = 5000, /* limit for connecting, and for each reply */
	SATIP_LEAVE_MS = 1000,   /* limit for the reply to TEARDOWN */
	/* without RTP and RTCP for so long, the session is dead */
	SATIP_SILENCE_MS = 5000,
	/* with a reported lock but no packets for so long, the session is
	 * dead */
	SATIP_LOCKED_MS = 10000,
	/* a report on the tuner is valid for so long */
	SATIP_REPORT_MS = 3000,
	/* packets count as arriving for so long after the last one */
	SATIP_LIVE_MS = 1000,
	SATIP_FAILED_MAX_S = 10, /* longest pause after a failure */
	SATIP_BUSY_MAX_S = 30,   /* longest pause after a reply that no tuner is
				  * free */
	SATIP_HOST_MAX = 80,
	SATIP_URL_MAX = 128,
};

enum satip_state {
	SATIP_WAIT,    /* pause without a connection, before the next attempt */
	SATIP_CONNECT, /* waits for the connection */
	SATIP_LEAVE,   /* waits for the reply to TEARDOWN of the old session */
	SATIP_SETUP,
	SATIP_PLAY,
	SATIP_ON,      /* the server streams */
	SATIP_REJOIN,  /* the server streams, but the RTSP connection was lost:
			* waits for a new one */
	SATIP_STATES,
};

struct satip_config {
	char host[SATIP_HOST_MAX]; /* host and port as in a URL */
	char query[SATIP_QUERY_MAX];
	/* requests pids=all; a list of PIDs only if the server refuses this */
	bool whole;
	enum satip_transport transport;
	bool fixed_transport;      /* never tries another transport */
	/* local port of RTP over UDP; RTCP has the next one */
	uint16_t client_port;
	/* Passes a frame that arrived on the RTSP connection, on the channel of
	 * RTP. */
	void (*on_media)(const uint8_t *data, size_t len, void *arg);
	void *arg;
};

struct satip_session {
	struct satip_config cfg;
	enum satip_state state;
	enum satip_transport transport; /* used now */
	uint64_t deadline_ns;   /* time limit for the connection or the reply;
				 * 0: none */
	struct retry retry;
	struct buf out;         /* bytes to be sent; the owner removes them */
	uint32_t cseq;          /* of the last request */
	bool asked;             /* the last request has no reply yet */
	bool connected;
	bool tuned;             /* cfg.query has changed: no session was
				 * requested with it yet */

	bool listed;            /* the session requests a list of PIDs, not
				 * pids=all */
	unsigned doubts;        /* consecutive refusals of pids=all */
	bool replaces;          /* the server refused addpids= or delpids=: each
				 * change sends the whole list, pids= */
	bool changing;          /* the request without a reply changes PIDs */
	bool unsure;            /* a change of PIDs had no reply: the next
				 * change sends the whole list */
	struct satip_pids wanted, asked_pids, held;

	/* state of the current session */
	char id[RTSP_SESSION_MAX]; /* "": the server has none */
	/* URL of the stream, for PLAY, OPTIONS and TEARDOWN */
	char url[SATIP_URL_MAX];
	struct rtsp_transport place; /* transport that the server replied */
	uint32_t timeout_s;
	uint64_t keep_ns;       /* time of the next keep-alive */
	unsigned refused;       /* consecutive keep-alives that failed */
	bool root_keeps;        /* keep-alives use the root URL instead of the
				 * URL of the stream */
	bool delivered;         /* RTP with packets arrived */
	uint64_t heard_ns;      /* time of the last RTP or RTCP */
	uint64_t media_ns;      /* time of the last RTP with packets; 0: none
				 * yet */
	unsigned silent;        /* consecutive sessions that received no RTP
				 * with packets */
	struct ses1 report;
	uint64_t report_ns;     /* time of report; 0: none yet */
	uint64_t lock_ns;       /* time since which reports have a lock; 0: the
				 * last one has no lock */

	struct errmsg error;    /* "": none */
};

/* The first satip_session_turn() after this starts the session. */
void satip_session_init(struct satip_session *, const struct satip_config *);
void satip_session_done(struct satip_session *);

/* Must the owner have a connection, or try to make one? */
static inline bool satip_session_wants(const struct satip_session *s)
{
	return s->state != SATIP_WAIT;
}

/* Does the server stream, as far as is known? */
static inline bool satip_session_is_on(const struct satip_session *s)
{
	return s->state == SATIP_ON || s->state == SATIP_REJOIN;
}

/* Sets the PIDs, ascending, for a server that does not send all; PIDs after
 * SATIP_PIDS_MAX are not read.  Without effect for a server that sends all. */
static inline void satip_session_want(struct satip_session *s,
				      const uint16_t *pids, size_t n)
{
	s->wanted.n = MIN(n, (size_t)SATIP_PIDS_MAX);
	memcpy(s->wanted.list, pids, s->wanted.n * sizeof pids[0]);
}

/* Requests another multiplex: the session ends, and the next one begins in the
 * same connection. */
static inline void satip_session_tune(struct satip_session *s,
				      const char *query)
{
	snprintf(s->cfg.query, sizeof s->cfg.query, "%s", query);
	s->tuned = true;
}

void satip_session_connected(struct satip_session *, uint64_t now_ns);
/* Notes that the connection ended, or that connecting failed. */
void satip_session_closed(struct satip_session *, const char *reason,
			  uint64_t now_ns);

/* Takes the complete items from the front of `in'.  If satip_session_wants() is
 * false afterwards, the owner closes the connection. */
void satip_session_feed(struct satip_session *, struct buf *in,
			uint64_t now_ns);

/* Notes that RTP with packets arrived, by UDP or by on_media. */
void satip_session_media(struct satip_session *, uint64_t now_ns);
/* Notes that RTP without packets arrived: some servers send it once a second
 * while there is no signal. */
static inline void satip_session_empty(struct satip_session *s, uint64_t now_ns)
{
	s->heard_ns = now_ns;
}
/* Takes RTCP that arrived by UDP. */
void satip_session_rtcp(struct satip_session *, const uint8_t *data,
			size_t len, uint64_t now_ns);

/* Does what is due at this time.  The owner calls it about ten times a
 * second. */
void satip_session_turn(struct satip_session *, uint64_t now_ns);

/* Does the server hold a session?  Also true for a session whose connection was
 * lost. */
static inline bool satip_session_exists(const struct satip_session *s)
{
	return s->id[0] != '\0';
}

/* Appends TEARDOWN to `out', so that the server frees its tuner at once. */
void satip_session_end(struct satip_session *);

/* Was at_ns within the last ms milliseconds?  at_ns 0: never. */
static inline bool satip_session_is_fresh(uint64_t at_ns, unsigned ms,
					  uint64_t now_ns)
{
	return at_ns != 0 && now_ns - at_ns < ms * MS;
}

/* Takes a report of the server on its tuner. */
void satip_session_take_report(struct satip_session *, const struct ses1 *,
			       uint64_t now_ns);

/* Why a session that is on counts as dead; NULL: it is not dead. */
const char *satip_session_death(const struct satip_session *, uint64_t now_ns);

/* Is the last report on the tuner at most SATIP_REPORT_MS old, and is the
 * session on? */
bool satip_session_has_report(const struct satip_session *, uint64_t now_ns);

/* Does the tuner have lock?  A report of the last SATIP_REPORT_MS decides, but
 * its lock counts only after RTP with packets has arrived.  Without a report,
 * the arrival of RTP with packets decides. */
bool satip_session_has_lock(const struct satip_session *, uint64_t now_ns);

/* Why there is no stream; NULL: there is one, or no error is known. */
const char *satip_session_error(const struct satip_session *, uint64_t now_ns);
