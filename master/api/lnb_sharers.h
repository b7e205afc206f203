/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Effects of a change of adapters on tuners that share an LNB.  One of them,
 * the feeder, selects band and polarization; a tuner that needs others is
 * stopped.
 *
 * Lists are those of the section `dvb_tune'.
 */
#pragma once

#include "common/base/errmsg.h"

#include <jansson.h>

/* Returns the enabled adapters that could run, but need another band or
 * polarization than their feeder selects: {id: reason}, a new object. */
json_t *lnb_sharers_misfits(const json_t *list);

/* Returns the adapters that run with the list `before' and must stop with the
 * list `after': {id: reason}, a new object. */
json_t *lnb_sharers_stopped(const json_t *before, const json_t *after);

/* A feeder was renamed from `from' to `to': replaces each adapter in the list
 * that names it in lnb_adapter by a copy with the new id.  Returns the copies,
 * a new list. */
json_t *lnb_sharers_rename(json_t *list, const char *from, const char *to);

/* Returns the ids of the adapters that name the feeder in lnb_adapter, a new
 * list. */
json_t *lnb_sharers_of(const json_t *list, const char *feeder);

/* Logs the adapters of `now' (lnb_sharers_misfits()) whose reason is not in
 * `before'. */
void lnb_sharers_log(const json_t *before, const json_t *now);
