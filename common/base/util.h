/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Macros for every file. */
#pragma once

#include <stddef.h>

#define container_of(ptr, type, member) \
	((type *)(void *)((char *)(ptr) - offsetof(type, member)))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* The caller must check the return value. */
#define MUST_CHECK __attribute__((warn_unused_result))

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
