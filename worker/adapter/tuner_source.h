/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An adapter that is a tuner: receives from a frontend of the DVB API. */
#pragma once

#include "worker/adapter/source.h"

/* Folder of the DVB devices. */
#define DVB_FOLDER "/dev/dvb"

struct dvb_ops;

source_open_fn tuner_source_open;

/* Makes the source of a tuner with these system calls on devices; for tests. */
struct source *tuner_source_new(const json_t *adapter,
				const struct dvb_ops *, void *ctx);
