/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The answer to a request for a file of the web interface: its encoding, its
 * place in caches, and what the browser allows the page.
 */
#pragma once

#include "common/base/buf.h"
#include "common/http/server.h"
#include "master/http/static_files.h"

#include <stdbool.h>

enum {
	STATIC_HOSTS_MAX = 8192,
	STATIC_HEADERS_MAX = STATIC_HOSTS_MAX + 1024,
};

/* A request for a file. */
struct static_query {
	const char *folder; /* --web-dir, whose files are read instead, with any
			     * hash; or NULL */
	const char *name;   /* behind "web/", that is HASH/FILE; NULL: the
			     * page */
	/* More sources that the page may connect to, each behind a blank; at
	 * most STATIC_HOSTS_MAX bytes. */
	const char *hosts;
	const struct http_request *request;
};

struct static_answer {
	struct http_answer http; /* points into the other members */
	char headers[STATIC_HEADERS_MAX];
	struct buf text; /* of a file that is not part of the program */
};

/* False: there is no such file.  Call static_answer_done() after
 * http_respond(). */
bool static_answer(const struct static_tree *, const struct static_query *,
		   struct static_answer *ret);
void static_answer_done(struct static_answer *);

/* True when the value of Accept-Encoding (may be NULL) permits gzip. */
bool static_accepts_gzip(const char *accept_encoding);

/* True when the value of If-None-Match (may be NULL) has the tag of the hash,
 * of either encoding. */
bool static_is_known(const char *if_none_match, const char *hash);
