/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/surplus.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <sys/queue.h>

enum { BUCKETS = 1024 };

struct count {
	LIST_ENTRY(count) link;
	uint64_t mount;
	unsigned n; /* always > 0 */
};

struct surplus {
	LIST_HEAD(counts, count) buckets[BUCKETS];
};

struct surplus *surplus_new(void)
{
	return xcalloc(1, sizeof(struct surplus));
}

static void drop(struct count *c)
{
	LIST_REMOVE(c, link);
	free(c);
}

void surplus_free(struct surplus **s)
{
	struct count *c;

	if (*s == NULL)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		while ((c = LIST_FIRST(&(*s)->buckets[i])) != NULL)
			drop(c);
	free(*s);
	*s = NULL;
}

static struct count *find(const struct surplus *s, uint64_t mount)
{
	struct count *c;

	LIST_FOREACH(c, &s->buckets[mount / 2 % BUCKETS], link)
		if (c->mount == mount)
			break;
	return c;
}

void surplus_add(struct surplus *s, uint64_t mount)
{
	struct count *c = find(s, mount);

	if (c == NULL) {
		c = xcalloc(1, sizeof *c);
		c->mount = mount;
		LIST_INSERT_HEAD(&s->buckets[mount / 2 % BUCKETS], c, link);
	}
	c->n++;
}

void surplus_take(struct surplus *s, uint64_t mount)
{
	struct count *c = find(s, mount);

	if (c != NULL && --c->n == 0)
		drop(c);
}

unsigned surplus_get(const struct surplus *s, uint64_t mount)
{
	const struct count *c = find(s, mount);

	return c != NULL ? c->n : 0;
}
