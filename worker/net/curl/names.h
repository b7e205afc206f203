/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds that libcurl would resolve a name without the files for it, which the
 * sandbox hides (worker/core/hidden.h). */
#pragma once

#include <curl/curl.h>
#include <stdbool.h>

/* Before libcurl resolves the name of a request, the process ends if the files
 * for it are hidden.  False: out of memory. */
bool names_watch(CURL *);
