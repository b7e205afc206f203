/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the number of the adapter that the configuration names by its number,
 * by the place of the hardware or by its hardware address. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

struct dvb_device;
struct tuner_spec;

/* The number of the adapter, -ENODEV: there is none now, or another -errno: it
 * has a `mac', and those of the adapters cannot be read.  Reads links of
 * /sys, and the interfaces dvbN_0 of adapters; opens no device. */
int dvb_place_find(const struct dvb_device *, const struct tuner_spec *,
		   struct errmsg *error) MUST_CHECK;
