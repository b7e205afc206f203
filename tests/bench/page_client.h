/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A page in a bench: asks what a browser asks from the address to the first
 * picture.  The page, its files on four connections, the login, a token, the
 * event channel, then the overview, the configuration and the forms at once.
 *
 * Owns its sockets, which are in the epoll of the caller.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/sockaddr.h"
#include "tests/bench/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum {
	PAGE_CONNS = 4, /* a page has one more for the event channel */
	PAGE_FILES_MAX = 256,
	PAGE_HEAD = 2048,
};

/* In the order in which a page asks: one step after the other, the last three
 * at once. */
enum page_ask {
	ASK_PAGE,
	ASK_FILE,
	ASK_WHOAMI,
	ASK_TOKEN,
	ASK_EVENTS,
	ASK_OVERVIEW,
	ASK_LOAD,
	ASK_FORMS,
	ASK_KINDS,
};

struct page_place {
	struct sockaddr_any to;
	int poll;
	clockid_t server; /* processor time of who answers */
	struct histogram files_us; /* replies with a file, to all pages */
	uint64_t bytes;
};

struct page_conn {
	struct page_client *page;
	int fd; /* -1: none */
	enum page_ask ask;
	bool busy;    /* an answer is to come */
	bool sent;    /* the request has left */
	bool in_body;
	const char *file; /* ASK_FILE: the address of the file, up to a
			   * quote */
	uint64_t asked_us, asked_cpu_us;
	size_t left; /* bytes of the body */
	size_t head_len;
	char head[PAGE_HEAD + 1];
};

struct page_client {
	struct page_place *place;
	unsigned number;
	const char *session; /* the cookie of its login; borrowed */
	enum page_ask step;  /* ASK_KINDS: all is there */
	unsigned asked, answered; /* of this step */
	bool failed;
	/* of each but the files, from the request to the whole answer: the
	 * time, and the processor time of the server */
	uint64_t us[ASK_KINDS], cpu_us[ASK_KINDS];
	const char *files[PAGE_FILES_MAX]; /* in the text of the page */
	unsigned n_files;
	char token[128];
	struct buf text; /* the page, later the reply with the token */
	struct page_conn conns[PAGE_CONNS + 1];
};

/* Asks for the page.  number: its address is 127.1.x.y. */
void page_client_start(struct page_client *, struct page_place *,
		       unsigned number, const char *session);
void page_client_done(struct page_client *);

/* The socket is ready. */
void page_conn_ready(struct page_conn *, uint8_t *scratch, size_t size);

static inline bool page_client_is_open(const struct page_client *p)
{
	return p->step == ASK_KINDS && !p->failed;
}
