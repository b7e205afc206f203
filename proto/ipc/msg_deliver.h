/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages of deliver, and the bounds of all lists; a part of msg.h. */
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
	MSG_RECEIVERS_MAX = 256, /* per output */
	MSG_CHANGES_MAX = 64,
	MSG_QUERIERS_MAX = 64,
	MSG_IDENTS_MAX = 64,     /* providers of a card */
	MSG_CAM_LOGIN_MAX = 128, /* bytes of a login or password */
	MSG_PROXIES_MAX = 64,
	MSG_HLS_MAX = 30, /* segments of a playlist */
	MSG_FILL_MAX_KIB = 64 * 1024, /* for a new viewer */
	MSG_DELIVER_MAX = 16, /* deliver workers; a power of two */
	MSG_SLOTS_MAX = MSG_DELIVER_MAX, /* sockets of one address */
	PICTURE_SIZE_MAX = 32 * 1024, /* bytes of a JPEG */
	PICTURE_WIDTH_MAX = 1920,
};

/* The deliver worker that numbered this viewer, from 0. */
static inline unsigned msg_deliver_of(uint64_t client)
{
	return (unsigned)(client % MSG_DELIVER_MAX);
}

/* A number above 0 for a new mount; two mounts may get the same one, which the
 * caller then changes. */
static inline uint64_t msg_mount_number(const char *address, const char *path)
{
	uint64_t hash = hash_add(HASH_INIT, address, strlen(address) + 1);

	return hash_add(hash, path, strlen(path)) >> 1 | 1;
}

struct msg_deliver_listen {
	const char *address; /* "0.0.0.0:8100" */
	unsigned slot;       /* of the sockets of the address, from 0 */
	bool play;           /* it serves the play paths, too */
};

struct msg_deliver_unlisten {
	const char *address;
	unsigned slot;
};

struct msg_deliver_settle {
	bool retire; /* serve the clients that are connected, and no others */
};

struct msg_deliver_mount {
	const char *address; /* the listener */
	const char *path;    /* "/news" */
	const char *stream;  /* stream id, for the status */
	bool tls;            /* for viewers by TLS, else for the others */
	unsigned hls;        /* path is a playlist of so many segments; 0: path
			      * is the stream itself */
	bool fmp4;           /* the segments are fMP4 */
	bool demand;         /* the stream starts with the first viewer */
	bool stopped;        /* the stream of such a mount does not run now */
	bool no_auth;        /* viewers need no permission */
	unsigned fill;       /* KiB that a new viewer gets at once, or more */
	/* > 0, of no other mount; the same in every worker, and whatever the
	 * names of the stream and its play path become */
	uint64_t number;
};

/* The protocol in the deliver.ask about who wants a picture. */
#define MSG_PICTURE_PROTOCOL "picture"

enum { MSG_HEAD_MAX = 12 * 1024 };

/* A client of the control port that asks for a play path. */
struct msg_deliver_viewer {
	const char *peer;    /* address without port */
	bool secure;         /* the socket is the plaintext of TLS */
	const char *head;    /* of its request; ASCII */
};

struct msg_deliver_move {
	const char *from;    /* "/play/a001" */
	const char *to;
	const char *stream;  /* "news", its new id */
};

struct msg_deliver_list {
	uint64_t after; /* last client of the previous part; 0: first part */
};

struct msg_deliver_limits {
	unsigned per_address; /* 0: any number */
	bool empty_missing;   /* a missing segment of HLS is empty, not 404 */
	bool hash_names;      /* playlists name segments by hash */
	bool session_playlists; /* each session of /play has its own */
	/* networks of proxies, which are not limited: "10.0.0.0/8" */
	size_t n_proxies;
	const char *proxies[MSG_PROXIES_MAX];
};

struct msg_deliver_kick {
	uint64_t client;
	bool idle;  /* only a client of HLS that seems to have left */
	bool limit; /* it is closed because a new viewer gets its place */
};

struct msg_deliver_policy {
	bool authorize; /* deliver asks before it serves a viewer */
	/* the header X-Real-IP of the proxies in deliver.limits counts */
	bool real_ip;
	/* other workers have viewers, too, or a player of variants was closed:
	 * deliver asks about every viewer */
	bool shared;
	/* The keys and the numbers in paths of HLS sessions are hashes that
	 * begin with it: all workers compute the same ones, and clients, which
	 * do not know it, cannot. */
	uint64_t seed;
};

struct msg_deliver_review {
	uint64_t client; /* 0: all */
};

enum ask_verdict {
	ASK_ALLOWED,
	ASK_DENIED,
	ASK_REDIRECTED, /* to location */
	ASK_BUSY,       /* no decision now: the viewer may try again */
};

struct msg_deliver_answer {
	enum ask_verdict verdict;
	const char *login;    /* "": the viewer has none */
	uint32_t recheck_s;   /* ask again after so long; 0: never */
	const char *location; /* "": none */
};

struct msg_deliver_status {
	uint32_t viewers;
	uint32_t requests;       /* clients that are no viewers */
	uint64_t bytes;          /* sent since start */
	uint64_t cut;            /* slow viewers closed since the start */
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
	uint64_t client;    /* > 0, unique */
	const char *stream;
	const char *peer;   /* address without port */
	uint64_t uptime_s;
	const char *login;  /* "": none */
	const char *agent;  /* "": unknown, or omitted */
	const char *protocol; /* "http", "https", "hls", "srt" or
			       * MSG_PICTURE_PROTOCOL */
	uint64_t bytes;     /* sent */
	/* the same for a client of HLS in every worker; 0: no such client */
	uint64_t key;
	uint64_t mount;     /* number of that client's mount; else 0 */
	uint64_t player;    /* as in msg_deliver_ask */
	/* viewers_per_address does not apply: to a proxy, or this host */
	bool unlimited;
};

/* A viewer that is new, or watches already: then the master knows client. */
struct msg_deliver_ask {
	uint64_t client;    /* > 0, unique */
	const char *stream;
	const char *peer;   /* address without port; behind a proxy its word */
	const char *host;   /* of the request; "": none */
	const char *path;
	const char *query;
	const char *agent;
	const char *protocol;
	uint64_t key;       /* this and the next as in msg_session */
	bool unlimited;
	bool free;          /* it needs no permission, and has to be counted */
	bool probe;         /* a request by HEAD, which is no viewer */
	uint64_t player;    /* all mounts share it; 0: the viewer has no key */
};

/* A client of the play port that wants the list of streams. */
struct msg_deliver_playlist {
	const char *path;
	bool secure;        /* over TLS */
	const char *peer;   /* address without port; behind a proxy its word */
	const char *host;   /* of the request; "": none */
	const char *query;
};

enum { MSG_PAGE_MAX = 4 << 20 }; /* bytes of the text */

struct msg_deliver_page {
	uint32_t status;  /* of HTTP; other than 200: there is no text */
	const char *type; /* Content-Type */
	uint32_t len;     /* the text is in memory of a sealed size, which other
			   * replies may have, too; 0: it is a whole file */
	const char *etag; /* of it, in quotes; "": none */
};

/* A page without a text. */
#define MSG_NO_PAGE(code) { .status = (code), .type = "", .etag = "" }

struct msg_deliver_look {
	const char *stream;
};

struct msg_deliver_changes {
	size_t n_joined;
	struct msg_session joined[MSG_SESSIONS_MAX];
	/* also viewers that were asked about and never came */
	size_t n_left;
	uint64_t left[MSG_LEFT_MAX];
};

/* The numbers of the clients ascend.  more: another part follows. */
struct msg_deliver_sessions {
	size_t n;
	struct msg_session list[MSG_SESSIONS_MAX];
	bool more;
};
