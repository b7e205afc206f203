/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges a configuration and names every fault and warning in the log. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"

#include <jansson.h>
#include <stdbool.h>

struct check_result {
	unsigned faults; /* warnings not counted */
	bool fatal;      /* the document cannot be used at all */
	struct errmsg first; /* the first fault with its place; "": none */
};

struct write_paths;

/* control: where the control server listens; own: as write_paths_own(). */
struct check_result check_log(const json_t *document,
			      const struct sockaddr_any *control,
			      const struct write_paths *own);
