/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prevents libcurl from resolving a name while the sandbox hides new versions
 * of /etc/resolv.conf or /etc/hosts (worker/core/hidden.h). */
#pragma once

#include <curl/curl.h>
#include <stdbool.h>

/* Makes the transfer check before it resolves a name: if these files are
 * hidden, it fails and the worker is replaced.  False: out of memory. */
bool names_watch(CURL *);
