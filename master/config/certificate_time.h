/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time in which a certificate is valid. */
#pragma once

#include "common/base/errmsg.h"

#include <stdbool.h>
#include <stdint.h>

struct tls_facts;

/* A sentence if the certificate (NULL: none) is not valid yet, expires within
 * two weeks or has expired at this Unix time; false: it is valid. */
bool certificate_time_alarm(const struct tls_facts *, int64_t now_s,
			    struct errmsg *ret);

/*
 * The same of the first certificate (PEM, X.509) in the file fd, which is read
 * to its end.  False, too, if it contains none: the tls worker reports that.
 * The calling process parses the file: only sluice -t may call it.
 */
bool certificate_time_alarm_of(int fd, int64_t now_s, struct errmsg *ret);
