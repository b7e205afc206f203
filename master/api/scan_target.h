/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frontend that a scan of an adapter opens: judges the request, and finds
 * the adapter of the configuration that has the same frontend.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>

struct api;

/* Judges {adapter, search, grid} of a request.  Returns the target, a new
 * object with only the keys that the worker reads; NULL with error, which names
 * the key. */
json_t *scan_target_read(const json_t *scan, struct errmsg *error);

/* True: an enabled adapter has the frontend of the scan; error names this
 * adapter and the streams that read it. */
bool scan_target_is_taken(const struct api *, const json_t *target,
			  struct errmsg *error);

/* True: the scan needs no tuner, its tuner shares the LNB with no other tuner,
 * or the other tuner selects the band and polarization that the scan needs.
 * False with error. */
bool scan_target_fits(const struct api *, const json_t *target,
		      struct errmsg *error);

/* True: two scans need the same frontend. */
bool scan_target_is_same(const json_t *a, const json_t *b);
