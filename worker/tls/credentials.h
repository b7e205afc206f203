/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads a certificate chain and its private key from files into a context.
 *
 * An error is one sentence about one setting.  The text of the key is wiped;
 * OpenSSL keeps the parsed key.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <openssl/ssl.h>
#include <time.h>

enum {
	CREDENTIALS_SIZE_MAX = 256 * 1024, /* bytes of a file */
	CREDENTIALS_CHAIN_MAX = 16,        /* certificates */
};

struct credentials_error {
	const char *field; /* "crt_chain" or "crt_key"; static */
	struct errmsg error;
};

/* Reads both files (borrowed, from their start) into ctx: 0, or -EINVAL with
 * the error; the caller then frees ctx. */
int credentials_load(SSL_CTX *ctx, int chain_fd, int key_fd,
		     struct credentials_error *ret) MUST_CHECK;

/* The Unix time at which the certificate expires (_end), or from which it is
 * valid (_begin); 0: unknown. */
time_t credentials_end(const SSL_CTX *);
time_t credentials_begin(const SSL_CTX *);
/* Writes the subject of the certificate for the log: "CN = headend.example". */
void credentials_subject(const SSL_CTX *, char *text, size_t size);
/* Writes the issuer of the certificate in the form of credentials_subject(). */
void credentials_issuer(const SSL_CTX *, char *text, size_t size);
/* Writes the DNS names and IP addresses of the certificate, with commas; leaves
 * out those without room. */
void credentials_names(const SSL_CTX *, char *text, size_t size);
/* Writes the kind and the bits of the key of the certificate: "EC 256". */
void credentials_key(const SSL_CTX *, char *text, size_t size);
