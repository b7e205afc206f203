/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/viewer_table.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "common/base/peers.h"
#include "master/viewers/viewers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 16384 };

struct viewer_group {
	LIST_ENTRY(viewer_group) link;
	TAILQ_HEAD(, viewer_entry) viewers;
	char name[];
};

struct viewer_table {
	uint64_t seed;
	size_t n;
	LIST_HEAD(, viewer_entry) clients[BUCKETS];
	LIST_HEAD(, viewer_entry) keys[BUCKETS];
	LIST_HEAD(, viewer_entry) players[BUCKETS];
	LIST_HEAD(, viewer_group) groups[BUCKETS];
};

struct viewer_table *viewer_table_new(void)
{
	struct viewer_table *t = xcalloc(1, sizeof *t);

	secret_random(&t->seed, sizeof t->seed);
	return t;
}

void viewer_table_free(struct viewer_table **tp)
{
	struct viewer_table *t = *tp;
	struct viewer_entry *e;

	*tp = NULL;
	if (t == NULL)
		return;
	while ((e = viewer_table_any(t)) != NULL)
		viewer_table_drop(t, e);
	free(t);
}

static size_t bucket_of(const struct viewer_table *t, const void *data,
			size_t len)
{
	uint64_t hash = hash_add(HASH_INIT ^ t->seed, data, len);

	return (size_t)(hash ^ hash >> 32) % BUCKETS;
}

struct viewer_entry *viewer_table_find(const struct viewer_table *t,
				       uint64_t client)
{
	struct viewer_entry *e;

	LIST_FOREACH(e, &t->clients[bucket_of(t, &client, sizeof client)],
		     link)
		if (e->client == client)
			break;
	return e;
}

struct viewer_entry *viewer_table_put(struct viewer_table *t, uint64_t client)
{
	struct viewer_entry *e = viewer_table_find(t, client);

	if (e != NULL || t->n >= VIEWERS_MAX)
		return e;
	e = xcalloc(1, sizeof *e);
	e->client = e->session = client;
	LIST_INSERT_HEAD(&t->clients[bucket_of(t, &client, sizeof client)], e,
			 link);
	t->n++;
	return e;
}

static struct viewer_group *find_group(const struct viewer_table *t,
				       const char *name)
{
	struct viewer_group *g;

	LIST_FOREACH(g, &t->groups[bucket_of(t, name, strlen(name))], link)
		if (strcmp(g->name, name) == 0)
			break;
	return g;
}

void viewer_table_group(struct viewer_table *t, struct viewer_entry *e,
			const char *name)
{
	struct viewer_group *old = e->group, *g;

	if (old != NULL && name != NULL && strcmp(old->name, name) == 0)
		return;
	if (old != NULL) {
		TAILQ_REMOVE(&old->viewers, e, in_group);
		e->group = NULL;
	}
	if (old != NULL && TAILQ_EMPTY(&old->viewers)) {
		LIST_REMOVE(old, link);
		free(old);
	}
	if (name == NULL)
		return;
	g = find_group(t, name);
	if (g == NULL) {
		size_t len = strlen(name) + 1;

		g = xcalloc(1, sizeof *g + len);
		memcpy(g->name, name, len);
		TAILQ_INIT(&g->viewers);
		LIST_INSERT_HEAD(&t->groups[bucket_of(t, name, len - 1)], g,
				 link);
	}
	TAILQ_INSERT_TAIL(&g->viewers, e, in_group);
	e->group = g;
}

/* --- sessions of several entries --- */

void viewer_table_set_key(struct viewer_table *t, struct viewer_entry *e,
			  uint64_t key)
{
	const struct viewer_entry *twin;

	if (key == 0 || e->key != 0)
		return;
	e->key = key;
	LIST_INSERT_HEAD(&t->keys[bucket_of(t, &key, sizeof key)], e, by_key);
	twin = viewer_table_twin(t, e, NULL);
	if (twin != NULL)
		e->session = twin->session;
}

struct viewer_entry *viewer_table_twin(const struct viewer_table *t,
				       const struct viewer_entry *e,
				       const struct viewer_entry *after)
{
	struct viewer_entry *twin;

	if (e->key == 0)
		return NULL;
	twin = after != NULL
		? LIST_NEXT(after, by_key)
		: LIST_FIRST(&t->keys[bucket_of(t, &e->key, sizeof e->key)]);
	while (twin != NULL && (twin == e || twin->key != e->key))
		twin = LIST_NEXT(twin, by_key);
	return twin;
}

void viewer_table_set_player(struct viewer_table *t, struct viewer_entry *e,
			     uint64_t player)
{
	if (e->player == player)
		return;
	if (e->player != 0)
		LIST_REMOVE(e, by_player);
	e->player = player;
	if (player != 0)
		LIST_INSERT_HEAD(&t->players[bucket_of(t, &player,
						       sizeof player)],
				 e, by_player);
}

struct viewer_entry *viewer_table_variant(const struct viewer_table *t,
					  const struct viewer_entry *e,
					  const struct viewer_entry *after)
{
	struct viewer_entry *other;

	if (e->player == 0)
		return NULL;
	other = after != NULL
		? LIST_NEXT(after, by_player)
		: LIST_FIRST(&t->players[bucket_of(t, &e->player,
						   sizeof e->player)]);
	while (other != NULL && (other == e || other->player != e->player))
		other = LIST_NEXT(other, by_player);
	return other;
}

bool viewer_table_is_shared(const struct viewer_table *t,
			    const struct viewer_entry *e)
{
	const struct viewer_entry *twin = NULL;

	while ((twin = viewer_table_twin(t, e, twin)) != NULL)
		if (twin->joined)
			return true;
	return false;
}

struct viewer_entry *viewer_table_of_session(const struct viewer_table *t,
					     uint64_t session)
{
	struct viewer_entry *e = viewer_table_find(t, session);

	/* the entry with the number of the session may have been dropped */
	for (size_t i = 0; e == NULL && i < BUCKETS; i++)
		LIST_FOREACH(e, &t->keys[i], by_key)
			if (e->session == session)
				break;
	return e != NULL && e->session == session ? e : NULL;
}

bool viewer_table_has_place(const struct viewer_table *t,
			    const struct viewer_entry *e, const char *group)
{
	const struct viewer_group *g = find_group(t, group);
	const struct viewer_entry *twin = NULL, *variant = NULL;

	while (g != NULL && (twin = viewer_table_twin(t, e, twin)) != NULL)
		if (twin->group == g)
			return true;
	while (g != NULL &&
	       (variant = viewer_table_variant(t, e, variant)) != NULL)
		if (variant->group == g)
			return true;
	return false;
}

/* Replaces e in its group by another entry of the same session, or of another
 * variant of the same player. */
static void leave_place(struct viewer_table *t, struct viewer_entry *e)
{
	struct viewer_entry *heir = viewer_table_twin(t, e, NULL);

	if (heir == NULL)
		heir = viewer_table_variant(t, e, NULL);
	while (heir != NULL && heir->ended)
		heir = viewer_table_variant(t, e, heir);
	if (e->group == NULL || heir == NULL || heir->group != NULL)
		return;
	TAILQ_INSERT_BEFORE(e, heir, in_group);
	heir->group = e->group;
}

void viewer_table_drop(struct viewer_table *t, struct viewer_entry *e)
{
	leave_place(t, e);
	viewer_table_group(t, e, NULL);
	peer_leave(&e->from);
	if (e->key != 0)
		LIST_REMOVE(e, by_key);
	viewer_table_set_player(t, e, 0);
	if (e->way != NULL) {
		LIST_REMOVE(e, in_way);
		e->way->n--;
	}
	LIST_REMOVE(e, link);
	t->n--;
	free(e);
}

int viewer_table_excess(const struct viewer_table *t,
			const struct viewer_entry *one,
			const struct viewer_limit *limit)
{
	const struct viewer_group *g = find_group(t, limit->group);
	unsigned before = 0, after = 0;
	const struct viewer_entry *e;
	bool passed = false;

	if (limit->most == 0 || g == NULL)
		return 0;
	TAILQ_FOREACH(e, &g->viewers, in_group) {
		before += e != one && !passed;
		after += e != one && passed;
		passed = passed || e == one;
	}
	if (!limit->ends_oldest)
		return before < limit->most ? 0 : -EUSERS;
	if (after >= limit->most)
		return -EUSERS;
	return before + after < limit->most
		? 0 : (int)MIN(before, before + after + 1 - limit->most);
}

struct viewer_entry *viewer_table_oldest(const struct viewer_table *t,
					 const char *name)
{
	const struct viewer_group *g = find_group(t, name);

	return g != NULL ? TAILQ_FIRST(&g->viewers) : NULL;
}

struct viewer_entry *viewer_table_next(const struct viewer_entry *e)
{
	return TAILQ_NEXT(e, in_group);
}

struct viewer_entry *viewer_table_any(const struct viewer_table *t)
{
	for (size_t i = 0; t->n > 0 && i < BUCKETS; i++)
		if (!LIST_EMPTY(&t->clients[i]))
			return LIST_FIRST(&t->clients[i]);
	return NULL;
}

size_t viewer_table_size(const struct viewer_table *t)
{
	return t->n;
}
