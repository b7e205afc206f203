/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds probable typing errors: unknown keys, and enabled streams that cannot
 * run.
 *
 * They are warnings, because other programs may store keys of their own.  Pure.
 */
#pragma once

#include "master/config/check.h"

#include <jansson.h>

/* Reports unknown keys of the document, and of its settings, auth, log,
 * streams, softcams, CAS entries, adapters, servers, categories and groups of
 * categories.  A key that begins with '_' is a remark, and never unknown. */
void unknown_keys_find(const json_t *document, check_found_fn *found,
		       void *arg);

/* Reports enabled streams that cannot run. */
void idle_streams_find(const json_t *document, check_found_fn *found,
		       void *arg);

/* Reports unknown keys of an entry of softcam, cas, dvb_tune, servers or
 * categories. */
void unknown_keys_find_entry(const struct check_entry *, check_found_fn *found,
			     void *arg);

/* Reports unknown keys of a stream object at path, and why it cannot run if it
 * is enabled. */
void unknown_keys_find_stream(const json_t *stream, const char *path,
			      check_found_fn *found, void *arg);
