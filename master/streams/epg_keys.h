/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of a stream that the worker of the guide needs.
 */
#pragma once

#include "proto/ipc/msg_epg.h"

#include <jansson.h>

/* Reads these keys of a stream (borrowed); a new reference.  The worker needs a
 * message only if they differ from those before. */
json_t *epg_keys_new(const json_t *stream);
/* Writes the keys to a message, which borrows their texts; NULL: the
 * defaults. */
void epg_keys_fill(const json_t *keys, struct msg_epg_stream *ret);
