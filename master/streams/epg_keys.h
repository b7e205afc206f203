/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of a stream that the worker of the guide needs.
 */
#pragma once

#include "proto/ipc/msg_epg.h"

#include <jansson.h>

/* Returns the keys of a stream from its object in the configuration (borrowed),
 * as a new reference.  The worker needs a message only if the keys differ from
 * the former ones. */
json_t *epg_keys_new(const json_t *stream);
/* Writes the keys to a message, which borrows their texts.  keys NULL: writes
 * the defaults. */
void epg_keys_fill(const json_t *keys, struct msg_epg_stream *ret);
