/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the number of the adapter that the configuration names: by number, by
 * the path of the hardware (`path') or by the hardware address (`mac'). */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

struct dvb_device;
struct tuner_spec;

/* Returns the number of the adapter; -ENODEV: there is no such adapter now;
 * another -errno: the spec has a `mac', and the addresses of the adapters
 * cannot be read.  Reads links of /sys, and the interfaces dvbN_0 of adapters;
 * opens no device. */
int dvb_place_find(const struct dvb_device *, const struct tuner_spec *,
		   struct errmsg *error) MUST_CHECK;
