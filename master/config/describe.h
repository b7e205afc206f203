/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes every key of the configuration as JSON schemas. */
#pragma once

#include <jansson.h>

/*
 * Returns a new object: a schema for each section of the configuration, and for
 * each type of address a schema of its options.
 *
 *	{ "settings": {...}, "make_stream": {...}, ...,
 *	  "inputs": { "udp": {...} }, "outputs": { "udp": {...} } }
 */
json_t *config_describe(void);

/* Returns the schema (JSON Schema, draft 2020-12) of the document, a new
 * reference.  Other keys are allowed, because the service stores them. */
json_t *config_schema(void);
