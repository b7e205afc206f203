/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a worker for each conditional access system that a running stream names
 * in cas_list, and connects the worker with each such stream.
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
	/* Returns the entry of `cas' with this id, borrowed; NULL: none. */
	const json_t *(*entry_of)(const char *id, void *arg);
	/* True: a running stream names this system in its cas_list. */
	bool (*is_used)(const char *id, void *arg);
	void *arg;
};

struct cas_procs *cas_procs_new(const struct cas_procs_config *);
void cas_procs_free(struct cas_procs **);

/* Returns the workers of all systems, borrowed. */
const struct service_list *cas_procs_list(const struct cas_procs *);

/* Makes the list of systems for stream.start from the first CAS_LIST_MAX items
 * of a cas_list; returns its length.  entry NULL: there is no such system.
 * The caller drops the list with cas_procs_drop(). */
size_t cas_procs_resolve(struct cas_procs *, const json_t *cas_list,
			 struct cas_item ret[CAS_LIST_MAX]);

void cas_procs_drop(struct cas_item *, size_t n);

/* The links of a stream to the workers of its systems.  Embedded; zeroed memory
 * has none. */
struct cas_links {
	/* [i]: number of the worker linked for item i of the cas_list; 0: no
	 * link */
	uint64_t numbers[CAS_LIST_MAX];
	/* [i]: consecutive reports of the stream without link i */
	unsigned missing[CAS_LIST_MAX];
	/* [i]: monotonic time at which link i was last made; 0: never */
	uint64_t made_ms[CAS_LIST_MAX];
};

/* Takes the links that the stream reports in stream.status (linked: bit i is
 * set if the stream has the link of item i of its cas_list).  A link that the
 * stream has closed or never received is forgotten after some reports, so that
 * cas_procs_link() makes it again. */
void cas_links_report(struct cas_links *, unsigned linked);

/* True: item `place' of the cas_list needs a link to the worker of this number.
 * False: the item has that link, the worker does not run (number 0), or the
 * last link of the item was made too recently. */
bool cas_links_lack(const struct cas_links *, size_t place, uint64_t number,
		    uint64_t now_ms);
void cas_links_made(struct cas_links *, size_t place, uint64_t number,
		    uint64_t now_ms);

/* Makes the missing links between the worker of a stream, which has this
 * channel, and the workers of its systems.  Starts the workers that the stream
 * needs; a worker that starts is linked by a later call. */
void cas_procs_link(struct cas_procs *, const char *stream,
		    const json_t *cas_list, struct cas_links *,
		    struct channel *);
