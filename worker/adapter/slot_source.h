/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An adapter whose packets pass through a CAM in a slot that belongs to no
 * tuner.  While the slot cannot be used or returns no packets, the packets
 * bypass it. */
#pragma once

#include "worker/adapter/source.h"

struct dvb_ops;

/* Does the configuration name a slot for a CAM that belongs to no tuner? */
bool slot_source_is(const json_t *adapter);

/* Makes a source around inner, which it owns.  ops and ctx: the system calls
 * for the devices of the slot. */
struct source *slot_source_new(const json_t *adapter, struct source *inner,
			       const struct dvb_ops *, void *ctx);
