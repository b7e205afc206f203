/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Translates a tuner spec into the list of DVB API properties that tunes to it.
 * Pure. */
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

/* Makes the list for one FE_SET_PROPERTY: the system is first and DTV_TUNE is
 * last.  DTV_CLEAR goes before it, in a call of its own. */
void dvb_props_make(const struct tuner_spec *, struct dvb_props *ret);

/* Removes a property; nothing if the list does not have it. */
void dvb_props_drop(struct dvb_props *, uint32_t cmd);
