/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A certificate chain and its private key, from files into a context.
 *
 * Whatever is wrong is told in one sentence and with the setting it is about.
 * What was read of the key is wiped; OpenSSL keeps the parsed one.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <openssl/ssl.h>
#include <time.h>

enum {
	CREDENTIALS_SIZE_MAX = 256 * 1024, /* of a file */
	CREDENTIALS_CHAIN_MAX = 16,        /* certificates */
};

struct credentials_error {
	const char *field; /* "crt_chain" or "crt_key"; static */
	struct errmsg error;
};

/* Reads both files (borrowed, from their beginning) into ctx: 0, or -EINVAL
 * with the fault, and ctx is to be thrown away. */
int credentials_load(SSL_CTX *ctx, int chain_fd, int key_fd,
		     struct credentials_error *ret) MUST_CHECK;

/* When the context's certificate ends, and begins. */
time_t credentials_end(const SSL_CTX *);
time_t credentials_begin(const SSL_CTX *);
/* Whose it is, for the log: "CN = headend.example"; into text. */
void credentials_subject(const SSL_CTX *, char *text, size_t size);
