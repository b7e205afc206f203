/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of the sessions that SAP announces on the network.
 *
 * The key of a session is its sender, the interface and its origin.  A later
 * announcement replaces the earlier one.  A session is removed by a deletion
 * from its sender, or when it was not announced for one hour or ten of its
 * periods, whichever is longer (RFC 2974 4).
 *
 * The table has SESSIONS_MAX entries.  In a full table, a new session replaces
 * a session of the sender with the most sessions, if that sender has more
 * sessions than the new sender would have; the session with the oldest
 * announcement is replaced.  Otherwise it replaces a session that was announced
 * only once, at least SESSION_TRIAL_S ago.  Otherwise it is rejected.  So a
 * flood of announcements, even from many addresses, leaves entries for other
 * senders.
 *
 * Pure: no clock, no I/O.
 */
#pragma once

#include "common/base/address.h"
#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SESSIONS_MAX = SCAN_PLACES_MAX,
	SESSION_LIFE_S = 3600,
	/* Twice the shortest period of RFC 2974 3.1. */
	SESSION_TRIAL_S = 600,
	/* The shortest time between two reports of an unchanged session. */
	SESSION_REPORT_S = 10,
};

struct session_table;

struct session_packet {
	const char *iface;
	const struct sockaddr_any *sender;
	const uint8_t *data;
	size_t len;
};

/* The report of one entry of the table.  The texts belong to the table. */
struct session_report {
	unsigned number;   /* index of the entry, below SESSIONS_MAX */
	const char *iface; /* all texts are "" if the session was removed */
	const char *sender;
	const char *name;  /* "": the session has no name */
	const char *input; /* address of an input; "": not supported, see
			    * note */
	const char *note;  /* what is not supported; "": nothing */
};

struct session_table *session_table_new(void);
/* NULL-safe; sets *a to NULL. */
void session_table_free(struct session_table **);

/* Takes a packet.  0, or -errno with error: the announcement is invalid, or the
 * table is full. */
int session_table_feed(struct session_table *, const struct session_packet *,
		   uint64_t now_ns, struct errmsg *error) MUST_CHECK;

/* Removes sessions that are no longer announced; to be called regularly. */
void session_table_expire(struct session_table *, uint64_t now_ns);

/* Returns the next report: of a session that is new, changed or removed, or
 * that was announced since its last report, SESSION_REPORT_S ago or earlier.
 * False: there is none. */
bool session_table_next_report(struct session_table *, uint64_t now_ns,
		    struct session_report *ret);

/* The number of sessions in the table. */
unsigned session_table_count(const struct session_table *);
