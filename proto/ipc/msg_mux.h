/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a stream's status that only a multiplex of several inputs has;
 * msg.h includes it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	MSG_SERVICES_MAX = 128,
	MSG_SERVICE_NAME_MAX = 63, /* bytes of UTF-8 */
	MSG_SERVICE_PIDS_MAX = 32,
};

/* What is sent of a service instead of its packets. */
enum service_filler {
	SERVICE_FILLER_NONE, /* nothing, or it has packets */
	SERVICE_FILLER_STILL, /* its last picture */
	SERVICE_FILLER_FILE,
	SERVICE_FILLERS
};

/* A service of a multiplex of several inputs. */
struct msg_service_status {
	uint16_t pnr;
	char name[MSG_SERVICE_NAME_MAX + 1]; /* its begin; "": it has none */
	unsigned input;          /* its position */
	uint16_t pmt_pid;
	bool onair;              /* packets arrive, and go out */
	bool absent;             /* not in the tables: the input is silent */
	unsigned filler;         /* enum service_filler */
	unsigned priority;       /* that of its input; so are the two rates */
	uint32_t rate_min_kbps, rate_max_kbps; /* 0: none */
	uint32_t bitrate_kbps;   /* sent in the last second */
	uint64_t dropped;        /* packets that had no room */
	uint64_t excess;         /* those of the last second */
	uint64_t eit_dropped;    /* EIT sections of its input that had no
				  * room */
	/* the PIDs of its streams, in the order of its PMT; more are left
	 * out */
	size_t n_pids;
	uint16_t pids[MSG_SERVICE_PIDS_MAX];
};
