/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/crc32.h"

/* polynomial 0x04c11db7, four bits at a time: 64 bytes of table */
static const uint32_t nibble[16] = {
	0x00000000, 0x04c11db7, 0x09823b6e, 0x0d4326d9,
	0x130476dc, 0x17c56b6b, 0x1a864db2, 0x1e475005,
	0x2608edb8, 0x22c9f00f, 0x2f8ad6d6, 0x2b4bcb61,
	0x350c9b64, 0x31cd86d3, 0x3c8ea00a, 0x384fbdbd,
};

uint32_t crc32_mpeg(const uint8_t *data, size_t len)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < len; i++) {
		crc ^= (uint32_t)data[i] << 24;
		crc = crc << 4 ^ nibble[crc >> 28];
		crc = crc << 4 ^ nibble[crc >> 28];
	}
	return crc;
}
