/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads descriptions of SAT>IP servers with libcurl, a few at a time, without
 * blocking the caller.
 *
 * Only from the address of the URL: no name is resolved, no proxy is used and
 * no redirect is followed.  Limited: SERVER_FETCH_MS, and
 * SERVER_DESCRIPTION_MAX bytes of headers and body.
 */
#pragma once

#include "worker/scan/server_table.h"

enum { SERVER_FETCHES_MAX = 8, SERVER_FETCH_MS = 5000 };

struct server_fetches;

/* Called at the end of a load, with the facts, or with NULL and a note. */
typedef void server_fetched_fn(uint32_t ticket, const struct server_facts *,
			       const char *note, void *arg);

/* NULL: libcurl cannot start. */
struct server_fetches *server_fetches_new(server_fetched_fn *, void *arg);
/* NULL-safe; sets *f to NULL. */
void server_fetches_free(struct server_fetches **);

/* Is there room for another load? */
bool server_fetches_has_room(const struct server_fetches *);

/* Begins a load, or does nothing if there is no room; its end may be reported
 * within the call. */
void server_fetches_add(struct server_fetches *, const struct server_load *);

/* Continues all loads. */
void server_fetches_turn(struct server_fetches *);
