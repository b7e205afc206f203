/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of any kind as a section of an SDT: the names of services are UTF-8.
 */
#include "common/base/utf8.h"
#include "tests/fuzz/fuzz.h"
#include "worker/epg/guide.h"
#include "worker/ts/section.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 11, CRC = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct guide *g;
	static const uint16_t numbers[] = { 1, 2, 3 };
	uint8_t *section;

	if (g == NULL) {
		g = guide_new(&(struct guide_limits){
			.services = 3, .days = 1, .bytes = 1 << 20 });
		guide_set_programs(g, "a", numbers, 3);
	}
	if (size < HEADER + CRC || size > SECTION_PSI_MAX)
		return 0;
	/* memory of its own size: a byte too far is seen */
	section = malloc(size);
	memcpy(section, data, size);
	section[0] = 0x42;
	section[1] = (uint8_t)(0xf0 | (size - 3) >> 8);
	section[2] = (uint8_t)(size - 3);
	section[5] |= 1;
	(void)guide_take_sdt(g, "a", section, size);
	for (uint16_t i = 1; i <= 3; i++) {
		const char *name = guide_service_name(g, "a", i);

		if (name != NULL && !utf8_is_valid(name, strlen(name)))
			abort();
	}
	free(section);
	return 0;
}
