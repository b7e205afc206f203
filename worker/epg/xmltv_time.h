/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads dates of XMLTV. */
#pragma once

#include "common/base/util.h"

#include <stdint.h>

/* Reads a date: "20261126201500 +0100".  The time has 0, 2, 4 or 6 digits.  The
 * offset from UTC may be "UTC", "GMT" or "Z"; without an offset the time is
 * UTC.  Returns 0, or -EINVAL: the text is not a date, or the date is not
 * between 1970 and February 2106, the range of 32 bits. */
int xmltv_time_parse(const char *text, int64_t *ret_s) MUST_CHECK;
