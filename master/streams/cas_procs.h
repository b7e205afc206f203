/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a worker for each conditional access system that a running stream names
 * in cas_list, and connects it with its streams.
 *
 * A worker keeps the entry with which it started: a changed entry applies after
 * all streams that use it have stopped.
 *
 * Owns the workers; borrows the loop and the spawner.
 */
#pragma once

#include "common/base/util.h"
#include "common/supervise/service_list.h"
#include "proto/ipc/msg.h"

#include <jansson.h>

struct cas_procs;
struct channel;

struct cas_procs_config {
	struct service_config service;
	/* The entry of `cas' with this id, borrowed; NULL: there is none. */
	const json_t *(*entry_of)(const char *id, void *arg);
	/* Does a stream that runs name this system? */
	bool (*is_used)(const char *id, void *arg);
	void *arg;
};

struct cas_procs *cas_procs_new(const struct cas_procs_config *);
void cas_procs_free(struct cas_procs **);

/* The workers, borrowed. */
const struct service_list *cas_procs_list(const struct cas_procs *);

/* The list of stream.start for a cas_list, whose length it returns: new
 * references. */
size_t cas_procs_resolve(struct cas_procs *, const json_t *cas_list,
			 struct cas_item ret[CAS_LIST_MAX]);

void cas_procs_drop(struct cas_item *, size_t n);

/* The links of a stream to the workers of its systems.  Embedded; zeroed memory
 * has none. */
struct cas_links {
	uint64_t numbers[CAS_LIST_MAX]; /* of the workers; 0: no link */
	unsigned missing[CAS_LIST_MAX]; /* reports without the link in a row */
	uint64_t made_ms[CAS_LIST_MAX]; /* time of the last link; 0: none */
};

/* The links that the stream has (stream.status): it closes one that floods. */
void cas_links_report(struct cas_links *, unsigned linked);

/* Is another link to be made at this place, to the worker of this number? */
bool cas_links_lack(const struct cas_links *, size_t place, uint64_t number,
		    uint64_t now_ms);
void cas_links_made(struct cas_links *, size_t place, uint64_t number,
		    uint64_t now_ms);

/* Makes the links that a stream lacks, whose worker has this channel.  Starts
 * workers that are needed. */
void cas_procs_link(struct cas_procs *, const char *stream,
		    const json_t *cas_list, struct cas_links *,
		    struct channel *);
