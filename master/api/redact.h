/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reduces replies and events to the part that an observer may receive, by the
 * flags in master/config/config_fields.h. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

struct field_table;

/* Returns a copy of an object without its secret fields; a new reference. */
json_t *redact_secrets(const struct field_table *, const json_t *object);

/* Returns the document without secret fields of users and without a private key
 * that is stored as text; softcams have only the fields that observers may
 * read.  A new reference. */
json_t *observer_view(const json_t *document);

/* --- settings.observer_redact --- */

/* True: the setting observer_redact is on: replies and events for observers are
 * reduced by the functions below. */
bool observer_is_reduced(const json_t *settings);

/* Returns the reply to a command or path (name, such as "api/stream-info") as
 * an observer may receive it, a new reference.  An entry of the configuration
 * has only the keys that the tables mark for observers, with addresses as
 * address_open() shows them.  Other members stay, with sentences as
 * address_open_sentence() shows them. */
json_t *observer_reduce_reply(const char *name, const json_t *reply);
/* Returns an event as an observer may receive it, a new reference. */
json_t *observer_reduce_event(const json_t *event);
