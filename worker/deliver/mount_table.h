/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All mounts, found by listener and path.
 *
 * Embedded; zeroed memory is an empty table.  Owns its mounts.  Sorted, so a
 * request needs few comparisons for any number of streams.
 */
#pragma once

#include <stddef.h>

struct mount;

struct mount_table {
	struct mount **mounts;
	size_t n;
	size_t size;
};

void mount_table_done(struct mount_table *);

/* The mount of this listener and path; NULL: there is none. */
struct mount *mount_table_find(const struct mount_table *,
			       const char *address, const char *path);

/* Takes the mount.  The table has no other mount of its address and path. */
void mount_table_add(struct mount_table *, struct mount *);

/* Gives the mount, which is in the table, another path, which no mount of its
 * address has. */
void mount_table_move(struct mount_table *, struct mount *, const char *path);

/* Frees the mount, which is in the table. */
void mount_table_remove(struct mount_table *, struct mount *);
