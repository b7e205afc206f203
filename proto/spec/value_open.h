/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values of the configuration as an observer receives them with
 * observer_redact: the rules that the service and sluicectl share.
 *
 * Functions return a new reference.
 */
#pragma once

#include <jansson.h>

/* NULL: the item is not shown. */
typedef json_t *value_open_fn(const json_t *item, const void *arg);

/* A copy of an array, or of an object as a map, with the items that `open`
 * returns.  In an array, null has the place of an item that is not shown. */
json_t *value_open_items(const json_t *items, value_open_fn *open,
			 const void *arg);

/* A text, number or boolean as it is; NULL for any other value. */
value_open_fn value_open_scalar;

/* The same of a number or a boolean, or of a text that a field reads as one. */
value_open_fn value_open_number;

/* An array: each of its items, as value_open_items().  Any other value:
 * open() of it. */
json_t *value_open_each(const json_t *value, value_open_fn *open,
			const void *arg);

/* The address or the host in a field with this key, without its secrets. */
json_t *value_open_address(const char *key, const char *text);
