/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the UPnP description of a SAT>IP server, an XML document.
 *
 * Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "worker/scan/server_facts.h"

#include <stddef.h>

enum { SERVER_DESCRIPTION_MAX = 64 * 1024 };

/* Reads the complete document, at most SERVER_DESCRIPTION_MAX bytes, which was
 * loaded from this host and port.  Only its first device is read.  0, or
 * -EINVAL with error: the document is too long, is not well-formed, is not of a
 * SAT>IP server, or has declarations in its DOCTYPE. */
int server_description_parse(const void *data, size_t len, const char *host,
			     uint16_t port, struct server_facts *ret,
			     struct errmsg *error) MUST_CHECK;
