/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sessions of this user, by service and login, in
 * $XDG_STATE_HOME/sluicectl/sessions.json, which nobody else may read.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

/*
 * The session at this service: of the login, or, when login is NULL, of the
 * one used last.  *ret is to be freed, NULL when there is none; *ret_login
 * (may be NULL) likewise.  0, or -errno with why: a file that others may read
 * is not used.
 */
int keyring_find(const char *url, const char *login, char **ret,
		 char **ret_login, struct errmsg *why) MUST_CHECK;

/* Keeps it, as the one used last. */
int keyring_put(const char *url, const char *login, const char *session,
		struct errmsg *why) MUST_CHECK;

/* Forgets it. */
int keyring_remove(const char *url, const char *login,
		   struct errmsg *why) MUST_CHECK;
