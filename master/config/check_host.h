/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports files, folders and interfaces that enabled streams name and this
 * machine does not have.  They may appear later, so each is a CHECK_WARNING.
 *
 * For the option -t, with the rights of the calling user.  Not for a loop: a
 * file system may not answer.
 */
#pragma once

#include "master/config/check.h"

#include <jansson.h>

void check_host(const json_t *document, check_found_fn *found, void *arg);
