/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One session with a SAT>IP server: what is sent on the RTSP connection, what
 * the replies mean, and when to try again.
 *
 * A session never ends: it makes its way from every fault back to a stream.
 * The owner has the sockets.  It opens a connection while the session wants
 * one, sends what is in `out', and passes what it receives.
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
	SATIP_CONNECT_MS = 5000, /* for a connection, and for each reply */
	SATIP_LEAVE_MS = 1000,   /* for the reply to TEARDOWN */
	SATIP_SILENCE_MS = 5000, /* neither RTP nor RTCP: the session is dead */
	SATIP_LOCKED_MS = 10000, /* a lock without packets: dead, too */
	SATIP_REPORT_MS = 3000,  /* a report of the tuner is valid so long */
	SATIP_LIVE_MS = 1000,    /* packets arrive */
	SATIP_FAILED_MAX_S = 10, /* longest pause after a failure */
	SATIP_BUSY_MAX_S = 30,   /* longest pause after a reply that no tuner is
				  * free */
	SATIP_HOST_MAX = 80,
	SATIP_URL_MAX = 128,
};

enum satip_state {
	SATIP_WAIT,    /* no connection, until a time */
	SATIP_CONNECT, /* no session yet */
	SATIP_LEAVE,   /* a session that lost its connection is ended */
	SATIP_SETUP,
	SATIP_PLAY,
	SATIP_ON,      /* the server streams */
	SATIP_REJOIN,  /* the server streams; the connection is made again */
	SATIP_STATES,
};

struct satip_config {
	char host[SATIP_HOST_MAX]; /* as in a URL, with its port */
	char query[SATIP_QUERY_MAX];
	bool whole;                /* all PIDs, if the server has them */
	enum satip_transport transport;
	bool fixed_transport;      /* never another one */
	uint16_t client_port;      /* of RTP over UDP; RTCP has the next one */
	/* a frame of the connection that should be RTP */
	void (*on_media)(const uint8_t *data, size_t len, void *arg);
	void *arg;
};

struct satip_session {
	struct satip_config cfg;
	enum satip_state state;
	enum satip_transport transport; /* used now */
	uint64_t deadline_ns;   /* of the connection or reply; 0: none */
	struct retry retry;
	struct buf out;         /* to be sent; the owner takes it */
	uint32_t cseq;          /* of the last request */
	bool asked;             /* the last request has no reply yet */
	bool connected;
	bool tuned;             /* cfg.query has no session yet */

	bool listed;            /* the server sends a list of PIDs, not all */
	unsigned doubts;        /* refusals in a row of all PIDs */
	bool replaces;          /* it refused addpids= or delpids=: each change
				 * sends the whole list, pids= */
	bool changing;          /* the request that waits changes PIDs */
	bool unsure;            /* such a request had no reply: the next one
				 * sends the whole list */
	struct satip_pids wanted, asked_pids, held;

	/* of the session */
	char id[RTSP_SESSION_MAX]; /* "": the server has none */
	char url[SATIP_URL_MAX];   /* of the stream */
	struct rtsp_transport place; /* as the server replied */
	uint32_t timeout_s;
	uint64_t keep_ns;       /* the next keep-alive */
	unsigned refused;       /* keep-alives in a row that failed */
	bool root_keeps;        /* keep-alives name no stream */
	bool delivered;         /* RTP with packets arrived */
	uint64_t heard_ns;      /* the last RTP or RTCP */
	uint64_t media_ns;      /* the last RTP with packets; 0: none */
	unsigned silent;        /* sessions in a row that received no RTP with
				 * packets */
	struct ses1 report;
	uint64_t report_ns;     /* 0: none */
	uint64_t lock_ns;       /* the lock is reported since; 0: no lock */

	struct errmsg error;    /* "": none */
};

/* A zeroed session starts with the first satip_session_turn(). */
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
/* Notes that the connection ended, or could not be made. */
void satip_session_closed(struct satip_session *, const char *reason,
			  uint64_t now_ns);

/* Takes the complete items from the front of `in'.  If the session does not
 * want the connection afterwards, the owner closes it. */
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

/* Does what is due at this time; to be called about ten times a second. */
void satip_session_turn(struct satip_session *, uint64_t now_ns);

/* Does the server have a session, perhaps one without a connection? */
static inline bool satip_session_exists(const struct satip_session *s)
{
	return s->id[0] != '\0';
}

/* Ends the session of the server, so that its tuner is free at once. */
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

/* Why a session that is on counts as dead; NULL: it does not. */
const char *satip_session_death(const struct satip_session *, uint64_t now_ns);

/* Did the server report on its tuner lately? */
bool satip_session_has_report(const struct satip_session *, uint64_t now_ns);

/* Does the tuner have lock?  A fresh report of the server decides, otherwise
 * the arrival of RTP. */
bool satip_session_has_lock(const struct satip_session *, uint64_t now_ns);

/* Why there is no stream; NULL: there is one, or no error is known. */
const char *satip_session_error(const struct satip_session *, uint64_t now_ns);
