/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of entries that a scan worker finds on the network, such as SAP
 * announcements, for a path of the API.
 *
 * The worker starts with the first request of a control user, and ends some
 * time after the last one; requests of observers do not prolong it.  Owns the
 * job of the worker and the entries; borrows the jobs.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>

struct discovery;
struct jobs;
struct reply;

struct discovery_kind {
	const char *address; /* address in scan.start */
	const char *key;     /* name of the list in the reply */
	const char *what;    /* name in errors, such as "announcements" */
	/* life of the worker after the last request of a control user */
	unsigned life_ms;
	/* Reads an entry from a message of the worker.  *ret_entry: a new
	 * reference; NULL: the entry has ended.  *ret_place: its index, below
	 * SCAN_PLACES_MAX.  The caller adds "heard" to the entry.  False: the
	 * message has no entry. */
	bool (*read)(const struct msg *, uint32_t *ret_place,
		     json_t **ret_entry);
};

struct discovery *discovery_new(struct jobs *, const struct discovery_kind *);
/* NULL-safe; sets *d to NULL. */
void discovery_free(struct discovery **);

/* Adds a text to an entry unless it is empty. */
void discovery_put(json_t *entry, const char *key, const char *text);

/* Replies with the list, or 503.  A request of a control user starts or
 * prolongs the worker. */
void discovery_get(struct discovery *, struct reply *);

extern const struct discovery_kind announcements_kind;
extern const struct discovery_kind satip_servers_kind;
