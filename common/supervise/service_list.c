/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/service_list.h"

#include "common/base/alloc.h"

#include <stdlib.h>
#include <string.h>

void service_list_init(struct service_list *l)
{
	TAILQ_INIT(&l->items);
	l->n = 0;
}

static void drop(struct service_list *l, struct service_item *item)
{
	TAILQ_REMOVE(&l->items, item, link);
	l->n--;
	service_proc_free(&item->service);
	if (l->done != NULL)
		l->done(item);
	free(item->id);
	free(item);
}

void service_list_done(struct service_list *l)
{
	while (!TAILQ_EMPTY(&l->items))
		drop(l, TAILQ_FIRST(&l->items));
}

void *service_list_find(const struct service_list *l, const char *id)
{
	struct service_item *item;

	TAILQ_FOREACH(item, &l->items, link)
		if (strcmp(item->id, id) == 0)
			return item;
	return NULL;
}

void *service_list_add(struct service_list *l,
		       const struct service_config *cfg, const char *id,
		       const char *object)
{
	struct service_item *item;

	if (l->n >= l->max)
		return NULL;
	item = xcalloc(1, l->item_size);
	item->id = xstrdup(id);
	item->service = service_proc_new(cfg, l->kind, object, item);
	TAILQ_INSERT_TAIL(&l->items, item, link);
	l->n++;
	return item;
}

void service_list_sweep(struct service_list *l,
			bool (*is_of_use)(const struct service_item *))
{
	struct service_item *item, *next;

	for (item = TAILQ_FIRST(&l->items); item != NULL; item = next) {
		next = TAILQ_NEXT(item, link);
		if (service_proc_is_gone(item->service) && !is_of_use(item))
			drop(l, item);
	}
}

struct service_proc *service_list_at(const struct service_list *l, size_t i)
{
	struct service_item *item;

	TAILQ_FOREACH(item, &l->items, link)
		if (i-- == 0)
			return item->service;
	return NULL;
}
