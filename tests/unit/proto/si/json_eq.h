/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON and bytes in the tests of tables. */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* A value from text, which has ' for ". */
json_t *json_of(const char *text);

/* Fails the test unless got is what text says, which has ' for ".  Takes
 * got. */
void expect_json(json_t *got, const char *text);

/* Decodes hex digits (with spaces); returns the number of bytes. */
size_t from_hex(const char *hex, uint8_t *ret, size_t size);
