/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The viewers that the workers serve or are about to serve, and how many each
 * user has.
 *
 * Viewers of one group share a limit (conlimit).  They are in the order in
 * which they got their permission.
 */
#pragma once

#include "common/account/secret.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

enum { VIEWERS_MAX = 65536 + 4096 }; /* deliver accepts no more */

struct viewer_group;
struct viewer_table;
struct viewer_way;

struct viewer_entry {
	LIST_ENTRY(viewer_entry) link;
	TAILQ_ENTRY(viewer_entry) in_group;
	struct viewer_group *group; /* NULL: none */
	uint64_t client;
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

/* Any viewer; NULL: there is none. */
struct viewer_entry *viewer_table_any(const struct viewer_table *);
size_t viewer_table_size(const struct viewer_table *);
