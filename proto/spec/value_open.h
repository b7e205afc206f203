/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values of the configuration as an observer receives them with
 * observer_redact: the rules that the service and sluicectl share.
 *
 * Functions return a new reference.
 */
#pragma once

#include <jansson.h>

/* Returns the item as an observer may see it; NULL: the item is not shown. */
typedef json_t *value_open_fn(const json_t *item, const void *arg);

/* A copy of an array, or of an object as a map, with the items that `open`
 * returns.  In an array, null has the place of an item that is not shown. */
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

/* The address or the host in a field with this key, without its secrets. */
json_t *value_open_address(const char *key, const char *text);
