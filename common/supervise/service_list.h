/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of service processes of one role, each with the id of what it serves.
 *
 * Owns the processes.  An item is a struct of the owner, whose first member is
 * a struct service_item.
 */
#pragma once

#include "common/supervise/service_proc.h"

#include <sys/queue.h>

struct service_item {
	TAILQ_ENTRY(service_item) link;
	char *id;
	struct service_proc *service;
};

/* Embedded.  The owner sets the first four members. */
struct service_list {
	/* its functions get the item as self */
	const struct service_kind *kind;
	size_t item_size; /* bytes of the owner's struct */
	size_t max; /* most items */
	/* Frees what the owner's struct refers to, when the process is gone.
	 * May be NULL. */
	void (*done)(struct service_item *);
	TAILQ_HEAD(, service_item) items;
	size_t n; /* items in the list */
};

/* Initialises the list after the owner has set the first four members. */
void service_list_init(struct service_list *);
void service_list_done(struct service_list *);

/* The item with this id; NULL: the list has none. */
void *service_list_find(const struct service_list *, const char *id);

/* Adds a zeroed item whose process is not wanted yet; NULL: the list is full.
 * object is the argument of the process on its command line. */
void *service_list_add(struct service_list *, const struct service_config *,
		       const char *id, const char *object);

/* Frees the items whose process is gone, if they are of no use. */
void service_list_sweep(struct service_list *,
			bool (*is_of_use)(const struct service_item *));

/* The process of item i, from 0; NULL: there are no more. */
struct service_proc *service_list_at(const struct service_list *, size_t i);
