/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is announced on the network: a table of sessions, made of the packets
 * that are heard.
 *
 * A session is known by who sends it, where he is heard, and its origin; who
 * announces it anew replaces what he said.  It is gone when its sender says so,
 * or was not heard for an hour or ten of its pauses (RFC 2974 4).
 *
 * Bounded, whatever is sent: ANNOUNCED_MAX places.  When all are taken, a new
 * session gets one of the sender who has most of them, the one not heard for
 * longest, if he has more than who is new would have then; else that of one
 * which was heard once only, ten minutes ago or more; else it is refused.  So a
 * flood leaves places for others, whatever addresses it comes from.
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
	ANNOUNCED_MAX = SCAN_PLACES_MAX,
	ANNOUNCED_LIFE_S = 3600,
	/* Twice the pause that RFC 2974 3.1 has at least. */
	ANNOUNCED_TRIAL_S = 600,
	/* What is heard again and again is told so often, no more. */
	ANNOUNCED_TELL_S = 10,
};

struct announced;

struct announced_packet {
	const char *iface;
	const struct sockaddr_any *sender;
	const uint8_t *data;
	size_t len;
};

/* A place of the table, as it is to be told.  The texts are the table's. */
struct announced_place {
	unsigned number;   /* below ANNOUNCED_MAX */
	const char *iface; /* all "": there is no session any more */
	const char *sender;
	const char *name;  /* "": it has none */
	const char *input; /* "": none, and note says why */
	const char *note;  /* what of it cannot be had; "": nothing */
};

struct announced *announced_new(void);
/* NULL-safe; sets *a to NULL. */
void announced_free(struct announced **);

/* 0, or -errno with why for what is no announcement, or has no place. */
int announced_feed(struct announced *, const struct announced_packet *,
		   uint64_t now_ns, struct errmsg *why) MUST_CHECK;

/* Now and then: forgets what is not heard any more. */
void announced_age(struct announced *, uint64_t now_ns);

/* The next place to be told, which then counts as told; false: none. */
bool announced_next(struct announced *, uint64_t now_ns,
		    struct announced_place *ret);

/* Sessions in the table. */
unsigned announced_count(const struct announced *);
