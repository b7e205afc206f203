/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads descriptions of SAT>IP servers with libcurl, several at a time, without
 * blocking the caller.
 *
 * Connects only to the address in the URL: no name is resolved, no proxy is
 * used and no redirect is followed.  Limits: SERVER_FETCH_MS for a load, and
 * SERVER_DESCRIPTION_MAX bytes of headers and body.
 */
#pragma once

#include "worker/scan/server_table.h"

enum { SERVER_FETCHES_MAX = 8, SERVER_FETCH_MS = 5000 };

struct server_fetches;

/* Called at the end of a load.  facts NULL: the load failed, and note says
 * why. */
typedef void server_fetched_fn(uint32_t ticket, const struct server_facts *,
			       const char *note, void *arg);

/* Returns NULL if libcurl cannot start. */
struct server_fetches *server_fetches_new(server_fetched_fn *, void *arg);
/* NULL-safe; sets *f to NULL. */
void server_fetches_free(struct server_fetches **);

/* Can another load begin? */
bool server_fetches_has_room(const struct server_fetches *);

/* Begins a load, or does nothing if SERVER_FETCHES_MAX loads run.  If the load
 * fails at once, the server_fetched_fn is called within this call. */
void server_fetches_add(struct server_fetches *, const struct server_load *);

/* Continues all loads; to be called in each tick. */
void server_fetches_turn(struct server_fetches *);
