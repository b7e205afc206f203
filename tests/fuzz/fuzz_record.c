/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of any kind as a section of any table, with all its descriptors: the
 * record is JSON that can be written, stays in bounds and gives the same bytes
 * again.
 */
#include "common/base/crc32.h"
#include "proto/si/record.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { SECTION = 4096, TOT = 0x73, SPLICE = 0xfc };

/* Values that a random search would not find: a right length and CRC_32. */
static void mend(uint8_t *section, size_t len)
{
	section[1] = (uint8_t)((section[1] & 0xf0) | (len - 3) >> 8);
	section[2] = (uint8_t)(len - 3);
	if ((section[0] == TOT || section[0] == SPLICE) && len > 7) {
		uint32_t crc = crc32_mpeg(section, len - 4);

		for (size_t i = 0; i < 4; i++)
			section[len - 4 + i] = (uint8_t)(crc >> (24 - 8 * i));
	} else {
		section[1] |= 0x80;
	}
}

static void write_again(const json_t *record, const uint8_t *section,
			size_t len)
{
	uint8_t again[SI_RECORD_BYTES];
	size_t n;

	if (si_record_encode(record, again, &n, NULL) < 0 || n != len ||
	    memcmp(again, section, len) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *section;
	json_t *record;

	if (size < 3 || size > SECTION)
		return 0;
	/* memory of its own size: a byte too far is seen */
	section = malloc(size);
	memcpy(section, data, size);
	mend(section, size);
	record = si_record(section, size, 17);
	if (record != NULL) {
		/* without memory it is the length alone */
		size_t len = json_dumpb(record, NULL, 0, JSON_COMPACT);

		if (len == 0 || len > size * 170 + 400 ||
		    !json_is_string(json_object_get(record, "psi")))
			abort();
		write_again(record, section, size);
	}
	json_decref(record);
	free(section);
	return 0;
}
