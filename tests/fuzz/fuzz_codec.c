/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text of any kind as the record of a section that an operator writes: it is
 * refused with a sentence, or its section is read as a record that gives the
 * same section.
 */
#include "proto/si/record.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void check(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t section[SI_RECORD_BYTES], again[SI_RECORD_BYTES];
	json_t *record = json_loadb((const char *)data, size, 0, NULL), *made;
	struct errmsg error = { "" };
	size_t len, n;

	if (record != NULL &&
	    si_record_encode(record, section, &len, &error) == 0) {
		check(len <= sizeof section);
		made = si_record(section, len, 17);
		check(made != NULL &&
		      si_record_encode(made, again, &n, NULL) == 0);
		check(n == len && memcmp(section, again, n) == 0);
		json_decref(made);
	} else if (record != NULL) {
		check(error.text[0] != '\0');
	}
	json_decref(record);
	return 0;
}
