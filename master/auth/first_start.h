/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The first password, and a new one for a user who has lost it.
 *
 * Both hash in this process and write to stderr or stdout, not to the log: a
 * file or a syslog server need not know a password.  Neither runs a loop.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>

struct config;

/* When `users` is empty: makes the control user `admin` and prints the
 * password to stderr, once.  False when there is a user already, or when the
 * password cannot be hashed (a line in the log). */
bool first_start(struct config *);

/* --reset-password: gives the login of the file a new password, prints it to
 * stdout, saves the file; the exit code. */
int reset_password(const char *config_path, const char *login) MUST_CHECK;
