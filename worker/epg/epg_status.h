/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What guide and sources have counted, for the status of the role. */
#pragma once

#include "proto/ipc/msg.h"
#include "worker/epg/epg_sources.h"
#include "worker/epg/guide.h"

/* Writes all fields but those of the streams, which are 0.  guide and sources
 * may be NULL; the errors are borrowed from the sources. */
void epg_status_fill(struct msg_epg_status *, const struct guide *,
		     const struct epg_sources *);
