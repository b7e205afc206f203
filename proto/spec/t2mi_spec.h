/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of an adapter whose multiplex carries T2-MI (ETSI TS 102 773).
 * Streams then read the transport stream in a PLP from the adapter.
 *
 * Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/field.h"

#include <jansson.h>
#include <stdbool.h>

enum {
	T2MI_PID = 4096, /* default of gateways for modulators */
	T2MI_PID_MIN = 32,
	T2MI_PID_MAX = 8190,
	T2MI_PLP_MAX = 255,
	T2MI_FIRST_PLP = 256, /* no number of a PLP: selects the PLP of the
			       * first baseband frame that arrives */
};

struct t2mi_spec {
	bool t2mi; /* false: the multiplex is not decapsulated */
	unsigned pid, plp;
};

extern const struct field_table t2mi_fields;

/* Reads the keys of T2-MI.  0, or -EINVAL with error, which names the key. */
int t2mi_spec_parse(const json_t *adapter, struct t2mi_spec *ret,
		    struct errmsg *error) MUST_CHECK;

/* Do two adapters have the same tuning and the same keys of T2-MI?  Keys that
 * affect neither, such as timeout, are not compared. */
bool t2mi_spec_is_same(const json_t *, const json_t *);

/* Adds the keys that t2mi_spec_parse() reads to an object. */
void t2mi_spec_copy(const json_t *adapter, json_t *to);
