/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What we speak: TLS 1.2 and 1.3, forward secrecy and authenticated ciphers
 * only, ALPN http/1.1, no renegotiation, no early data, sessions resumed by
 * ticket alone.
 */
#pragma once

#include "common/base/util.h"

#include <openssl/ssl.h>

struct ticket_keys;

/* keys are borrowed; NULL when OpenSSL cannot do it. */
SSL_CTX *tls_context_new(struct ticket_keys *keys);

/* The oldest reason in OpenSSL's queue, in its words; the queue is empty
 * afterwards.  Static memory, never NULL. */
const char *tls_reason(void);
