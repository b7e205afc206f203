/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of the configuration: one row per key, with type, bounds, unit,
 * default and help.  The options of addresses and of stream workers are in
 * proto/spec.
 *
 * FIELD_SECRET: only control users see the key.  FIELD_OBSERVER: an observer
 * sees it even where observers see only a part: in softcams, and, with the
 * setting observer_redact, everywhere.  Keys without this flag are hidden
 * there.  FIELD_ADDRESS: the observer sees the address as address_open() shows
 * it.  FIELD_RESTART: the key takes effect at the next start.
 */
#pragma once

#include "proto/spec/field.h"

extern const struct field_table
	document_fields,
	settings_fields,
	log_fields,
	auth_fields,
	user_fields,
	stream_fields, /* keys of a stream besides stream_option_fields */
	adapter_fields,
	softcam_fields,
	cas_fields,
	server_fields,
	category_fields,
	group_fields, /* of a group of a category, or of outputs */
	any_object_fields; /* none: every key is accepted */

enum { CONFIG_TABLES_MAX = 4 };

/* A member of the document that has fields of its own. */
struct config_section {
	const char *key;
	const char *form; /* name of its form in forms_make() */
	bool list; /* the member is a list or a map of objects */
	/* The fields of one object; if two tables have the same key, the first
	 * one counts.  NULL ends the list. */
	const struct field_table *tables[CONFIG_TABLES_MAX + 1];
};

extern const struct config_section config_sections[];
extern const size_t n_config_sections;

typedef void config_table_fn(const struct config_section *,
			     const struct field_table *, void *arg);

/* Calls visit for each table of each section, in order. */
void config_tables_visit(config_table_fn *visit, void *arg);

/* Returns the section with this name; NULL: it has no fields of its own. */
const struct config_section *config_fields_of(const char *section);
