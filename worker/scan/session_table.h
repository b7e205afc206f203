/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of the sessions that SAP announces on the network.
 *
 * The key of a session is its sender, the interface and its origin.  A later
 * announcement replaces the earlier one.  A session ends by the deletion of its
 * sender, or after an hour or ten of its periods without an announcement
 * (RFC 2974 4).
 *
 * The table has SESSIONS_MAX places.  In a full table a new session replaces
 * the session with the oldest announcement of the sender with the most
 * sessions, if that sender has more sessions than the new sender would have.
 * Otherwise it replaces a session that was announced only once, at least
 * SESSION_TRIAL_S ago.  Otherwise it is rejected.  So a flood of announcements,
 * even from many addresses, leaves places for other senders.
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

/* A place of the table.  The texts belong to the table. */
struct session_report {
	unsigned number;   /* below SESSIONS_MAX */
	const char *iface; /* if all texts are "", the session has ended */
	const char *sender;
	const char *name;  /* "": without name */
	const char *input; /* address; "": not supported, see note */
	const char *note;  /* parts that are not supported; "": none */
};

struct session_table *session_table_new(void);
/* NULL-safe; sets *a to NULL. */
void session_table_free(struct session_table **);

/* Takes a packet.  0, or -errno with error for an invalid announcement or a
 * full table. */
int session_table_feed(struct session_table *, const struct session_packet *,
		   uint64_t now_ns, struct errmsg *error) MUST_CHECK;

/* Call it regularly: removes sessions without announcements. */
void session_table_expire(struct session_table *, uint64_t now_ns);

/* The next place whose session is new, changed, ended or due for a report;
 * false: there is none. */
bool session_table_next_report(struct session_table *, uint64_t now_ns,
		    struct session_report *ret);

/* The number of sessions in the table. */
unsigned session_table_count(const struct session_table *);
