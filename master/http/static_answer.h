/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the answer to a request for a file of the web interface, with its
 * encoding, caching, and what the browser permits the page.
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
	/* --web-dir: folder whose files replace those of the program, with any
	 * hash; NULL: none */
	const char *folder;
	/* HASH/FILE, the text behind "web/" in the path; NULL: the page */
	const char *name;
	/* Further sources to which the page may connect, each after a space; at
	 * most STATIC_HOSTS_MAX bytes. */
	const char *hosts;
	const struct http_request *request;
};

struct static_answer {
	struct http_answer http; /* points into the other members */
	char headers[STATIC_HEADERS_MAX];
	struct buf text; /* content of a file that is not in the program */
};

/* Makes the answer.  False: there is no such file.  Call static_answer_done()
 * after http_respond(). */
bool static_answer(const struct static_tree *, const struct static_query *,
		   struct static_answer *ret);
void static_answer_done(struct static_answer *);

/* True: Accept-Encoding (value, may be NULL) permits gzip. */
bool static_accepts_gzip(const char *accept_encoding);

/* True: If-None-Match (value, may be NULL) is "*", or has the tag of the hash,
 * with or without gzip. */
bool static_is_known(const char *if_none_match, const char *hash);
