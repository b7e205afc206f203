/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a stream's status that only a multiplex of several inputs has;
 * msg.h includes it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MSG_SERVICES_MAX = 128,
	MSG_SERVICE_NAME_MAX = 63, /* bytes of a name in UTF-8 */
	MSG_SERVICE_PIDS_MAX = 32,
};

/* What is sent in place of the packets of a service while they are absent. */
enum service_filler {
	SERVICE_FILLER_NONE, /* nothing is sent, or packets are not absent */
	SERVICE_FILLER_STILL, /* the last picture of the service */
	SERVICE_FILLER_FILE, /* the packets of a filler file */
	SERVICE_FILLERS
};

/* A service of a multiplex of several inputs. */
struct msg_service_status {
	uint16_t pnr;
	char name[MSG_SERVICE_NAME_MAX + 1]; /* may be cut; "": no name */
	unsigned input;          /* position of its input */
	uint16_t pmt_pid;
	bool onair;              /* its packets arrive and are sent */
	bool absent;             /* the tables of the multiplex do not list the
				  * service, because its input is silent */
	unsigned filler;         /* enum service_filler */
	unsigned priority;       /* of its input */
	uint32_t rate_min_kbps, rate_max_kbps; /* of its input; 0: not set */
	uint32_t bitrate_kbps;   /* sent in the last second */
	/* packets dropped since the start, because the rate of the multiplex
	 * was exceeded */
	uint64_t dropped;
	uint64_t excess;         /* packets so dropped in the last second */
	uint64_t eit_dropped;    /* EIT sections of its input that were dropped,
				  * because their queue had no room */
	/* PIDs of its components, in the order of the PMT; only the first
	 * MSG_SERVICE_PIDS_MAX */
	size_t n_pids;
	uint16_t pids[MSG_SERVICE_PIDS_MAX];
};
