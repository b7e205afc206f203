/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text, such as JSON, in a memfd, which can be passed to another process. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stddef.h>

/* Opens an empty memfd, close-on-exec.  Returns it or -errno. */
int memfd_open(const char *name) MUST_CHECK;

/* Replaces the content; 0 or -errno. */
int memfd_write(int fd, const char *text, size_t len) MUST_CHECK;

/* Parses the content with document_parse(); a new reference, or NULL with
 * error. */
json_t *memfd_read_json(int fd, struct errmsg *error);
