/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log's line for each call of the API, when log.api_access wants it. */
#pragma once

struct call;

/* "set softcam id:s1 Login:admin IP:192.0.2.1".  Of a request it shows names
 * and ids alone: no password, no token, no query.  Call it before the call is
 * carried out: its answer may free it. */
void access_line(const struct call *);
