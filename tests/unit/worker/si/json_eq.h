/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON and bytes in the tests of tables. */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Fails the test unless got is what text says, which has ' for ".  Takes
 * got. */
void expect_json(json_t *got, const char *text);

/* The bytes that hex digits (with spaces) stand for; their number. */
size_t from_hex(const char *hex, uint8_t *ret, size_t size);
