/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The address behind a host name, without waiting for it.
 *
 * Asked at the ticks of the data path; owns its resolver.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

struct name;

/* A literal needs no resolver and is there at once.  Never NULL. */
struct name *name_new(const char *host, uint16_t port);
void name_free(struct name **);

/* 1: *ret is written; 0: ask again; -errno with why ("host: …"). */
int name_poll(struct name *, struct sockaddr_any *ret,
	      struct errmsg *why) MUST_CHECK;
