/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects what OpenSSL writes to a client, so that several records leave in
 * one call.
 *
 * One struct gather serves all connections of a process: it is empty between
 * two calls of OpenSSL.  Owns its memory.
 */
#pragma once

#include <openssl/bio.h>
#include <stddef.h>
#include <stdint.h>

struct gather {
	BIO_METHOD *method;
	uint8_t *data;
	size_t len, size;
};

/* Makes a gather with room for size bytes.  NULL if OpenSSL fails. */
struct gather *gather_new(size_t size);
/* NULL-safe; sets *g to NULL. */
void gather_free(struct gather **);

/* Makes the BIO to which an SSL object writes; the SSL object takes it.  A
 * write that finds no room is to be repeated.  NULL if OpenSSL fails. */
BIO *gather_bio(struct gather *);
