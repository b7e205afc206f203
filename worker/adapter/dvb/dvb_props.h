/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The properties of the DVB API that tune what a spec describes.  Pure. */
#pragma once

#include "proto/spec/tuner_spec.h"

#include <linux/dvb/frontend.h>

enum { DVB_PROPS_MAX = 32 };

struct dvb_props {
	struct dtv_property list[DVB_PROPS_MAX];
	unsigned n;
};

/* The delivery system, enum fe_delivery_system. */
unsigned dvb_props_system(const struct tuner_spec *);

/* The list for one call, after DTV_CLEAR in a call of its own: the system is
 * first and DTV_TUNE is last. */
void dvb_props_make(const struct tuner_spec *, struct dvb_props *ret);

/* Removes a property; nothing if the list does not have it. */
void dvb_props_drop(struct dvb_props *, uint32_t cmd);
