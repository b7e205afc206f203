/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a scan of an adapter opens, and which adapter of the configuration has
 * the same frontend.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>

struct api;

/* Judges {adapter, search, grid}; the same with the keys that the worker reads
 * only, a new object; NULL with error, which names the key. */
json_t *scan_target_read(const json_t *scan, struct errmsg *error);

/* The enabled adapter that has the frontend of the scan, and the streams that
 * it feeds, as a sentence in error; false: none has. */
bool scan_target_is_taken(const struct api *, const json_t *target,
			  struct errmsg *error);

/* Does the tuner that feeds the LNB of the scan, if another one does, select
 * its band and polarization?  False with error. */
bool scan_target_fits(const struct api *, const json_t *target,
		      struct errmsg *error);

/* Do two scans need the same frontend? */
bool scan_target_is_same(const json_t *a, const json_t *b);
