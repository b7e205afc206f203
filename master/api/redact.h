/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What observers see of the configuration: master/config/config_fields.h has
 * the flags. */
#pragma once

#include <jansson.h>

struct field_table;

/* A copy of an object without its secret fields; a new reference. */
json_t *redact_secrets(const struct field_table *, const json_t *object);

/* The document without secrets; of a softcam id and name.  A new reference. */
json_t *observer_view(const json_t *document);
