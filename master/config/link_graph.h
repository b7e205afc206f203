/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds which streams and adapters read each other: by stream://ID and dvb://ID
 * in the inputs of a stream, and by stream://ID in the address of an adapter.
 * Pure.
 *
 * The name of a stream is its id, the name of an adapter is IO_ADAPTER and its
 * id.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/io_spec.h"

#include <jansson.h>
#include <stdbool.h>

/* Objects with the streams and the adapters by id; of several with the same id,
 * the first one, which is the one that runs. */
struct link_graph {
	json_t *streams;
	json_t *adapters;
};

/* Takes references to the entries of the lists; each list may be NULL. */
void link_graph_init(struct link_graph *, const json_t *streams,
		     const json_t *adapters);
void link_graph_done(struct link_graph *);

/* Writes the name of the stream or adapter that an input address reads; "": it
 * reads neither. */
void link_graph_name(const char *address, char ret[IO_LINK_MAX + 1]);

/* True: `from' is `to', or reads it, directly or through others.  older: a
 * second name of `to', by which others may still read it; NULL: none. */
bool link_graph_leads(const struct link_graph *, const char *from,
		      const char *to, const char *older);

/* True: the adapter would receive what it sends itself; error names the
 * address.  older_id: the id by which streams may still read it; NULL: none. */
bool link_graph_adapter_loops(const struct link_graph *, const json_t *adapter,
			      const char *older_id, struct errmsg *error);
