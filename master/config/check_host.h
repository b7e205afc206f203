/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What enabled streams name and this machine does not have: files, folders,
 * interfaces.  They may come later, so each is a CHECK_WARNING.
 *
 * For the option -t, which looks as the user who called it.  Not for a loop: a
 * file system may not answer.
 */
#pragma once

#include "master/config/check.h"

#include <jansson.h>

void surroundings_look(const json_t *document, check_found_fn *found,
		       void *arg);
