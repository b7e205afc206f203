/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages of the deliver workers, which serve streams to viewers by HTTP,
 * and the bounds of all lists; a part of msg.h.  A mount is a path at which a
 * listener serves a stream. */
#pragma once

#include "common/base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	MSG_INPUTS_MAX = 32,
	MSG_OUTPUTS_MAX = 32,
	MSG_SESSIONS_MAX = 128,
	MSG_LEFT_MAX = 512, /* viewers that left, in one message */
	MSG_RECEIVERS_MAX = 256, /* receivers of one output */
	MSG_CHANGES_MAX = 64,    /* alarm changes in a stream.status */
	MSG_QUERIERS_MAX = 64,
	MSG_IDENTS_MAX = 64,     /* providers of a card */
	MSG_CAM_LOGIN_MAX = 128, /* bytes of a login or password */
	MSG_PROXIES_MAX = 64,
	MSG_HLS_MAX = 30, /* segments of a playlist */
	MSG_FILL_MAX_KIB = 64 * 1024, /* bound of fill in deliver.mount */
	MSG_DELIVER_MAX = 16, /* deliver workers; a power of two */
	/* listening sockets of one address: each deliver worker has one */
	MSG_SLOTS_MAX = MSG_DELIVER_MAX,
	PICTURE_SIZE_MAX = 32 * 1024, /* bytes of a JPEG */
	PICTURE_WIDTH_MAX = 1920,
};

/* Returns which deliver worker has given a viewer this number: from 0. */
static inline unsigned msg_deliver_of(uint64_t client)
{
	return (unsigned)(client % MSG_DELIVER_MAX);
}

/* Returns a number above 0 for a new mount.  Different mounts may get the same
 * number; the caller must then choose another one. */
static inline uint64_t msg_mount_number(const char *address, const char *path)
{
	uint64_t hash = hash_add(HASH_INIT, address, strlen(address) + 1);

	return hash_add(hash, path, strlen(path)) >> 1 | 1;
}

struct msg_deliver_listen {
	const char *address; /* to listen at, such as "0.0.0.0:8100" */
	unsigned slot;       /* which socket of the address, from 0 */
	bool play;           /* the listener also serves the play paths */
};

struct msg_deliver_unlisten {
	const char *address;
	unsigned slot;
};

struct msg_deliver_settle {
	bool retire; /* accept no new clients; serve the connected ones on */
};

struct msg_deliver_mount {
	/* address of the listener, or MSG_PLAY_ADDRESS */
	const char *address;
	const char *path;    /* path of its URL, such as "/news" */
	const char *stream;  /* stream id, for the status */
	bool tls;            /* serves viewers with TLS; false: those without */
	unsigned hls;        /* path is a playlist of so many segments; 0: path
			      * is the stream itself */
	bool fmp4;           /* the segments are fMP4 */
	bool demand;         /* the stream starts with the first viewer */
	bool stopped;        /* with demand: the stream does not run now */
	bool no_auth;        /* viewers need no permission */
	unsigned fill;       /* KiB of the past that a new viewer gets at once,
			      * at least */
	/* number of the mount, above 0 and unique; the same in every deliver
	 * worker, and it stays when the stream or its path is renamed */
	uint64_t number;
};

/* The value of `protocol' in the deliver.ask about a client that requests a
 * picture. */
#define MSG_PICTURE_PROTOCOL "picture"

enum { MSG_HEAD_MAX = 12 * 1024 };

/* A client of the control port that asks for a play path. */
struct msg_deliver_viewer {
	const char *peer;    /* address without port */
	bool secure;         /* the socket carries the plaintext of TLS */
	const char *head;    /* head of its HTTP request; ASCII */
};

struct msg_deliver_move {
	const char *from;    /* old path, such as "/play/a001" */
	const char *to;
	const char *stream;  /* its new id, such as "news" */
};

struct msg_deliver_list {
	/* `client' of the last session in the previous part; 0: asks for the
	 * first part */
	uint64_t after;
};

struct msg_deliver_limits {
	unsigned per_address; /* viewers of one address; 0: any number */
	bool empty_missing;   /* the reply to a request for an HLS segment that
			       * does not exist is empty, and not 404 */
	bool hash_names;      /* playlists name segments by hash */
	/* a play path gives each session of HLS a playlist with a path of its
	 * own */
	bool session_playlists;
	/* networks of proxies, such as "10.0.0.0/8"; per_address does not apply
	 * to them */
	size_t n_proxies;
	const char *proxies[MSG_PROXIES_MAX];
};

struct msg_deliver_kick {
	uint64_t client;
	bool idle;  /* disconnect only if it is a client of HLS that seems to
		     * have left */
	bool limit; /* the reason is the limit of its user: a new viewer is
		     * served in its place */
};

struct msg_deliver_policy {
	bool authorize; /* deliver asks before it serves a viewer */
	/* the address of a viewer behind a proxy of deliver.limits is that in
	 * the header X-Real-IP */
	bool real_ip;
	/* deliver asks about every viewer, because there are several deliver
	 * workers, or because a disconnected client of HLS might request
	 * another variant */
	bool shared;
	/* First value of the hashes that are the keys of HLS sessions and the
	 * numbers in their paths.  All workers compute the same hashes from it;
	 * clients do not know it and cannot compute them. */
	uint64_t seed;
};

struct msg_deliver_review {
	uint64_t client; /* the viewer to ask about; 0: all viewers */
};

enum ask_verdict {
	ASK_ALLOWED,
	ASK_DENIED,
	ASK_REDIRECTED, /* the reply redirects the viewer to `location' */
	ASK_BUSY,       /* no decision now: the viewer may try again */
};

struct msg_deliver_answer {
	enum ask_verdict verdict;
	const char *login;    /* "": the viewer has none */
	uint32_t recheck_s;   /* ask again after so many seconds; 0: never */
	const char *location; /* URL for ASK_REDIRECTED; else "" */
};

struct msg_deliver_status {
	uint32_t viewers;
	uint32_t requests;       /* connected clients that are no viewers */
	uint64_t bytes;          /* bytes sent since the start */
	uint64_t cut;            /* slow viewers disconnected since the start */
};

struct msg_deliver_viewers {
	const char *address;
	const char *path;
	const char *stream;
	uint32_t viewers;
	uint64_t bytes;
	uint64_t cut;
};

struct msg_session {
	uint64_t client;    /* unique number of the viewer, above 0 */
	const char *stream;
	const char *peer;   /* IP address of the viewer, without port */
	uint64_t uptime_s;
	const char *login;  /* "": the viewer has none */
	const char *agent;  /* User-Agent; NULL, "": unknown, or omitted */
	const char *protocol; /* "http", "https", "hls", "srt" or
			       * MSG_PICTURE_PROTOCOL */
	uint64_t bytes;     /* sent to the viewer */
	/* a client of HLS has the same key in every deliver worker; 0: not a
	 * client of HLS */
	uint64_t key;
	uint64_t mount;     /* number of its mount; 0: not a client of HLS */
	uint64_t player;    /* as in msg_deliver_ask */
	/* viewers_per_address does not apply, because the peer is a proxy or
	 * this host */
	bool unlimited;
};

/* Asks about a new viewer, or again about a viewer that watches: then the
 * master knows the number `client'. */
struct msg_deliver_ask {
	uint64_t client;    /* unique number of the viewer, above 0 */
	const char *stream;
	const char *peer;   /* IP address without port; behind a proxy the
			     * address in X-Real-IP, with real_ip */
	const char *host;   /* Host of the request; "": none */
	const char *path;
	const char *query;
	const char *agent;
	const char *protocol;
	uint64_t key;       /* as in msg_session */
	bool unlimited;     /* as in msg_session */
	bool free;          /* the viewer needs no permission; the master only
			     * counts it */
	bool probe;         /* the request is a HEAD, which makes no viewer */
	/* as key, but the same in all mounts; 0: the viewer has no key */
	uint64_t player;
};

/* A client of the play port that requests the list of streams or the guide. */
struct msg_deliver_playlist {
	const char *path;
	bool secure;        /* the client is connected by TLS */
	const char *peer;   /* IP address without port; behind a proxy the
			     * address in X-Real-IP, with real_ip */
	const char *host;   /* Host of the request; "": none */
	const char *query;
};

enum { MSG_PAGE_MAX = 4 << 20 }; /* bytes of a list of streams */

struct msg_deliver_page {
	uint32_t status;  /* HTTP status; other than 200: there is no text */
	const char *type; /* Content-Type */
	/* bytes of the text, in shared memory whose size is sealed; other
	 * replies may have the same memory.  0: the text is all bytes of the
	 * file */
	uint32_t len;
	const char *etag; /* ETag of the text, in quotes; "": none */
};

/* A page without a text. */
#define MSG_NO_PAGE(code) { .status = (code), .type = "", .etag = "" }

struct msg_deliver_look {
	const char *stream;
};

struct msg_deliver_changes {
	size_t n_joined;
	struct msg_session joined[MSG_SESSIONS_MAX];
	/* also viewers of a deliver.ask that left before they were served */
	size_t n_left;
	uint64_t left[MSG_LEFT_MAX];
};

struct msg_deliver_sessions {
	size_t n;
	struct msg_session list[MSG_SESSIONS_MAX]; /* by ascending client */
	bool more; /* another part follows after the next deliver.list */
};
