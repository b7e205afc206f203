/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/mount_table.h"

#include "common/base/alloc.h"
#include "common/base/sorted.h"
#include "worker/deliver/mount.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct key {
	const struct mount_table *t;
	const char *address, *path;
};

static int order(size_t i, const void *arg)
{
	const struct key *p = arg;
	const struct mount *m = p->t->mounts[i];
	int by_path = strcmp(m->path, p->path);

	return by_path != 0 ? by_path : strcmp(m->address, p->address);
}

/* The index of the mount; if there is none (*ret_found is false), the index at
 * which it is inserted. */
static size_t find_index(const struct mount_table *t, const char *address,
			 const char *path, bool *ret_found)
{
	return sorted_place(t->n, order, &(struct key){ t, address, path },
			    ret_found);
}

void mount_table_done(struct mount_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		mount_free(&t->mounts[i]);
	free(t->mounts);
	*t = (struct mount_table){ 0 };
}

struct mount *mount_table_find(const struct mount_table *t,
			       const char *address, const char *path)
{
	bool found;
	size_t at = find_index(t, address, path, &found);

	return found ? t->mounts[at] : NULL;
}

void mount_table_add(struct mount_table *t, struct mount *m)
{
	bool found;
	size_t at = find_index(t, m->address, m->path, &found);

	assert(!found);
	if (t->n == t->size) {
		t->size = t->size ? t->size * 2 : 16;
		t->mounts = xrealloc(t->mounts, t->size * sizeof *t->mounts);
	}
	memmove(t->mounts + at + 1, t->mounts + at,
		(t->n - at) * sizeof *t->mounts);
	t->mounts[at] = m;
	t->n++;
}

/* Removes the mount from the list, and does not free it. */
static void take_out(struct mount_table *t, struct mount *m)
{
	bool found;
	size_t at = find_index(t, m->address, m->path, &found);

	assert(found && t->mounts[at] == m);
	t->n--;
	memmove(t->mounts + at, t->mounts + at + 1,
		(t->n - at) * sizeof *t->mounts);
}

void mount_table_move(struct mount_table *t, struct mount *m, const char *path)
{
	take_out(t, m);
	free(m->path);
	m->path = xstrdup(path);
	mount_table_add(t, m);
}

void mount_table_remove(struct mount_table *t, struct mount *m)
{
	take_out(t, m);
	mount_free(&m);
}
