/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of the SAT>IP servers that announce themselves on the network.
 *
 * The key of a server is its address, the interface and its uuid: another host
 * neither replaces nor ends it, unless it forges this address, which must be in
 * a network of the interface.  A server ends by its byebye, or when its
 * announcement is out of date.  It is reported when its description was loaded
 * or could not be loaded.
 *
 * The table has SERVERS_MAX places, of which an address has at most
 * SERVERS_OF_HOST_MAX.  In a full table a new server replaces the one with the
 * oldest announcement whose description could not be loaded: a sender of forged
 * addresses has no descriptions there.  Otherwise it is rejected.
 *
 * Pure: no clock, no I/O.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "worker/scan/server_facts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SERVERS_MAX = 64,
	SERVERS_OF_HOST_MAX = 4,
	/* an announcement loads the description again after this time, */
	SERVER_FRESH_S = 600,
	/* or if it could not be loaded */
	SERVER_RETRY_S = 30,
	/* the shortest time between two reports of an unchanged server */
	SERVER_REPORT_S = 10,
};

struct server_table;

struct server_packet {
	const char *iface;
	const struct sockaddr_any *sender;
	bool is_near; /* the sender is in a network of the interface */
	const void *data;
	size_t len;
};

/* A description to be loaded. */
struct server_load {
	uint32_t ticket; /* of this attempt; not 0 */
	char host[SERVER_HOST_MAX];
	struct server_url url;
};

/* A place of the table.  The texts belong to the table. */
struct server_report {
	unsigned number;   /* below SERVERS_MAX */
	const char *iface; /* "": the server at this place has ended */
	const char *host;
	const char *uuid;
	const struct server_facts *facts; /* all "" before the first load */
	const char *note;  /* why the description could not be loaded; "": it
			    * was */
};

struct server_table *server_table_new(void);
/* NULL-safe; sets *t to NULL. */
void server_table_free(struct server_table **);

/* Takes a datagram; ignores datagrams that are not of a server.  0, or -errno
 * with error: it is invalid, or the table is full. */
int server_table_feed(struct server_table *, const struct server_packet *,
		      uint64_t now_ns, struct errmsg *error) MUST_CHECK;

/* Call it regularly: removes servers whose announcement is out of date. */
void server_table_expire(struct server_table *, uint64_t now_ns);

/* The next description to be loaded; false: there is none. */
bool server_table_next_load(struct server_table *, struct server_load *ret);

/* The load with this ticket ended: with facts, or without (NULL) and with a
 * note.  Without effect if the server has ended meanwhile. */
void server_table_loaded(struct server_table *, uint32_t ticket,
			 const struct server_facts *, const char *note,
			 uint64_t now_ns);

/* The next place whose server is new, changed, ended or due for a report;
 * false: there is none. */
bool server_table_next_report(struct server_table *, uint64_t now_ns,
			      struct server_report *ret);

/* The number of servers in the table. */
unsigned server_table_count(const struct server_table *);
