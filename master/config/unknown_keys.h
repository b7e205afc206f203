/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Probable typing errors: keys without a meaning, and enabled streams that
 * cannot run.
 *
 * They are warnings: other programs may store keys of their own.  Pure.
 */
#pragma once

#include "master/config/check.h"

#include <jansson.h>

/* Keys without a meaning, also of streams, softcams, CAS entries, adapters,
 * servers, categories and their groups.  A key that begins with '_' is a
 * remark and known. */
void unknown_keys_find(const json_t *document, check_found_fn *found,
		       void *arg);

/* Enabled streams that cannot run. */
void idle_streams_find(const json_t *document, check_found_fn *found,
		       void *arg);

/* The keys of an entry of softcam, cas, dvb_tune, servers or categories. */
void unknown_keys_find_entry(const struct check_entry *, check_found_fn *found,
			     void *arg);

/* Both for one stream object at path. */
void unknown_keys_find_stream(const json_t *stream, const char *path,
			      check_found_fn *found, void *arg);
