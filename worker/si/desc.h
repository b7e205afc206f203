/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Descriptors as JSON: {"type_id": 72, "type_name": "service", …}.
 *
 * An unknown or short descriptor has its bytes as hex in
 * "data".
 */
#pragma once

#include "worker/ts/desc.h"

#include <jansson.h>

/*
 * Puts the descriptors of the loop into the list "descriptors" of the object.
 * An incomplete descriptor at the end becomes an entry with the type_name
 * "broken".
 */
void si_put_descriptors(json_t *object, struct desc_loop);
