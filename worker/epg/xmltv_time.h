/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dates of XMLTV. */
#pragma once

#include "common/base/util.h"

#include <stdint.h>

/* "20261126201500 +0100": a date, a time of 0, 2, 4 or 6 digits, and the offset
 * from UTC, or "UTC", "GMT", "Z"; UTC without it.  0, or -EINVAL: it is no
 * date, or not between 1970 and 2105. */
int xmltv_time_parse(const char *text, int64_t *ret_s) MUST_CHECK;
