/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Describes the error of a failed transfer for operators.  The texts of libcurl
 * are not used, because they name its functions, and contain durations that
 * change at each attempt.
 */
#pragma once

#include "common/base/errmsg.h"

#include <curl/curl.h>

/* Writes why the transfer failed.  detail: the error buffer of libcurl, which
 * is added only to errors of TLS and to errors without a text here. */
void transfer_error(CURL *, CURLcode, const char *detail, struct errmsg *ret);
