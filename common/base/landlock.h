/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Landlock (landlock(7)): a process gives up what it may open.
 *
 * The C library of Debian 12 has no functions for these system calls, and its
 * kernel headers do not know all rights that a newer kernel has.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>

/* The version of Landlock that the running kernel has; 0: none. */
int landlock_version(void);

/*
 * A descriptor of rules that forbid every file; from version 4 of Landlock on
 * also to listen on TCP ports and, unless connects is set, TCP connections; and
 * from version 6 on signals to processes outside the rules, and their abstract
 * sockets.  -ENOSYS: the kernel has no Landlock; or -errno.
 */
int landlock_new(bool connects) MUST_CHECK;

enum landlock_use {
	LANDLOCK_READ,    /* read files, list folders */
	LANDLOCK_DEVICE,  /* read and write an existing file */
	LANDLOCK_RECORD,  /* also make, truncate and remove files */
};

/* Allows the use of path, and of everything below it if it is a folder.  0 or
 * -errno. */
int landlock_allow(int rules, const char *path,
		   enum landlock_use) MUST_CHECK;

/* Restricts the calling thread, and what it starts, to the rules from now on.
 * Needs no_new_privs.  0 or -errno. */
int landlock_enforce(int rules) MUST_CHECK;
