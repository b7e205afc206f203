/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds an entry of a list of the document, such as a stream by its id. */
#pragma once

#include <jansson.h>
#include <stddef.h>

/* Returns the index of the first entry, from start on, whose key has this text;
 * the length of the list: none, or text is NULL. */
size_t entry_place(const json_t *list, size_t start, const char *key,
		   const char *text);

/* Returns the first entry whose key has this text, borrowed; NULL: none. */
const json_t *entry_find(const json_t *list, const char *key,
			 const char *text);
