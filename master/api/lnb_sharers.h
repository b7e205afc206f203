/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a change of the adapters does to tuners that share an LNB: another
 * tuner feeds it, and one that needs another band or polarization is stopped.
 *
 * Lists are those of the section `dvb_tune'.
 */
#pragma once

#include "common/base/errmsg.h"

#include <jansson.h>

/* The enabled adapters of the list that do not fit the tuner that feeds their
 * LNB, a new object: the reason, a sentence, by the id. */
json_t *lnb_sharers_misfits(const json_t *list);

/* Those that run with the list `before' and do not fit with the list `after',
 * as lnb_sharers_misfits(). */
json_t *lnb_sharers_stopped(const json_t *before, const json_t *after);

/* Writes another id of a feeder into the lnb_adapter of its sharers: their
 * places in the list get copies.  Returns the copies, a new list. */
json_t *lnb_sharers_rename(json_t *list, const char *from, const char *to);

/* The sharers that name the feeder in lnb_adapter, a new list of their ids. */
json_t *lnb_sharers_of(const json_t *list, const char *feeder);

/* Logs the adapters of `now' that stop for a reason that `before' lacks. */
void lnb_sharers_log(const json_t *before, const json_t *now);
