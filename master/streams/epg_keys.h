/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the process of the guide has to know of the keys of a stream.
 */
#pragma once

#include "proto/ipc/msg_epg.h"

#include <jansson.h>

/* The values of the stream (borrowed), as a new reference: equal ones need no
 * message. */
json_t *epg_keys_new(const json_t *stream);
/* Writes them to a message, which borrows its texts; NULL: none are known. */
void epg_keys_fill(const json_t *keys, struct msg_epg_stream *ret);
