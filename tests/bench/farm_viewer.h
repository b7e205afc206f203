/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One HTTP viewer of the farm: asks for a path, skips the head of the reply,
 * and has each whole TS packet of the body checked.
 *
 * Owns its socket.  Never blocks: the farm calls farm_viewer_read() often.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "tests/bench/check_stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum farm_state {
	FARM_CONNECTING,
	FARM_HEAD,
	FARM_BODY,
	FARM_REFUSED, /* another status than 200 */
	FARM_CLOSED,  /* the server ended it */
};

enum { FARM_HEAD_MAX = 2048, FARM_PACKET = 188 };

struct farm_viewer {
	int fd;
	enum farm_state state;
	uint64_t asked_ns;
	uint64_t first_ns;   /* of the first TS packet; 0 = none yet */
	bool pat_first;
	size_t head_len;
	char head[FARM_HEAD_MAX];
	size_t part_len;     /* of a packet that is not whole yet */
	uint8_t part[FARM_PACKET];
	struct check_stream check;
};

/* Begins to connect; 0 or -errno. */
int farm_viewer_open(struct farm_viewer *, const struct sockaddr_any *to,
		     uint64_t now_ns) MUST_CHECK;

/* Sends the request once connected and reads all available data, through
 * scratch of len bytes. */
void farm_viewer_read(struct farm_viewer *, const char *path,
		      struct check_totals *, uint8_t *scratch, size_t len,
		      uint64_t now_ns);

void farm_viewer_close(struct farm_viewer *);
