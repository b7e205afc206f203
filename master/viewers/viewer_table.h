/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The viewers that the workers serve or are about to serve, and how many each
 * user has.
 *
 * Viewers of one group share a limit (conlimit).  They are in the order in
 * which they got their permission.
 *
 * A client of HLS that several deliver workers serve has a number in each of
 * them, and one key.  Entries with the same key are one session, which has the
 * number of the first of them.  One of them has the place in a group; when it
 * is dropped another one takes over the place.  So it is with the sessions of a
 * player that changes between the variants of a master playlist.
 */
#pragma once

#include "common/account/secret.h"
#include "common/base/ip_prefix.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

enum { VIEWERS_MAX = 65536 + 4096 }; /* deliver accepts no more */

struct peer;
struct viewer_group;
struct viewer_table;
struct viewer_way;

struct viewer_entry {
	LIST_ENTRY(viewer_entry) link;
	TAILQ_ENTRY(viewer_entry) in_group;
	struct viewer_group *group; /* NULL: none */
	uint64_t client;
	uint64_t key; /* 0: none */
	uint64_t session; /* client of the first entry with this key */
	uint64_t mount; /* of a client of HLS; 0: none */
	uint64_t idle_ms; /* its worker was asked then to end it if idle */
	LIST_ENTRY(viewer_entry) by_key;
	uint64_t player; /* it plays variants of a group; 0: one stream */
	LIST_ENTRY(viewer_entry) by_player;
	struct peer *from; /* counts its address; NULL: not counted */
	struct ip_address address; /* of a viewer in a group, and ... */
	int64_t since_s; /* ... the Unix time of its begin; 0: unknown */
	/* the worker that serves it; NULL: unknown */
	struct viewer_way *way;
	LIST_ENTRY(viewer_entry) in_way;
	bool joined; /* the worker serves it */
	bool ended;  /* the worker was told to end it, which is under way */
	/* login, password and stored hash that were right; all 0: none */
	struct digest proof;
};

struct viewer_table *viewer_table_new(void);
/* NULL-safe; sets *t to NULL. */
void viewer_table_free(struct viewer_table **);

/* NULL: there is no such viewer. */
struct viewer_entry *viewer_table_find(const struct viewer_table *,
				       uint64_t client);
/* The viewer, which is added if it is not there; NULL: the table is full. */
struct viewer_entry *viewer_table_put(struct viewer_table *,
				      uint64_t client);
/* Also leaves the list of its worker. */
void viewer_table_drop(struct viewer_table *, struct viewer_entry *);

/* Sets the key of an entry without one. */
void viewer_table_set_key(struct viewer_table *, struct viewer_entry *,
			  uint64_t key);
/* The other entries of its session: the one after `after`, or the first for
 * NULL.  NULL: there are no more. */
struct viewer_entry *viewer_table_twin(const struct viewer_table *,
				       const struct viewer_entry *,
				       const struct viewer_entry *after);
/* Sets the player, which may have been another. */
void viewer_table_set_player(struct viewer_table *, struct viewer_entry *,
			     uint64_t player);
/* The other entries of its player, as above. */
struct viewer_entry *viewer_table_variant(const struct viewer_table *,
					  const struct viewer_entry *,
					  const struct viewer_entry *after);
/* Is it joined in another worker? */
bool viewer_table_is_shared(const struct viewer_table *,
			    const struct viewer_entry *);
/* An entry of this session; NULL: there is none. */
struct viewer_entry *viewer_table_of_session(const struct viewer_table *,
					     uint64_t session);

/* Moves it to the end of this group, unless it is in there; NULL: to none. */
void viewer_table_group(struct viewer_table *, struct viewer_entry *,
			const char *group);

struct viewer_limit {
	const char *group;
	unsigned most;    /* viewers of the group; 0: any number */
	bool ends_oldest; /* the newest viewers have the places */
};

/* Has this viewer, in the group or about to enter it, a place?  The number of
 * oldest viewers of the group that must end first, or -EUSERS. */
int viewer_table_excess(const struct viewer_table *,
			const struct viewer_entry *,
			const struct viewer_limit *);
/* The oldest viewer of the group; NULL: it has none. */
struct viewer_entry *viewer_table_oldest(const struct viewer_table *,
					 const char *group);
/* The next viewer of its group; NULL: it is the last one. */
struct viewer_entry *viewer_table_next(const struct viewer_entry *);

/* Another entry of its session, or of its player, is in this group. */
bool viewer_table_has_place(const struct viewer_table *,
			    const struct viewer_entry *, const char *group);

/* Any viewer; NULL: there is none. */
struct viewer_entry *viewer_table_any(const struct viewer_table *);
size_t viewer_table_size(const struct viewer_table *);
