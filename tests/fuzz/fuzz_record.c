/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of any kind as a section of any table, with all its descriptors: the
 * record is JSON that can be written and stays in bounds.
 */
#include "common/base/crc32.h"
#include "tests/fuzz/fuzz.h"
#include "worker/si/record.h"

#include <stdlib.h>
#include <string.h>

enum { SECTION = 4096, TOT = 0x73 };

/* Values that a random search would not find: a right length and CRC_32. */
static void mend(uint8_t *section, size_t len)
{
	section[1] = (uint8_t)((section[1] & 0xf0) | (len - 3) >> 8);
	section[2] = (uint8_t)(len - 3);
	if (section[0] == TOT && len > 7) {
		uint32_t crc = crc32_mpeg(section, len - 4);

		for (size_t i = 0; i < 4; i++)
			section[len - 4 + i] = (uint8_t)(crc >> (24 - 8 * i));
	} else {
		section[1] |= 0x80;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *section;
	json_t *record;
	char *text;

	if (size < 3 || size > SECTION)
		return 0;
	/* memory of its own size: a byte too far is seen */
	section = malloc(size);
	memcpy(section, data, size);
	mend(section, size);
	record = si_record(section, size, 17);
	if (record != NULL) {
		text = json_dumps(record, JSON_COMPACT);
		if (text == NULL || strlen(text) > size * 160 + 400 ||
		    !json_is_string(json_object_get(record, "psi")))
			abort();
		free(text);
	}
	json_decref(record);
	free(section);
	return 0;
}
