/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any value of a Range header, for a body of a length in its first byte. */
#include "proto/wire/http_range.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t start = 0, end = 0, len;
	char *text;

	if (size == 0)
		return 0;
	len = data[0];
	text = strndup((const char *)data + 1, size - 1);
	switch (http_range_read(text, len, &start, &end)) {
	case HTTP_RANGE_PART:
		if (start >= end || end > len)
			abort();
		break;
	case HTTP_RANGE_WHOLE:
	case HTTP_RANGE_NONE:
		if (start != 0 || end != 0)
			abort();
	}
	free(text);
	return 0;
}
