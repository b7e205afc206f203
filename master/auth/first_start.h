/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the first password, or a new password for a user.
 *
 * Both functions hash in this process and write to stderr or stdout, because a
 * password must not be in the log file or in syslog.  Neither runs a loop.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>

struct config;

/* When `users` is empty: makes the control user `admin` and prints the
 * password to stderr, once.  False when a user exists already, or when the
 * password cannot be hashed (logged). */
bool first_start(struct config *);

/* --reset-password: gives the login of the file a new password, prints it to
 * stdout, saves the file; the exit code.  While no control user can log in, it
 * adds the login as one.  It refuses a user that may not log in. */
int reset_password(const char *config_path, const char *login) MUST_CHECK;
