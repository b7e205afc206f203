/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration with the defaults of its keys, as sluice -T prints it.
 * Pure. */
#pragma once

#include <jansson.h>

/* A copy of the document in which absent keys have their defaults.  Those of a
 * stream come from the settings where these have the key, those of a section
 * from its object in `first', which may be NULL.  Keys without effect and the
 * options of addresses get none.  A new reference. */
json_t *effective_document(const json_t *document, const json_t *first);

/* A copy in which "***" replaces each value, and each address its part, that
 * observed_document() does not show.  A new reference. */
json_t *effective_hide(const json_t *document);
