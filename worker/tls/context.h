/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the context of OpenSSL with the TLS settings: TLS 1.2 and 1.3, AEAD
 * ciphers with forward secrecy only, ALPN http/1.1 and http/1.0, no
 * renegotiation, no early data, sessions resumed by tickets only.
 */
#pragma once

#include "common/base/util.h"

#include <openssl/ssl.h>

struct ticket_keys;

/* Makes a context with these settings; borrows keys.  NULL: OpenSSL failed. */
SSL_CTX *tls_context_new(struct ticket_keys *keys);

/* The text of the oldest error of OpenSSL; clears all its errors.  Static
 * memory, never NULL. */
const char *tls_error(void);
