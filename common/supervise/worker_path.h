/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the program sluice-worker. */
#pragma once

#include "common/base/errmsg.h"

/*
 * The file in the environment variable SLUICE_WORKER; without it sluice-worker
 * beside this program (a build tree), or the installed one.  free() it; NULL
 * with error.
 */
char *worker_path_find(struct errmsg *error);
