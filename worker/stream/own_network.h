/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The own NIT and BAT of a stream: its programs, and the streams of nit_other.
 *
 * A table gets a new version when its content changes, also if the worker was
 * replaced meanwhile.
 */
#pragma once

#include "proto/spec/stream_spec.h"

struct other_guides;
struct output_sdt;
struct own_network;
struct psi;
struct schedule;
struct table_versions;

struct own_network_config {
	const struct stream_spec *spec; /* copied */
	/* These five are borrowed and outlive the network. */
	const struct psi *psi;
	const struct output_sdt *sdt;
	const struct other_guides *others;
	struct table_versions *versions;
	struct schedule *schedule;
};

struct own_network *own_network_new(const struct own_network_config *);
/* NULL-safe; sets *n to NULL. */
void own_network_free(struct own_network **);

/* Call it after a change of the programs of the stream, or of the types or the
 * identifiers in its SDT.  The first tables wait at most two seconds for the
 * SDT, whose types they repeat, and at most OTHERS_WAIT_MS for the list of
 * nit_other and its original networks. */
void own_network_build(struct own_network *);
/* Builds the tables when it is time. */
void own_network_turn(struct own_network *, uint64_t now_ns);

/* Removes all streams of nit_other.  own_network_add_other() then adds a stream
 * (copied), which must have a transport_stream_id.  Call own_network_build()
 * after that. */
void own_network_clear_others(struct own_network *);
void own_network_add_other(struct own_network *, const struct stream_spec *,
			   uint16_t onid);
