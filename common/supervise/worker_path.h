/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the program sluice-worker. */
#pragma once

#include "common/base/errmsg.h"

/*
 * Returns the path in the environment variable SLUICE_WORKER; without the
 * variable, sluice-worker in the folder of this program (a build tree), or the
 * installed sluice-worker.  free() it; NULL with error.
 */
char *worker_path_find(struct errmsg *error);
