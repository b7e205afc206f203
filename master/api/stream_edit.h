/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What set-stream does to the object it was given.  Pure. */
#pragma once

#include "common/base/util.h"

#include <jansson.h>

enum {
	GID_FIRST = 466560, /* "a000" */
	GID_TEXT_MAX = 16,
};

/*
 * The next version of each table.  spts: pmt_version and sdt_version are 1 when
 * absent; mpts: pat_, cat_, sdt_ and nit_version are 0; else one more, modulo
 * 32.
 */
void stream_edit_versions(json_t *stream);

/* Base 36, lower case; gid >= 0. */
void gid_format(json_int_t gid, char text[GID_TEXT_MAX]);
