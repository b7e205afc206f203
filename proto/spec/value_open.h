/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removes secrets from values of the configuration, for observers with
 * observer_redact.  The service and sluicectl share these rules.
 *
 * Functions return a new reference.
 */
#pragma once

#include <jansson.h>

/* Returns the item as an observer may see it; NULL: the item is not shown. */
typedef json_t *value_open_fn(const json_t *item, const void *arg);

/* Copies an array or an object, and replaces each item or value by the result
 * of `open'.  If the result is NULL, an array gets null, and an object loses
 * the key. */
json_t *value_open_items(const json_t *items, value_open_fn *open,
			 const void *arg);

/* Returns a text, number or boolean unchanged; NULL for any other value. */
value_open_fn value_open_scalar;

/* Returns a number or a boolean, also one written as text; NULL for any other
 * value. */
value_open_fn value_open_number;

/* Applies open to each item of an array, as value_open_items() does, or to a
 * single value. */
json_t *value_open_each(const json_t *value, value_open_fn *open,
			const void *arg);

/* Returns the address or host of a field with this key, without its secrets. */
json_t *value_open_address(const char *key, const char *text);
