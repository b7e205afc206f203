/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hears announcements: a socket for each group of SAP on each interface.
 *
 * Owns the sockets.  Interfaces that come later are found, those that go are
 * left.
 */
#pragma once

#include "worker/scan/session_table.h"

struct ears;

typedef void ears_fn(const struct announced_packet *, void *arg);

struct ears *ears_new(void);
/* NULL-safe; sets *e to NULL. */
void ears_free(struct ears **);

/* Now and then: looks at the interfaces.  0, or -errno with why when nothing
 * can be heard. */
int ears_look(struct ears *, struct errmsg *why) MUST_CHECK;

/* Takes what came, of each socket a few packets and no more: what a flood
 * brings beyond that is lost in its own socket. */
void ears_read(struct ears *, ears_fn *, void *arg);
