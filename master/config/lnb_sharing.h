/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tuners that share an LNB: one feeds and switches it, the others (lnb_sharing)
 * send nothing, and receive only the band and the polarization that it selects.
 *
 * Pure.
 */
#pragma once

#include "common/base/errmsg.h"

#include <jansson.h>
#include <stdbool.h>

/*
 * True: an adapter can receive its transponder together with the adapters of
 * the list.  False: its feeder selects something else; error names the key.
 * The feeder is the enabled tuner with the id lnb_adapter; without that key,
 * it is the only enabled satellite tuner without lnb_sharing that has the same
 * adapter number (none if path or mac names one of both).  True if there is no
 * such feeder, with unicable, and without lnb_sharing.  An entry of the list
 * with the id of the adapter is an older version of it and is ignored.
 */
bool lnb_sharing_fits(const json_t *adapters, const json_t *adapter,
		      struct errmsg *error);

/* True: lnb_adapter names an adapter that is not in the list; error names the
 * key.  The adapter runs nevertheless. */
bool lnb_sharing_lacks(const json_t *adapters, const json_t *adapter,
		       struct errmsg *error);
