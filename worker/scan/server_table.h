/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of the SAT>IP servers that announce themselves on the network.
 *
 * The key of a server is its address, the interface and its uuid.  So another
 * host can neither replace nor remove it, unless it forges this address;
 * addresses outside the networks of the interface are rejected.  A server is
 * removed by its byebye, or when its announcement expires.  It is reported when
 * its description was loaded, or when loading failed.
 *
 * The table has SERVERS_MAX entries, at most SERVERS_OF_HOST_MAX for one
 * address.  In a full table, a new server replaces a server whose description
 * was never loaded, the one with the oldest announcement: a sender of forged
 * addresses cannot answer there with descriptions.  If there is none, the new
 * server is rejected.
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
	/* after this time, an announcement causes the description to be loaded
	 * again */
	SERVER_FRESH_S = 600,
	/* the same after a load that failed */
	SERVER_RETRY_S = 30,
	/* the shortest time between two reports of an unchanged server */
	SERVER_REPORT_S = 10,
};

struct server_table;

struct server_packet {
	const char *iface;
	const struct sockaddr_any *sender;
	bool is_near; /* the sender's address is in a network of the
		       * interface */
	const void *data;
	size_t len;
};

/* A description that is to be loaded. */
struct server_load {
	uint32_t ticket; /* identifies this load; not 0 */
	char host[SERVER_HOST_MAX];
	struct server_url url;
};

/* The report of one entry of the table.  The texts belong to the table. */
struct server_report {
	unsigned number;   /* index of the entry, below SERVERS_MAX */
	const char *iface; /* "": the server with this number was removed */
	const char *host;
	const char *uuid;
	/* all members "" or 0 before the first load */
	const struct server_facts *facts;
	const char *note;  /* why the last load failed; "": it succeeded */
};

struct server_table *server_table_new(void);
/* NULL-safe; sets *t to NULL. */
void server_table_free(struct server_table **);

/* Takes a datagram; ignores one that is not from a SAT>IP server.  0, or -errno
 * with error: it is invalid, or the table is full. */
int server_table_feed(struct server_table *, const struct server_packet *,
		      uint64_t now_ns, struct errmsg *error) MUST_CHECK;

/* Removes servers whose announcement has expired; to be called regularly. */
void server_table_expire(struct server_table *, uint64_t now_ns);

/* Returns the next description to be loaded, and marks its load as running;
 * false: there is none. */
bool server_table_next_load(struct server_table *, struct server_load *ret);

/* Ends the load with this ticket.  facts NULL: the load failed, and note says
 * why.  Without effect if the server was removed meanwhile. */
void server_table_loaded(struct server_table *, uint32_t ticket,
			 const struct server_facts *, const char *note,
			 uint64_t now_ns);

/* Returns the next report: of a server that is new, changed or removed, or that
 * has sent announcements since its last report, SERVER_REPORT_S ago or earlier.
 * False: there is none. */
bool server_table_next_report(struct server_table *, uint64_t now_ns,
			      struct server_report *ret);

/* The number of servers in the table. */
unsigned server_table_count(const struct server_table *);
