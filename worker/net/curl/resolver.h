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

struct resolver;

/* A literal needs no resolver and is there at once.  Never NULL. */
struct resolver *resolver_new(const char *host, uint16_t port);
void resolver_free(struct resolver **);

/* 1: *ret is written; 0: ask again; -errno with why ("host: …"). */
int resolver_poll(struct resolver *, struct sockaddr_any *ret,
	      struct errmsg *error) MUST_CHECK;
