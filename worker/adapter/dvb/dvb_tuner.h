/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A frontend and its demultiplexer, in a thread of its own: any call may wait
 * in the driver, for seconds or for ever.
 *
 * The thread opens the devices, switches the LNB, tunes, starts the filters and
 * measures; it opens a device again that is gone or busy.  The owner reads
 * packets and states, and requests another step when packets are missing: it
 * knows when that is.  No function of the owner waits for the thread.
 *
 * Owns the descriptors and the thread.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/tuner_spec.h"
#include "worker/adapter/dvb/dvb_device.h"
#include "worker/adapter/dvb/dvb_signal.h"

#include <stdbool.h>
#include <stdint.h>

enum dvb_request {
	DVB_RETUNE, /* switches and tunes again */
	DVB_REOPEN, /* closes and opens the devices */
	DVB_POWER,  /* turns the LNB off for a while, then DVB_RETUNE */
};

struct dvb_state {
	bool taken;        /* the frontend is open */
	int adapter;       /* the number of the adapter; 0: not opened yet */
	bool tuned;        /* the driver accepted the tuning */
	bool absent;       /* there is no such device */
	char forbidden[DVB_PATH_MAX]; /* path whose open() failed with EACCES;
				       * "": none */
	unsigned tunes;    /* tunings that were accepted */
	uint64_t tuned_ns; /* time of the last one */
	struct dvb_signal signal;
	struct errmsg error; /* why it is not tuned; "": no error */
	const char *call;    /* the call that runs; NULL: none */
	uint64_t call_ns;    /* its start */
	bool whole;          /* receives all PIDs */
	unsigned refused;    /* PIDs that have no filter */
	int whole_error;     /* errno: the driver refuses the whole; or 0 */
};

struct dvb_tuner;

struct dvb_tuner_config {
	const char *root; /* "/dev/dvb" */
	const struct tuner_spec *spec; /* copied */
	const struct dvb_ops *ops;
	void *ctx; /* of ops; outlives the thread */
};

/* Starts the thread.  NULL with *ret_err if no thread can be started. */
struct dvb_tuner *dvb_tuner_new(const struct dvb_tuner_config *,
				int *ret_err);

/* Waits some seconds for the thread, and leaves it behind if a driver does not
 * return. */
void dvb_tuner_free(struct dvb_tuner **);

void dvb_tuner_get(struct dvb_tuner *, struct dvb_state *ret);

void dvb_tuner_request(struct dvb_tuner *, enum dvb_request);

/* Sets another tuning of the same device; the device stays open. */
void dvb_tuner_set(struct dvb_tuner *, const struct tuner_spec *);

/* The PIDs to receive where the driver refuses DVB_PID_ALL.  n: how many there
 * are; those after DVB_PIDS_MAX are not read, and count as refused. */
void dvb_tuner_want(struct dvb_tuner *, const uint16_t *pids, size_t n);

/* Bytes of packets that wait; 0: none; -EOVERFLOW: the kernel dropped those
 * that waited; -ENODEV: the device is gone.  ret_tunes: dvb_state.tunes, of
 * these packets. */
ssize_t dvb_tuner_read(struct dvb_tuner *, void *ret, size_t size,
		       unsigned *ret_tunes);
