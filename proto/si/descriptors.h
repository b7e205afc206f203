/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Descriptors as JSON: {"type_id": 72, "type_name": "service", …}, in both
 * directions.
 *
 * An unknown or short descriptor has its bytes as hex in "data".  Another one
 * whose fields alone would give other bytes has them besides, in "raw".
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

/* As codec_descriptors(), behind four reserved bits and a length of twelve
 * bits. */
void codec_descriptor_loop(struct codec *);
