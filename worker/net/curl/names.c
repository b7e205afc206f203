/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/curl/names.h"

#include "worker/core/hidden.h"
#include "worker/net/curl/url.h"

#include <stddef.h>

/* Called by libcurl before it resolves a name, and also for literal addresses.
 * 0: libcurl may resolve; otherwise the request fails. */
static int on_resolve(void *resolver, void *reserved, void *arg)
{
	const char *url = NULL;

	(void)resolver, (void)reserved;
	(void)curl_easy_getinfo((CURL *)arg, CURLINFO_EFFECTIVE_URL, &url);
	return url != NULL && url_has_name(url) && hidden_names();
}

bool names_watch(CURL *easy)
{
	return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION,
				on_resolve) == CURLE_OK &&
	       curl_easy_setopt(easy, CURLOPT_RESOLVER_START_DATA, easy) ==
		       CURLE_OK;
}
