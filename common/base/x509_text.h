/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of an X.509 certificate in the form that the service reports. */
#pragma once

#include <openssl/x509.h>
#include <stddef.h>
#include <time.h>

/* Writes a name as text, such as "CN = a", cut to size bytes with the NUL; ""
 * if it cannot be printed. */
void x509_text_name(const X509_NAME *, char *text, size_t size);

/* The time as Unix time; 0: it is absent or malformed. */
time_t x509_text_time(const ASN1_TIME *);
