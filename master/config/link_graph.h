/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What streams and adapters read of each other: stream://ID and dvb://ID of the
 * inputs of a stream, and stream://ID in the address of an adapter.  Pure.
 *
 * The name of a stream is its id, that of an adapter IO_ADAPTER and its id.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/io_spec.h"

#include <jansson.h>
#include <stdbool.h>

/* Objects with the entries by id, of several the first one, which runs. */
struct link_graph {
	json_t *streams;
	json_t *adapters;
};

/* Takes references to the entries of the lists, each of which may be NULL. */
void link_graph_init(struct link_graph *, const json_t *streams,
		     const json_t *adapters);
void link_graph_done(struct link_graph *);

/* Writes the name of the stream or of the adapter that an input address reads;
 * "": of neither. */
void link_graph_name(const char *address, char ret[IO_LINK_MAX + 1]);

/* Does `from' read `to', also through others, or is it the same?  older: a
 * second name of `to', by which others may still read it; NULL: none. */
bool link_graph_leads(const struct link_graph *, const char *from,
		      const char *to, const char *older);

/* Would the adapter receive what it sends?  older_id: the id by which streams
 * may still read it; NULL: none.  error: names the address. */
bool link_graph_adapter_loops(const struct link_graph *, const json_t *adapter,
			      const char *older_id, struct errmsg *error);
