/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the counts of the guide and of the sources for the status of the
 * role. */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/epg/epg_sources.h"
#include "worker/epg/guide.h"

/* Writes the fields of the guide and of the sources; the others are 0.  guide
 * and sources may be NULL.  The errors are borrowed from the sources. */
void epg_status_fill(struct msg_epg_status *, const struct guide *,
		     const struct epg_sources *);
