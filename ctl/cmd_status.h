/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head of status and top: three lines about the service. */
#pragma once

#include "common/base/buf.h"
#include "ctl/overview.h"

struct status_counts {
	size_t on_air, off_air, disabled;
	json_int_t viewers, kbit;
};
void status_count(const struct overview *, struct status_counts *ret);

/* Appends the lines; each ends with end. */
void status_head(const json_t *system, const char *version,
		 const struct status_counts *, struct buf *to,
		 const char *end);

/* Queries system-status and the version; new references. */
enum ctl_exit status_read(struct ctl *, json_t **ret_system,
			  json_t **ret_version) MUST_CHECK;
