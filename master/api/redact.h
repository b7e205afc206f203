/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes secrets from the configuration for observers, by the flags in
 * master/config/config_fields.h. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

struct field_table;

/* A copy of an object without its secret fields; a new reference. */
json_t *redact_secrets(const struct field_table *, const json_t *object);

/* True when settings.observer_redact hides more from observers. */
bool observer_is_reduced(const json_t *settings);

/*
 * A copy of a reply or an event for an observer with observer_redact: without
 * the logins of servers and softcams, hashes of passwords, the secret of secure
 * tokens and the credentials of the authorization backend, and with addresses
 * whose secrets are hidden.  A new reference.
 */
json_t *observer_reduce(const json_t *value);

/* The document without secrets; a softcam keeps only its id and name.  A new
 * reference. */
json_t *observer_view(const json_t *document);
