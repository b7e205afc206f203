/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts each installed worker program once, for the trial of a restart.
 *
 * A program that is missing, lacks a library, crashes, hangs or has another
 * protocol version is found before the running master ends.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

enum { WORKER_TRIAL_MS = 6000 };

/* path: of sluice-worker.  Blocks until every program has sent worker.hello and
 * ended, WORKER_TRIAL_MS at most.  0, or -errno with error, which names the
 * program. */
int worker_trial(const char *path, struct errmsg *error) MUST_CHECK;
