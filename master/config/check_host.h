/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Warns of files, folders, interfaces and local addresses that enabled streams,
 * the log or http_play_port name, and of frontends of enabled tuners, that this
 * machine does not have.  They may appear later, so each is only a
 * CHECK_WARNING.
 *
 * Checks with the rights of the calling user.  A check of files must not run
 * in an event loop, because a file system may hang.
 */
#pragma once

#include "master/config/check.h"

#include <jansson.h>
#include <stdbool.h>

enum host_part {
	HOST_NETWORK = 1 << 0, /* interfaces and addresses */
	HOST_FILES = 1 << 1,
};

/* Checks these parts of a document (enum host_part), and always the frontends
 * of tuners, which does not block. */
void check_host(const json_t *document, unsigned parts, check_found_fn *found,
		void *arg);

/* Checks the frontend of one adapter, whose path is "adapter". */
void check_host_adapter(const json_t *adapter, check_found_fn *found,
			void *arg);

/* Checks these parts of one stream, whose path is "stream"; returns the number
 * of files that it names.  A helper thread may call it. */
unsigned check_host_stream(const json_t *stream, unsigned parts,
			   check_found_fn *found, void *arg);

/*
 * Warns of a certificate or a key of the settings that cannot be opened.
 * with_time: warns as well of a certificate that has expired or soon will; only
 * sluice -t may set it (certificate_time.h).  These are warnings, because the
 * service starts nevertheless.  A certificate on standard input is not checked,
 * because this process may have another standard input.
 */
void check_host_certificate(const json_t *document, bool with_time,
			    check_found_fn *found, void *arg);
