/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON in a memfd: what outlives a process. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stddef.h>

/* Empty, close-on-exec; or -errno. */
int memfd_open(const char *name) MUST_CHECK;

/* In the place of what was there; 0 or -errno. */
int memfd_write(int fd, const char *text, size_t len) MUST_CHECK;

/* All of it, judged as document_parse() does; a new reference, or NULL with
 * why. */
json_t *memfd_read_json(int fd, struct errmsg *why);
