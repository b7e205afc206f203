/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The error of a failed transfer, in words for operators.  libcurl's own texts
 * name its functions, and contain durations, which change at each try.
 */
#pragma once

#include "common/base/errmsg.h"

#include <curl/curl.h>

/* Writes why the transfer failed.  detail: the error buffer of libcurl; only
 * errors of TLS, and those without a sentence here, repeat it. */
void transfer_error(CURL *, CURLcode, const char *detail, struct errmsg *ret);
