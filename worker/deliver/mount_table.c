/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/mount_table.h"

#include "common/alloc.h"
#include "worker/deliver/mount.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int compare(const struct mount *m, const char *address,
		   const char *path)
{
	int order = strcmp(m->path, path);

	return order != 0 ? order : strcmp(m->address, address);
}

/* Where the mount is, or where it would go. */
static size_t place(const struct mount_table *t, const char *address,
		    const char *path, bool *ret_found)
{
	size_t low = 0, high = t->n;

	*ret_found = false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(t->mounts[middle], address, path);

		if (order == 0) {
			*ret_found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
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
	size_t at = place(t, address, path, &found);

	return found ? t->mounts[at] : NULL;
}

void mount_table_add(struct mount_table *t, struct mount *m)
{
	bool found;
	size_t at = place(t, m->address, m->path, &found);

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

void mount_table_remove(struct mount_table *t, struct mount *m)
{
	bool found;
	size_t at = place(t, m->address, m->path, &found);

	assert(found && t->mounts[at] == m);
	t->n--;
	memmove(t->mounts + at, t->mounts + at + 1,
		(t->n - at) * sizeof *t->mounts);
	mount_free(&m);
}
