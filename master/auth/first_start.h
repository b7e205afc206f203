/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the first password, or a new password for a user.
 *
 * Both functions hash in this process and print to stderr or stdout, because a
 * password must not be in the log file or in syslog.  Both block.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>

struct config;

/* If `users' is empty: makes the control user `admin' and prints the password
 * to stderr, once.  If the configuration is empty and has no file yet, sets
 * observer_redact.  False: a user already exists, or the password cannot be
 * hashed (logged). */
bool first_start(struct config *);

/* --reset-password: gives the user of the file a new password, prints it to
 * stdout and saves the file; returns the exit code.  If no user has the login
 * and no control user can log in, adds the login as a control user.  Refuses a
 * user who may not log in. */
int reset_password(const char *config_path, const char *login) MUST_CHECK;
