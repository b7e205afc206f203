/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports files, folders, interfaces and local addresses that enabled streams
 * name, and frontends of enabled tuners, that this machine does not have.  They
 * may appear later, so each is a CHECK_WARNING.
 *
 * With the rights of the calling user.  Files are not for a loop: a file system
 * may not answer.
 */
#pragma once

#include "master/config/check.h"

#include <jansson.h>
#include <stdbool.h>

enum host_part {
	HOST_NETWORK = 1 << 0, /* interfaces and addresses */
	HOST_FILES = 1 << 1,
};

/* Checks these parts, and the frontends of tuners, which do not block. */
void check_host(const json_t *document, unsigned parts, check_found_fn *found,
		void *arg);

/* Checks the frontend of one adapter, whose path is "adapter". */
void check_host_adapter(const json_t *adapter, check_found_fn *found,
			void *arg);

/* Checks these parts of one stream, whose path is "stream", and returns the
 * number of files that it names.  May be called by a helper thread. */
unsigned check_host_stream(const json_t *stream, unsigned parts,
			   check_found_fn *found, void *arg);

/*
 * Reports a certificate or a key of the settings that cannot be opened.
 * with_time: reports a certificate that has expired or expires soon, too; only
 * sluice -t may set it (certificate_time.h).  The service starts with each of
 * these faults, so they are warnings.  The check skips the standard input of
 * the service, which may be another one than that of this process.
 */
void check_host_certificate(const json_t *document, bool with_time,
			    check_found_fn *found, void *arg);
