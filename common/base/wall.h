/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock on the wall, CLOCK_REALTIME, since 1970: to be told, and to be
 * compared with what others tell.  It jumps; common/base/mono.h
 * is the clock for delays. */
#pragma once

#include <stdint.h>

uint64_t wall_ns(void);
uint64_t wall_ms(void);
