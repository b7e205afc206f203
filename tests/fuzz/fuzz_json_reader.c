/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of any kind as JSON: the reader of messages accepts what jansson
 * accepts, and finds the same values. */
#include "common/base/alloc.h"
#include "proto/wire/json_reader.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* Returns the value of the text, a new reference; NULL: an error. */
static json_t *read_text(const uint8_t *data, size_t size)
{
	char *copy = xmalloc(size + 1);
	struct json_reader r;
	json_t *tree;

	memcpy(copy, data, size);
	copy[size] = '\0';
	json_reader_init(&r, copy, size);
	tree = json_read_tree(&r);
	json_read_end(&r);
	if (r.error != NULL) {
		json_decref(tree);
		tree = NULL;
	}
	free(copy);
	return tree;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *ours, *theirs;

	/* jansson accepts one behind a digit, and the reader none */
	if (size > 0 && memchr(data, '\0', size) != NULL)
		return 0;
	ours = read_text(data, size);
	theirs = json_loadb((const char *)data, size,
			    JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
	if ((ours == NULL) != (theirs == NULL) ||
	    (ours != NULL && !json_equal(ours, theirs)))
		abort();
	json_decref(ours);
	json_decref(theirs);
	return 0;
}
