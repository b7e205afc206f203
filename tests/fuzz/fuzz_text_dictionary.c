/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of any kind as a dictionary, up to the first byte 0, and as a text that
 * is compressed by it: the dictionary is refused with a sentence, or the text
 * is UTF-8 without control characters and stays in bounds.
 */
#include "common/base/utf8.h"
#include "proto/si/text_dictionary.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 255 };

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void decode(const struct text_dictionary *d, const uint8_t *data,
		   size_t len, size_t size)
{
	char *text = malloc(size);
	size_t n = text_dictionary_decode(d, data, len, text, size);

	check(n < size && strlen(text) == n && utf8_is_valid(text, n));
	for (size_t i = 0; i < n; i++)
		check((unsigned char)text[i] >= ' ' || text[i] == '\n');
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, 0, size);
	size_t len = end != NULL ? (size_t)(end - data) : size;
	struct errmsg error = { "" };
	struct text_dictionary *d;
	uint8_t *text;

	if (size == 0)
		return 0;
	d = text_dictionary_parse((const char *)data, len, &error);
	check((d == NULL) == (error.text[0] != '\0'));
	size -= end != NULL ? len + 1 : len;
	if (size > TEXT_MAX)
		size = TEXT_MAX;
	/* memory of its own size: a byte too far is seen */
	text = malloc(size + 1);
	text[0] = 0x1f;
	memcpy(text + 1, data + (end != NULL ? len + 1 : 0),
	       end != NULL ? size : 0);
	size = end != NULL ? size + 1 : 1;
	decode(d, text, size, TEXT_INFLATED_SIZE(TEXT_MAX + 1));
	decode(d, text, size, 7);
	free(text);
	text_dictionary_free(&d);
	return 0;
}
