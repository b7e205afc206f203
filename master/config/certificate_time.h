/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the period in which a certificate is valid. */
#pragma once

#include "common/base/errmsg.h"

#include <stdbool.h>
#include <stdint.h>

struct tls_facts;

/* True: the certificate is not valid yet, has expired, or expires within two
 * weeks at this Unix time; ret has a sentence.  False: it is valid, or there is
 * none (facts NULL). */
bool certificate_time_alarm(const struct tls_facts *, int64_t now_s,
			    struct errmsg *ret);

/*
 * As certificate_time_alarm(), for the first certificate (PEM, X.509) in the
 * file fd, which is read to its end.  False as well if it contains none, which
 * the tls worker reports.  The calling process parses the file, so only sluice
 * -t may call it.
 */
bool certificate_time_alarm_of(int fd, int64_t now_s, struct errmsg *ret);
