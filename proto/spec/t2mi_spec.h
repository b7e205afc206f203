/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of an adapter whose multiplex carries T2-MI (ETSI TS 102 773): the
 * packets of the adapter are those of a PLP.
 *
 * Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/field.h"

#include <jansson.h>
#include <stdbool.h>

enum {
	T2MI_PID = 4096, /* that modulator gateways send by default */
	T2MI_PID_MIN = 32,
	T2MI_PID_MAX = 8190,
	T2MI_PLP_MAX = 255,
	T2MI_FIRST_PLP = 256, /* of no PLP: that of the first frame */
};

struct t2mi_spec {
	bool t2mi; /* false: the multiplex is not decapsulated */
	unsigned pid, plp;
};

extern const struct field_table t2mi_fields;

/* Reads the keys of T2-MI.  0, or -EINVAL with error, which names the key. */
int t2mi_spec_parse(const json_t *adapter, struct t2mi_spec *ret,
		    struct errmsg *error) MUST_CHECK;

/* Do two adapters have the same T2-MI, of the same tuning?  Keys that change
 * neither, such as timeout, do not count. */
bool t2mi_spec_is_same(const json_t *, const json_t *);

/* Adds the keys that t2mi_spec_parse() reads to an object. */
void t2mi_spec_copy(const json_t *adapter, json_t *to);
