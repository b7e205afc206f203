/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A frontend with its demultiplexer and dvr device.
 *
 * Every function may wait in the driver.  Owns the descriptors.  An error is a
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
	/* All packets of the multiplex. */
	DVB_PID_ALL = 0x2000,
	/* Bytes between two reads: whole packets of 188 bytes, nearly 4 MiB. */
	DVB_BUFFER = 22310 * 188,
	DVB_PIDS_MAX = 128,
	DVB_PATH_MAX = 128,
	/* what errno has no name for: the driver lacks the call */
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
	/* A call begins; NULL: it has returned.  May be NULL. */
	void (*on_call)(const char *name, void *arg);
	void *arg;
	int adapter;       /* its number at the last opening */
	char forbidden[DVB_PATH_MAX]; /* path whose open() failed with EACCES;
				       * "": none */
	int hotplug;       /* of the owner: hotplug_open(); negative: none */
	int frontend, dvr; /* -1: closed */
	char demux[DVB_PATH_MAX];
	char name[128];    /* of the frontend, as the driver says */
	bool whole;        /* the filter is DVB_PID_ALL */
	size_t n_filters;
	struct dvb_filter filters[DVB_PIDS_MAX];
	unsigned refused;  /* PIDs for which no filter was free */
	bool lacks[4];     /* calls of API 3 that the driver lacks */
};

/* Prepares the device, of which the caller has set the members before frontend.
 * Opens nothing. */
void dvb_device_init(struct dvb_device *);

/* Opens the devices and checks that the frontend has the system of the spec.  0
 * or -errno. */
int dvb_device_open(struct dvb_device *, const struct tuner_spec *,
		    struct errmsg *error) MUST_CHECK;
void dvb_device_close(struct dvb_device *);

/* Switches the LNB and tunes.  0, or -errno with error. */
int dvb_device_tune(struct dvb_device *, const struct tuner_spec *,
		    struct errmsg *error) MUST_CHECK;

/* Turns the LNB off for a moment. */
void dvb_device_power_cycle(struct dvb_device *);

/* Receives all packets.  -errno: the driver refuses, and the filters run as
 * before.  On an error there may be a gap: in the last filter if the hardware
 * has no more filters, or in all if the driver would accept the new one only
 * alone. */
int dvb_device_receive_all(struct dvb_device *) MUST_CHECK;

/* Receives these PIDs (each once) instead of others.  If the hardware has too
 * few filters, receives the first ones: see refused. */
void dvb_device_receive(struct dvb_device *, const uint16_t *pids, size_t n);

/* Ends reception, so that no packet of the tuning before remains. */
void dvb_device_stop(struct dvb_device *);

/* Reads the state of the frontend, with all also the statistics.  0 or
 * -errno. */
int dvb_device_measure(struct dvb_device *, bool all,
		       struct dvb_stats *ret) MUST_CHECK;
