/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds an entry of a list of the document, such as a stream by its id. */
#pragma once

#include <jansson.h>
#include <stddef.h>

/* The place of the first entry, at start or behind it, whose key has this text
 * (NULL: no entry has it); the length of the list: none. */
size_t entry_place(const json_t *list, size_t start, const char *key,
		   const char *text);

/* The first entry whose key has this text, borrowed, or NULL. */
const json_t *entry_find(const json_t *list, const char *key,
			 const char *text);
