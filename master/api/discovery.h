/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of what a worker of the role scan finds on the network, for a path of
 * the API.
 *
 * The worker starts with the first request of a control user, and ends some
 * time after the last one.  Owns its job and the entries; borrows the jobs.
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
	const char *address; /* of scan.start */
	const char *key;     /* of the list in the reply */
	const char *what;    /* in errors: "announcements" */
	unsigned life_ms;    /* of the worker after the last request */
	/* The entry of a message and its place, below SCAN_PLACES_MAX; NULL:
	 * it has ended.  The function adds "heard".  False: the message is
	 * another one. */
	bool (*read)(const struct msg *, uint32_t *ret_place,
		     json_t **ret_entry);
};

struct discovery *discovery_new(struct jobs *, const struct discovery_kind *);
/* NULL-safe; sets *d to NULL. */
void discovery_free(struct discovery **);

/* A member of an entry, if the text is not empty. */
void discovery_put(json_t *entry, const char *key, const char *text);

/* Replies with the list. */
void discovery_get(struct discovery *, struct reply *);

extern const struct discovery_kind announcements_kind;
extern const struct discovery_kind satip_servers_kind;
