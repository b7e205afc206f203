/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads descriptors into JSON, {"type_id": 72, "type_name": "service", …}, and
 * writes them from JSON.
 *
 * An unknown or too short descriptor has its bytes as hex in "data".  If the
 * fields of a known descriptor do not give its exact bytes, the object has the
 * bytes in addition, as hex in "raw".
 *
 * Only for this folder.
 */
#pragma once

#include "proto/si/codec.h"

/*
 * Reads or writes the list "descriptors" of the object, to the end of the
 * scope.  An incomplete descriptor at the end becomes an entry with the
 * type_name "broken".
 */
void codec_descriptors(struct codec *);

/* Reads or writes four reserved bits, a length of twelve bits and so many bytes
 * of descriptors, as codec_descriptors() does. */
void codec_descriptor_loop(struct codec *);
