/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The packets of a CAM in a slot that belongs to no tuner: packets that are
 * written to its device can be read later, descrambled and in the same order.
 *
 * The device is adapterN/ciM (drivers of vendors) or secM.  A thread opens it,
 * because open() may block in the driver, and opens it again after an error.
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
	struct errmsg error; /* why it is not open; "": it is open or being
			      * opened */
	char forbidden[CI_STREAM_PATH]; /* path whose open() failed with EACCES;
					 * "": none */
};

struct ci_stream_config {
	const char *root; /* "/dev/dvb" */
	int adapter, device;
	const struct dvb_ops *ops;
	void *ctx;        /* argument of ops; must outlive the thread */
};

struct ci_stream;

/* Starts the thread.  NULL with *ret_err if no thread can be started. */
struct ci_stream *ci_stream_new(const struct ci_stream_config *, int *ret_err);

/* Waits some seconds for the thread to end.  A thread that hangs in a driver is
 * left behind. */
void ci_stream_free(struct ci_stream **);

void ci_stream_get(struct ci_stream *, struct ci_stream_state *ret);

/* Closes the device and opens it again a second later. */
void ci_stream_reopen(struct ci_stream *);

/* Write or read packets.  Return the number of bytes, which may end inside a
 * packet; 0: the device is not ready for it now; -ENODEV: the device is not
 * open; another -errno: the device failed and is opened again. */
ssize_t ci_stream_write(struct ci_stream *, const void *data, size_t size);
ssize_t ci_stream_read(struct ci_stream *, void *ret, size_t size);
