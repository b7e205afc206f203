/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC_32 of PSI and SI sections (ISO/IEC 13818-1 annex A). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The result is 0 over a whole section including its CRC_32 field. */
uint32_t crc32_mpeg(const uint8_t *data, size_t len);
