/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A frontend and its demultiplexer, in a thread of its own, because any call
 * may block in the driver, for seconds or for ever.
 *
 * The thread opens the devices, switches the LNB, tunes, starts the filters and
 * measures.  It reopens a device that was removed or busy.  The owner reads
 * packets and states, and decides with tuner_watch when the thread shall tune
 * or open again.  Of the functions that it calls, only dvb_tuner_free() waits
 * for the thread.
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
	DVB_RETUNE, /* switch the LNB and tune again */
	DVB_REOPEN, /* close and open the devices */
	DVB_POWER,  /* turn the LNB off for a second, then tune again */
};

struct dvb_state {
	bool taken;        /* the frontend is open */
	int adapter;       /* number of the adapter; 0 before the first
			    * opening */
	bool tuned;        /* the driver accepted the tuning */
	bool absent;       /* there is no such device */
	char forbidden[DVB_PATH_MAX]; /* path whose open() failed with EACCES;
				       * "": none */
	unsigned tunes;    /* number of tunings that the driver accepted */
	uint64_t tuned_ns; /* time of the last accepted tuning */
	struct dvb_signal signal;
	struct errmsg error; /* why it is not tuned; "": no error */
	const char *call;    /* system call that the thread is in; NULL: none */
	uint64_t call_ns;    /* start time of `call' */
	bool whole;          /* receives all PIDs of the multiplex */
	unsigned refused;    /* number of PIDs that have no filter */
	int whole_error;     /* errno with which the driver refused DVB_PID_ALL;
			      * 0: it did not */
};

struct dvb_tuner;

struct dvb_tuner_config {
	const char *root; /* "/dev/dvb" */
	const struct tuner_spec *spec; /* copied */
	const struct dvb_ops *ops;
	void *ctx; /* argument of ops; must outlive the thread */
};

/* Starts the thread.  NULL with *ret_err if no thread can be started. */
struct dvb_tuner *dvb_tuner_new(const struct dvb_tuner_config *,
				int *ret_err);

/* Waits some seconds for the thread to end.  A thread that hangs in a driver is
 * left behind. */
void dvb_tuner_free(struct dvb_tuner **);

void dvb_tuner_get(struct dvb_tuner *, struct dvb_state *ret);

void dvb_tuner_request(struct dvb_tuner *, enum dvb_request);

/* Sets another spec.  If it names the same device, the device stays open. */
void dvb_tuner_set(struct dvb_tuner *, const struct tuner_spec *);

/* Sets the PIDs to receive while the device does not receive all PIDs
 * (dvb_state.whole).  PIDs after the first DVB_PIDS_MAX then are not received,
 * and count as refused. */
void dvb_tuner_want(struct dvb_tuner *, const uint16_t *pids, size_t n);

/* Reads packets that wait and returns their bytes; 0: none wait; -EOVERFLOW:
 * the kernel dropped packets; -ENODEV: the device was removed.  *ret_tunes:
 * dvb_state.tunes of the tuning that the packets are from. */
ssize_t dvb_tuner_read(struct dvb_tuner *, void *ret, size_t size,
		       unsigned *ret_tunes);
