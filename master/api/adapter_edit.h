/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files about adapters share. */
#pragma once

#include "master/api/command.h"

#include <jansson.h>
#include <stdbool.h>


/* Has the stream an input of this adapter? */
bool adapter_feeds(const json_t *stream, const char *id);

/* The set-adapter message with the stored object. */
void adapter_announce(struct api *, const json_t *adapter, bool with_gid);

/* The streams whose inputs named an adapter that has another id now, or none
 * (to: NULL): renamed inputs, fewer inputs, or, where none is left, no stream.
 * Stores, tells, and runs what comes of it. */
void adapter_rename_inputs(struct api *, const char *from, const char *to);

/*
 * The streams that a scan of the adapter found, ready to be stored: each item
 * of the list is a stream object, or names a program by `pnr`.  *gid moves
 * with the ids that are made.  A new reference, or NULL after a reply.
 */
json_t *adapter_scan_streams(struct api *, const json_t *scan,
			     const char *adapter, json_int_t *gid,
			     struct reply *);

/* Stores, announces and runs them. */
void adapter_add_streams(struct api *, const json_t *streams);
