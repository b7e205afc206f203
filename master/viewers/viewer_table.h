/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The viewers that the workers serve or are about to serve, and how many
 * viewers each user has.
 *
 * Viewers of one group share a limit (conlimit).  A group is sorted by the time
 * at which its viewers were permitted.
 *
 * If several deliver workers serve the same client of HLS, the client has an
 * entry, with a number of its own, for each worker; these entries have the same
 * key.  Entries with the same key are one session, which has the number of the
 * first entry.  Only one entry of a session is in the group, so that the
 * session counts once; if this entry is dropped, another one replaces it there.
 * The same applies to the sessions of a player that changes between the
 * variants of a master playlist.
 */
#pragma once

#include "common/account/secret.h"
#include "common/base/ip_prefix.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

/* Greatest number of entries; further viewers are not admitted. */
enum { VIEWERS_MAX = 65536 + 4096 };

struct peer;
struct viewer_group;
struct viewer_table;
struct viewer_way;

struct viewer_entry {
	LIST_ENTRY(viewer_entry) link;
	TAILQ_ENTRY(viewer_entry) in_group;
	struct viewer_group *group; /* NULL: in no group */
	uint64_t client;
	uint64_t key; /* key of a client of HLS; 0: another viewer */
	/* number of the session: that of the first entry with this key */
	uint64_t session;
	/* of a client of HLS: number of the mount; 0: none */
	uint64_t mount;
	/* monotonic time of the last viewers_kick_idle(); 0: never */
	uint64_t idle_ms;
	LIST_ENTRY(viewer_entry) by_key;
	/* number of a player that changes between variants; 0: none */
	uint64_t player;
	LIST_ENTRY(viewer_entry) by_player;
	/* the count of viewers of the same address, which includes this viewer;
	 * NULL: the viewer is not counted */
	struct peer *from;
	struct ip_address address; /* valid if since_s is not 0 */
	int64_t since_s; /* Unix time when the viewer began; 0: unknown */
	/* The worker that serves the viewer; NULL: unknown. */
	struct viewer_way *way;
	LIST_ENTRY(viewer_entry) in_way;
	bool joined; /* the worker has reported that it serves the viewer */
	bool ended;  /* the worker was told to end the viewer */
	/* Keyed hash of the login, the password and its stored hash when the
	 * password was found right; all 0: no password was checked. */
	struct digest proof;
};

struct viewer_table *viewer_table_new(void);
/* NULL-safe; sets *t to NULL. */
void viewer_table_free(struct viewer_table **);

/* Returns the entry with this number; NULL: none. */
struct viewer_entry *viewer_table_find(const struct viewer_table *,
				       uint64_t client);
/* Returns the entry with this number, and adds it if there is none; NULL: the
 * table is full. */
struct viewer_entry *viewer_table_put(struct viewer_table *,
				      uint64_t client);
/* Frees an entry; removes it from the list of its worker as well. */
void viewer_table_drop(struct viewer_table *, struct viewer_entry *);

/* Sets the key of an entry that has none: it joins the session with this
 * key. */
void viewer_table_set_key(struct viewer_table *, struct viewer_entry *,
			  uint64_t key);
/* Returns the next other entry of the same session: that after the entry
 * `after', or with after NULL the first.  NULL: there are no more. */
struct viewer_entry *viewer_table_twin(const struct viewer_table *,
				       const struct viewer_entry *,
				       const struct viewer_entry *after);
/* Sets the player of an entry; replaces the former one. */
void viewer_table_set_player(struct viewer_table *, struct viewer_entry *,
			     uint64_t player);
/* As viewer_table_twin(), for the other entries of the same player. */
struct viewer_entry *viewer_table_variant(const struct viewer_table *,
					  const struct viewer_entry *,
					  const struct viewer_entry *after);
/* True: another worker has reported that it serves the same session. */
bool viewer_table_is_shared(const struct viewer_table *,
			    const struct viewer_entry *);
/* Returns an entry of this session; NULL: none. */
struct viewer_entry *viewer_table_of_session(const struct viewer_table *,
					     uint64_t session);

/* Moves an entry to the end of this group, unless it is already in the group;
 * NULL: removes it from its group. */
void viewer_table_group(struct viewer_table *, struct viewer_entry *,
			const char *group);

struct viewer_limit {
	const char *group;
	unsigned most;    /* greatest number of viewers; 0: any */
	bool ends_oldest; /* conlimit_mode "oldest": new viewers end old ones */
};

/* Returns how many of the oldest viewers of the group must end so that the
 * limit permits this viewer, who is in the group or about to enter it; 0: none;
 * -EUSERS: the limit does not permit the viewer. */
int viewer_table_excess(const struct viewer_table *,
			const struct viewer_entry *,
			const struct viewer_limit *);
/* Returns the oldest viewer of the group; NULL: it is empty. */
struct viewer_entry *viewer_table_oldest(const struct viewer_table *,
					 const char *group);
/* Returns the next viewer of the same group; NULL: this is the last. */
struct viewer_entry *viewer_table_next(const struct viewer_entry *);

/* True: another entry of the same session or player is in this group. */
bool viewer_table_has_place(const struct viewer_table *,
			    const struct viewer_entry *, const char *group);

/* Returns any entry; NULL: the table is empty. */
struct viewer_entry *viewer_table_any(const struct viewer_table *);
size_t viewer_table_size(const struct viewer_table *);
