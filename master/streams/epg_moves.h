/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * New ids and removals of streams that the saved guide does not contain yet, in
 * their order.
 *
 * Embedded.  Only the newest EPG_MOVES_MAX are known.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

enum { EPG_MOVES_MAX = 4096 };

struct epg_move {
	STAILQ_ENTRY(epg_move) link;
	char *from; /* former id; NULL: the stream `to' was removed */
	char *to;
};

struct epg_moves {
	STAILQ_HEAD(, epg_move) list;
	size_t n;
	/* last move that was sent to the worker; NULL: none */
	const struct epg_move *sent;
};

void epg_moves_init(struct epg_moves *);
void epg_moves_done(struct epg_moves *);

/* Adds the new id of a stream, or with from NULL the removal of the stream
 * `to'.  True: the list was full, and the oldest entry was dropped. */
bool epg_moves_add(struct epg_moves *, const char *from, const char *to);
void epg_moves_drop(struct epg_moves *);

/* Returns the next move that the worker does not have; NULL: it has all
 * moves. */
const struct epg_move *epg_moves_next(const struct epg_moves *);
