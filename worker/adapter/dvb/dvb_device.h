/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A frontend with its demultiplexer and dvr device.
 *
 * Every function may block in the driver.  Owns the descriptors.  An error is a
 * sentence for the operator.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/tuner_spec.h"
#include "worker/adapter/dvb/dvb_ops.h"
#include "worker/adapter/dvb/dvb_signal.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	/* pseudo PID of a filter that passes all packets of the multiplex */
	DVB_PID_ALL = 0x2000,
	/* Size of the dvr buffer in bytes: whole packets of 188 bytes, nearly 4
	 * MiB, which arrive between two reads. */
	DVB_BUFFER = 22310 * 188,
	DVB_PIDS_MAX = 128,
	DVB_PATH_MAX = 128,
	/* errno value without a name in libc: the driver lacks the call */
	DVB_ENOTSUPP = 524,
};

struct dvb_filter {
	int fd;
	uint16_t pid;
};

struct dvb_device {
	const struct dvb_ops *ops;
	void *ctx;
	const char *root; /* "/dev/dvb" */
	/* Is called with the name of a call before it begins, and with NULL
	 * after it has returned.  May be NULL. */
	void (*on_call)(const char *name, void *arg);
	void *arg;
	int adapter;       /* number of the adapter at the last opening */
	char forbidden[DVB_PATH_MAX]; /* path whose open() failed with EACCES;
				       * "": none */
	int hotplug;       /* descriptor of hotplug_open(), of the owner;
			    * negative: none */
	int frontend, dvr; /* -1: closed */
	char demux[DVB_PATH_MAX];
	char name[128];    /* of the frontend, as the driver reports it */
	bool whole;        /* all packets are received, with the filter
			    * DVB_PID_ALL */
	size_t n_filters;
	struct dvb_filter filters[DVB_PIDS_MAX];
	unsigned refused;  /* number of PIDs for which no filter was free */
	bool lacks[4];     /* calls of API 3 that the driver lacks, by
			    * OLD_STRENGTH, OLD_SNR, OLD_BER and OLD_UNC */
};

/* Prepares the device; opens nothing.  The caller has set the members before
 * `frontend'. */
void dvb_device_init(struct dvb_device *);

/* Opens the devices and checks that the frontend has the system of the spec.  0
 * or -errno. */
int dvb_device_open(struct dvb_device *, const struct tuner_spec *,
		    struct errmsg *error) MUST_CHECK;
void dvb_device_close(struct dvb_device *);

/* Switches the LNB and tunes.  0, or -errno with error. */
int dvb_device_tune(struct dvb_device *, const struct tuner_spec *,
		    struct errmsg *error) MUST_CHECK;

/* Turns the voltage of the LNB off and waits one second.  The next
 * dvb_device_tune() turns it on. */
void dvb_device_power_cycle(struct dvb_device *);

/* Receives all packets.  -errno: the driver refuses, and the previous filters
 * run again.  The attempt may interrupt reception: of the last PID if the
 * hardware has no free filter, or of all PIDs if the driver refuses DVB_PID_ALL
 * for another reason, because some drivers accept it only without other
 * filters. */
int dvb_device_receive_all(struct dvb_device *) MUST_CHECK;

/* Receives these PIDs (without duplicates) and no others.  If the hardware has
 * too few filters, receives those that already have a filter and the first of
 * the others; `refused' counts the PIDs that are not received. */
void dvb_device_receive(struct dvb_device *, const uint16_t *pids, size_t n);

/* Removes all filters, so that no packet of the previous tuning arrives. */
void dvb_device_stop(struct dvb_device *);

/* Reads the status of the frontend; with `all', also the statistics.  0 or
 * -errno. */
int dvb_device_measure(struct dvb_device *, bool all,
		       struct dvb_stats *ret) MUST_CHECK;
