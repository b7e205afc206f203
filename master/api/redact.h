/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes secrets from the configuration for observers, by the flags in
 * master/config/config_fields.h. */
#pragma once

#include <jansson.h>

struct field_table;

/* A copy of an object without its secret fields; a new reference. */
json_t *redact_secrets(const struct field_table *, const json_t *object);

/* The document without secrets; a softcam keeps only its id and name.  A new
 * reference. */
json_t *observer_view(const json_t *document);
