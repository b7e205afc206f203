/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The packets of a slot for a CAM that belongs to no tuner: what is written to
 * its device returns later, descrambled and in the same order.
 *
 * The device is adapterN/ciM (the trees of vendors) or secM.  A thread opens
 * it, because a driver may not return from that, and again when it is gone.
 * The owner writes and reads packets without waiting.
 *
 * Owns the descriptor and the thread.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "worker/adapter/dvb/dvb_ops.h"

#include <stdbool.h>
#include <stdint.h>

enum { CI_STREAM_PATH = 128 };

struct ci_stream_state {
	bool open;
	bool absent;         /* there is no such device */
	struct errmsg error; /* why it is not open; "": it is, or opens */
	char forbidden[CI_STREAM_PATH]; /* path whose open() failed with EACCES;
					 * "": none */
};

struct ci_stream_config {
	const char *root; /* "/dev/dvb" */
	int adapter, device;
	const struct dvb_ops *ops;
	void *ctx;        /* of ops; outlives the thread */
};

struct ci_stream;

/* Starts the thread.  NULL with *ret_err if no thread can be started. */
struct ci_stream *ci_stream_new(const struct ci_stream_config *, int *ret_err);

/* Waits some seconds for the thread, and leaves it behind if a driver does not
 * return. */
void ci_stream_free(struct ci_stream **);

void ci_stream_get(struct ci_stream *, struct ci_stream_state *ret);

/* Closes the device, and opens it again a moment later. */
void ci_stream_reopen(struct ci_stream *);

/* Write or read whole packets.  Return the bytes; 0: nothing is possible now;
 * -ENODEV: the device is not open.  After another error the device is opened
 * again. */
ssize_t ci_stream_write(struct ci_stream *, const void *data, size_t size);
ssize_t ci_stream_read(struct ci_stream *, void *ret, size_t size);
