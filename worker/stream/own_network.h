/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The own NIT and BAT of a stream: its programs, and the streams of nit_other.
 *
 * Their versions count contents, also across workers.
 */
#pragma once

#include "proto/spec/stream_spec.h"

struct own_network;
struct psi;
struct schedule;
struct table_versions;

struct own_network_config {
	const struct stream_spec *spec; /* copied */
	/* They outlive the network. */
	const struct psi *psi;
	struct table_versions *versions;
	struct schedule *schedule;
};

struct own_network *own_network_new(const struct own_network_config *);
/* NULL-safe; sets *n to NULL. */
void own_network_free(struct own_network **);

/* The programs of the stream have changed. */
void own_network_build(struct own_network *);

/* The other streams, by id, with their keys (copied).  One without set_tsid is
 * left out. */
void own_network_set_others(struct own_network *, const json_t *streams);
