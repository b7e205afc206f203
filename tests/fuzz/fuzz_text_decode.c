/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of any kind as DVB text, and the result encoded again in the table that
 * the last byte names. */
#include "common/base/utf8.h"
#include "proto/si/text.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT_UTF8_SIZE(ROOM)], again[sizeof text];
	uint8_t bytes[ROOM];
	unsigned table;
	size_t n;

	if (size < 1 || size >= ROOM)
		return 0;
	table = data[--size] % (TEXT_UTF8 + 1);
	n = text_decode(data, size, text, sizeof text);
	if (n >= TEXT_UTF8_SIZE(size) || strlen(text) != n ||
	    !utf8_is_valid(text, n))
		abort();
	if (!text_table_ok(table))
		return 0;
	n = text_encode(text, table, bytes, size + 1, NULL);
	if (n > size + 1)
		abort();
	n = text_decode(bytes, n, again, sizeof again);
	if (!utf8_is_valid(again, n))
		abort();
	return 0;
}
