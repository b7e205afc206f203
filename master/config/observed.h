/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes what an observer receives of the configuration with the setting
 * observer_redact: the keys that the tables mark for observers, and addresses
 * as address_open() shows them.
 *
 * Functions return a new reference.  Pure.
 */
#pragma once

#include <jansson.h>

struct config_section;

/* Returns what an observer sees of an entry of the section; NULL: it is no
 * object. */
json_t *observed_entry(const struct config_section *, const json_t *entry);

/* Returns what an observer sees of a section, or of one entry of it; NULL:
 * there is no such section, or the value is no object or list. */
json_t *observed_section(const char *key, const json_t *value);

json_t *observed_document(const json_t *document);
