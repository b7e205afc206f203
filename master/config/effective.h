/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the configuration with defaults for absent keys, as sluice -T prints
 * it.  Pure. */
#pragma once

#include <jansson.h>

/* Returns a copy of the document in which absent keys have their defaults, a
 * new reference.  A stream takes a default from the settings if they have the
 * key; a section takes it from its object in `first' (may be NULL).  Keys
 * without effect and options of addresses get no default. */
json_t *effective_document(const json_t *document, const json_t *first);

/* Returns a copy, a new reference, in which "***" replaces each value, and each
 * part of an address, that observed_document() does not show. */
json_t *effective_hide(const json_t *document);
