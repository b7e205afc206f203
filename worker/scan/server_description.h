/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the description of a SAT>IP server, a document of UPnP in XML.
 *
 * Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "worker/scan/server_facts.h"

#include <stddef.h>

enum { SERVER_DESCRIPTION_MAX = 64 * 1024 };

/* Reads the complete document, of this host and port, at most
 * SERVER_DESCRIPTION_MAX bytes.  The first device counts.  0, or -EINVAL with
 * error: it is no well-formed document of a SAT>IP server, or it declares
 * entities. */
int server_description_parse(const void *data, size_t len, const char *host,
			     uint16_t port, struct server_facts *ret,
			     struct errmsg *error) MUST_CHECK;
