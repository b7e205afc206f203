/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the program sluice-worker is. */
#pragma once

#include "common/base/errmsg.h"

/*
 * The first of these that can be executed: what the environment variable
 * SLUICE_WORKER names (then nothing else counts), sluice-worker beside our own
 * binary (a build tree), the installed one.  The caller frees it; NULL with
 * why.
 */
char *worker_path_find(struct errmsg *why);
