/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which role may do what: the table of roles.
 *
 * A command or path that is not named here is for control users alone, so
 * that a new one is closed until somebody opens it.
 */
#pragma once

#include "common/base/util.h"

enum access {
	ACCESS_YES,
	ACCESS_FORBIDDEN, /* 403 */
	ACCESS_HIDDEN,    /* 404 */
};

/* type: USER_CONTROL or USER_OBSERVER, of a user who may enter. */
enum access access_command(int type, const char *command);

/* path: without prefix and id, "api/config". */
enum access access_path(int type, const char *path);
