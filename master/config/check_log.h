/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges a configuration and logs every fault and warning. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"

#include <jansson.h>
#include <stdbool.h>

struct check_result {
	unsigned faults; /* number of faults, without warnings */
	bool fatal;      /* the document cannot be used at all */
	struct errmsg first; /* first fault with its path; "": none */
};

struct write_paths;

/* Judges a document and logs what it finds.  control: address of the control
 * server; own: the result of write_paths_own(). */
struct check_result check_log(const json_t *document,
			      const struct sockaddr_any *control,
			      const struct write_paths *own);
