/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The transponders and services that a scan has found, and which of them have
 * changed since the last report to the client.
 *
 * Limited to SCAN_TRANSPONDERS_MAX transponders and SCAN_SERVICES_MAX services,
 * each a small object (scan_weight.h).  Reports of the worker beyond these
 * limits are dropped.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>

enum { SCAN_SERVICES_MAX = 8192 };

struct scan_results;

struct scan_results *scan_results_new(void);
/* NULL-safe; sets *r to NULL. */
void scan_results_free(struct scan_results **);

/* True: the worker has reported that its search has ended and that it does not
 * use the tuner any more. */
bool scan_results_is_ended(const struct scan_results *);

/* Takes a message of the worker.  True: the message was dropped, because its
 * object is too long, or because there are SCAN_SERVICES_MAX services. */
bool scan_results_take(struct scan_results *, const struct msg *);

/* Updates the reception of a transponder that was found. */
void scan_results_signal(struct scan_results *, uint32_t number,
			 const struct msg_adapter_status *);

/* Adds to the reply the list `transponders' of those that have changed since
 * the last call, unless it is empty, and `progress' if the worker has reported
 * it. */
void scan_results_put(struct scan_results *, json_t *reply);
