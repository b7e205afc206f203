/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whose address a request is from, behind a proxy too.
 *
 * With the setting allow_real_ip the header X-Real-IP is believed: from the
 * proxies that real_ip_trusted lists, or, without that list, from anybody,
 * which makes the lock of addresses worth nothing; the check of the
 * configuration says so.  Pure.
 */
#pragma once

#include "common/base/ip_prefix.h"
#include "common/base/util.h"

#include <jansson.h>

/* peer: of the connection; real_ip: the header, or NULL; settings: the
 * section, or NULL. */
void client_address(const json_t *settings, const char *peer,
		    const char *real_ip, struct ip_address *ret);
