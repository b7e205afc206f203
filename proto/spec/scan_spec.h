/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the scan of an adapter searches: one transponder, the transponders that
 * its NIT names, or a grid of frequencies.
 *
 * Pure.
 */
#pragma once

#include "common/base/errmsg.h"

#include <jansson.h>
#include <stddef.h>

enum scan_search {
	SCAN_TRANSPONDER,
	SCAN_NETWORK,
	SCAN_BLIND,
};

enum {
	SCAN_SYMBOLRATES_MAX = 8,
	SCAN_STEPS_MAX = 4096,
	/* A scan of a network tunes at most so many transponders. */
	SCAN_NETWORK_MAX = 256,
};

/* The range that a blind scan searches; 0 or "": the key is absent. */
struct scan_grid {
	double from, to, step; /* MHz */
	char polarization[5]; /* letters of V, H, L and R */
	unsigned symbolrates[SCAN_SYMBOLRATES_MAX]; /* ksymbol/s */
	size_t n_symbolrates;
};

struct scan_spec {
	const json_t *adapter; /* borrowed */
	unsigned search;       /* enum scan_search */
	struct scan_grid grid;
	size_t steps;          /* tunings of the grid; 0: no blind scan */
};

/* Reads {adapter, search, grid}; 0, or -EINVAL with an error that names the
 * key.  Does not check the keys of the adapter. */
int scan_spec_parse(const json_t *scan, struct scan_spec *ret,
		    struct errmsg *error) MUST_CHECK;

/* The tuning of step i of the grid, as keys of an adapter; a new object. */
json_t *scan_spec_step(const struct scan_spec *, size_t i);

/* A copy of the adapter in which the keys of `tuning' replace those of its own
 * tuning; a new object. */
json_t *scan_spec_tuned(const json_t *adapter, const json_t *tuning);

/* The adapter with the first tuning of the scan; a new object. */
json_t *scan_spec_first(const struct scan_spec *);
