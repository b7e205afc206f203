/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a stream's status that only a multiplex of several inputs has;
 * msg.h includes it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A service of a multiplex of several inputs. */
struct msg_service_status {
	uint16_t pnr;
	unsigned input;          /* its position */
	uint16_t pmt_pid;
	bool onair;              /* packets arrive, and go out */
	bool absent;             /* not in the tables: the input is silent */
	uint32_t bitrate_kbps;   /* sent in the last second */
	uint64_t dropped;        /* packets of its input that had no room ... */
	uint64_t excess;         /* ... and those of the last second */
	uint64_t eit_dropped;    /* EIT sections of its input, the same */
};

enum { MSG_SERVICES_MAX = 128 };
