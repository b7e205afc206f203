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
 * Can an adapter receive what it names, beside the adapters of the list?  False
 * with an error that names the key.  The tuner that feeds is the enabled one
 * with the id lnb_adapter; without that key, the only enabled satellite tuner
 * that does not share and has the same number of an adapter.  Where there is
 * none such, and for unicable, everything fits.  An entry of the list with the
 * id of the adapter is an older copy of it and does not count.
 */
bool lnb_sharing_fits(const json_t *adapters, const json_t *adapter,
		      struct errmsg *error);

/* Does it name a feeder that is not in the list?  error, which names the key,
 * is then set.  It is run all the same. */
bool lnb_sharing_lacks(const json_t *adapters, const json_t *adapter,
		       struct errmsg *error);
