/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Restricts what a worker may open and call, once it knows its task.
 *
 * A process enters its sandbox before it reads the first byte from another
 * host, and never leaves it.  Landlock bounds the files, the TCP ports and the
 * processes that it reaches (common/base/landlock.h), a filter of the kernel
 * its system calls (worker/core/syscalls.h).  Limits bound its memory: 4 GiB,
 * or 512 MiB where a role needs less.  Another process, which ends before,
 * looks for the files of the stream: a disk may not answer.
 *
 * A sandbox cannot be widened.  A stream with other addresses gets a new
 * process from the master.  A file that an address names may appear where no
 * rule is, for example in a folder that is made again: worker/core/hidden.h
 * finds that, and the process ends, so that its successor has a rule for it.
 */
#pragma once

#include "common/base/util.h"

#include <jansson.h>
#include <stddef.h>

/* What a role does. */
enum sandbox_need {
	NEED_THREADS = 1 << 0, /* starts threads */
	NEED_FILES = 1 << 1,   /* reads the files of its grants */
	NEED_RECORD = 1 << 2,  /* writes the files of its grants */
	NEED_UDP = 1 << 3,     /* UDP sockets, interfaces, routes */
	NEED_TCP = 1 << 4,     /* opens TCP connections */
	NEED_NAMES = 1 << 5,   /* resolves host names, checks certificates */
	NEED_VIEWERS = 1 << 6, /* accepts viewers, sends from a ring */
	/* limits its own time by a timer; takes little memory */
	NEED_CLOCK = 1 << 7,
	NEED_ACCEPT = 1 << 8,  /* accepts connections */
	NEED_DEVICES = 1 << 9, /* uses the devices of its grants */
	NEED_TLS = 1 << 10,    /* gives keys of TLS to the kernel */
};

/* A file or folder that the configuration names. */
enum grant_use {
	GRANT_INPUT,  /* a file, and files that replace it */
	GRANT_LIST,   /* a list of files, and the files in it */
	GRANT_FOLDER, /* a folder in which the stream records */
	GRANT_FILE,   /* a single file that is read */
	GRANT_DEVICES, /* a folder of devices */
};

struct grant {
	enum grant_use use;
	char *path; /* owned by struct grants */
};

struct grants {
	struct grant *list;
	size_t n;
	unsigned needs; /* enum sandbox_need that the addresses add */
};

/* Adds the files that this address of an input or output opens.  An address
 * with an error adds nothing. */
void grants_add_input(struct grants *, const char *address);
void grants_add_output(struct grants *, const char *address);
/* Adds the file that the option absent of an input names, and the need of the
 * thread that reads it: for a role without files and threads. */
void grants_add_absent(struct grants *, const char *address);
/* As grants_add_output(), with the sockets and threads that the output needs:
 * for a role without them. */
void grants_add_sender(struct grants *, const char *address);
/* Adds the certificates that a client of HTTP trusts, from the option ca of any
 * address. */
void grants_add_client(struct grants *, const char *address);
/* Adds the file that the option filler of a stream names. */
void grants_add_options(struct grants *, const json_t *options);
/* Adds a folder of devices, such as tuners. */
void grants_add_devices(struct grants *, const char *folder);
void grants_done(struct grants *);

/*
 * Enters the sandbox.  needs: enum sandbox_need of the role.  grants may be
 * NULL.  A path that does not exist, or does not answer for two seconds, gets
 * no rule.  A kernel without Landlock leaves the files to the permissions of
 * the user.  0 or -errno: the process must end.
 */
int sandbox_enter(unsigned needs, const struct grants *) MUST_CHECK;
