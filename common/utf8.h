/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is this text UTF-8 (RFC 3629)? */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* No overlong forms, no surrogates, nothing above U+10FFFF, nothing cut.
 * U+0000 is a character like any other. */
bool utf8_is_valid(const void *text, size_t len);
