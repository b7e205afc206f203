/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A set of networks with a fast search: a hash table with one look-up for each
 * prefix length that occurs, whatever the number of networks.
 */
#pragma once

#include "common/base/ip_prefix.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Embedded; zeroed memory is an empty set. */
struct ip_set {
	struct ip_prefix *list; /* the networks, each once */
	size_t n;
	/* number of networks of each prefix length */
	unsigned lengths[IP_BITS + 1];
	/* hash table: indexes in list, from 1; 0: the slot is free */
	uint32_t *slots;
	size_t n_slots;  /* a power of 2 */
	uint64_t seed;
};

/* Makes the set from a list of texts; skips texts that are no network. */
void ip_set_init(struct ip_set *, const json_t *list);
void ip_set_done(struct ip_set *);

bool ip_set_has(const struct ip_set *, const struct ip_address *);
