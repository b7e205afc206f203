/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of an adapter that receives from a SAT>IP server.
 *
 * Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"

#include <jansson.h>
#include <stdbool.h>

enum {
	SATIP_PORT = 554,
	SATIP_QUERY_MAX = 512,
	SATIP_NAME_MAX = 254,
};

enum satip_transport {
	SATIP_UDP,
	SATIP_MULTICAST,
	SATIP_TCP,
};

struct satip_spec {
	struct sockaddr_any server; /* len 0: see name */
	char name[SATIP_NAME_MAX];  /* host name; "": see server */
	uint16_t port; /* with name */
	bool whole; /* requests all PIDs; false: only those that streams need */
	enum satip_transport transport;
	bool fixed_transport; /* the configuration has the key transport */
	/* the tuning, without PIDs: "freq=11362&msys=dvbs2&src=1&..." */
	char query[SATIP_QUERY_MAX];
};

/* Have both adapters the same server, transport and budget, so that at most
 * their multiplex differs? */
bool satip_spec_is_same(const json_t *, const json_t *);

/* Is the server given by a name, which must be resolved? */
bool satip_spec_has_name(const json_t *adapter);

/* The keys that satip_spec_parse() reads, in a new object. */
json_t *satip_spec_keys(const json_t *adapter);

/* Returns the type of an adapter ("S2") for the name of a delivery system in
 * SAT>IP ("dvbs2", in any case); NULL: the name is unknown. */
const char *satip_spec_type(const char *system);

/* Reads the keys of the adapter.  0, or -EINVAL with error, which names the
 * key. */
int satip_spec_parse(const json_t *adapter, struct satip_spec *ret,
		     struct errmsg *error) MUST_CHECK;
