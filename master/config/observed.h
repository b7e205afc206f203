/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an observer receives of the configuration with the setting
 * observer_redact: the keys that the tables mark for observers, and addresses
 * as address_open() shows them.
 *
 * Functions return a new reference.  Pure.
 */
#pragma once

#include <jansson.h>

struct config_section;

/* One entry of the section; NULL: it is not an object. */
json_t *observed_entry(const struct config_section *, const json_t *entry);

/* A section, or one entry of it; NULL: the key is not that of a section, or the
 * value is not an object or list. */
json_t *observed_section(const char *key, const json_t *value);

json_t *observed_document(const json_t *document);
