/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Devices of the DVB API in memory, with the faults of drivers. */
#pragma once

#include "worker/adapter/dvb/dvb_ops.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	FAKE_LOG = 16384,
	FAKE_FDS = 160,
};

enum fake_kind {
	FAKE_CLOSED,
	FAKE_FRONTEND,
	FAKE_DEMUX,
	FAKE_DVR,
	FAKE_HOTPLUG,
};

struct fake_dvb {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int open_error;   /* of the frontend */
	int ioctl_error;  /* of FE_READ_STATUS */
	unsigned n_errors; /* that are left of it; 0: no end */
	int set_error;    /* of DTV_TUNE */
	unsigned send_ms; /* a DiSEqC command takes, in now_ns */
	uint64_t now_ns;
	unsigned status;  /* after a tuning */
	bool no_whole;    /* refuses PID 0x2000 */
	bool whole_alone; /* refuses it beside other PIDs */
	unsigned max_pids;
	bool full_whole;  /* has no filter for PID 0x2000 */
	bool hangs;       /* FE_READ_STATUS does not return */
	bool tune_hangs;  /* nor DTV_TUNE */
	bool hung;        /* one of them waits */
	unsigned systems; /* bits; 0: all */
	const char *links[4]; /* of /sys/class/dvb/dvbN.frontend0; or NULL */
	uint8_t macs[4][6]; /* of the interfaces dvbN_0; 0: there is none */
	bool no_hotplug;  /* its messages cannot be had */
	bool plugged;     /* a message waits, once */
	unsigned looks;   /* for messages: one in each turn of the tuner */
	bool has_dvr1;    /* frontends have a demultiplexer each */
	bool no_stats;    /* API 3 only */
	bool no_old;      /* API 5 only */
	bool no_tone;     /* the driver lacks it, as call and as property */
	bool no_voltage;  /* the same */
	/* packets that wait; read gives them once */
	const uint8_t *packets;
	size_t n_bytes;
	bool overflow;    /* once */
	enum fake_kind fds[FAKE_FDS];
	unsigned filters;
	int pids[FAKE_FDS];  /* that demultiplexers filter; -1: none */
	unsigned gaps;       /* filters that ended while none had all */
	char path[128]; /* of the last open */
	/* "open frontend0; tone 1; ..." */
	char log[FAKE_LOG];
	size_t len;
};

extern const struct dvb_ops fake_dvb_ops;

void fake_dvb_init(struct fake_dvb *);
/* A copy of the log. */
const char *fake_dvb_log(struct fake_dvb *);
/* Of devices. */
unsigned fake_dvb_open_fds(struct fake_dvb *);
/* Are messages of hot plug received? */
bool fake_dvb_has_hotplug(struct fake_dvb *);
/* Does the driver not return from a call? */
bool fake_dvb_hangs(struct fake_dvb *);
/* Changes members of the fake while a thread uses it. */
#define FAKE_SET(f, member, value) do { \
	(void)pthread_mutex_lock(&(f)->lock); \
	(f)->member = (value); \
	(void)pthread_cond_broadcast(&(f)->wake); \
	(void)pthread_mutex_unlock(&(f)->lock); \
} while (0)
