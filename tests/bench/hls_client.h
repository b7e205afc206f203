/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A client of HLS in a bench: asks for a live playlist once a second and gets
 * each listed segment once, on one connection from an address of its own.
 *
 * Owns its socket, which is in the epoll of the caller.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "tests/bench/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HLS_CLIENT_HEAD = 1024,
	HLS_CLIENT_LIST = 8192,
	HLS_CLIENT_TURN_MS = 1000,
};

/* Of all clients. */
struct hls_totals {
	uint64_t playlists, segments, bytes;
	uint64_t missed; /* segments that left the playlist before they were
			  * asked for, or whose answer was not whole */
	uint64_t failed; /* playlists without a whole answer */
	struct histogram playlist_us, segment_us; /* whole answers */
};

struct hls_place {
	struct sockaddr_any to;
	int poll;
	const char *path; /* of the playlist */
	struct hls_totals *totals;
};

enum hls_client_state {
	HLS_CLIENT_RESTS, /* until due_ms */
	HLS_CLIENT_ASKS,  /* its request is to be sent */
	HLS_CLIENT_HEADS, /* waits for a head */
	HLS_CLIENT_BODY,
};

struct hls_client {
	const struct hls_place *place;
	unsigned number;
	int fd; /* -1: none */
	enum hls_client_state state;
	uint64_t due_ms;  /* its next turn */
	uint64_t asked_us;
	bool is_segment;  /* the request is for one */
	bool is_fine;     /* the status is 200 */
	uint64_t next;    /* segment; 0: not known yet */
	uint64_t at;      /* number of the segment at `line' */
	const char *line; /* the rest of the list */
	size_t left;      /* bytes of the body */
	size_t head_len, list_len;
	char head[HLS_CLIENT_HEAD + 1];
	char list[HLS_CLIENT_LIST + 1];
};

/* number: its address is 127.1.x.y. */
void hls_client_init(struct hls_client *, const struct hls_place *,
		     unsigned number, uint64_t due_ms);
void hls_client_done(struct hls_client *);

/* Its turn may have begun. */
void hls_client_turn(struct hls_client *, uint64_t now_ms);

/* Its socket is ready. */
void hls_client_ready(struct hls_client *, uint8_t *scratch, size_t size);
