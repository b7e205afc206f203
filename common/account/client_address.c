/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/client_address.h"

#include <string.h>

static bool is_trusted(const json_t *settings, const struct ip_address *peer)
{
	const json_t *list = json_object_get(settings, "real_ip_trusted");
	const json_t *item;
	size_t i;

	if (list == NULL)
		return true;
	json_array_foreach((json_t *)list, i, item) {
		const char *text = json_string_value(item);
		struct ip_prefix prefix;

		if (text != NULL && ip_prefix_parse(text, &prefix) == 0 &&
		    ip_prefix_has(&prefix, peer))
			return true;
	}
	return false;
}

void client_address(const json_t *settings, const char *peer,
		    const char *real_ip, struct ip_address *ret)
{
	struct ip_address a;

	if (ip_parse(peer, ret) < 0)
		*ret = (struct ip_address){ 0 };
	if (real_ip != NULL &&
	    json_is_true(json_object_get(settings, "allow_real_ip")) &&
	    is_trusted(settings, ret) && ip_parse(real_ip, &a) == 0)
		*ret = a;
}

bool viewer_header_counts(const json_t *settings, const json_t *auth)
{
	return json_is_true(json_object_get(settings, "allow_real_ip")) ||
	       json_is_true(json_object_get(auth, "x_real_ip"));
}

void viewer_address(const json_t *document, const char *peer,
		    const char *real_ip, struct ip_address *ret)
{
	const json_t *settings = json_object_get(document, "settings");
	const json_t *auth = json_object_get(document, "auth");
	struct ip_address a;

	if (ip_parse(peer, ret) < 0)
		*ret = (struct ip_address){ 0 };
	if (real_ip != NULL &&
	    viewer_header_counts(settings, auth) &&
	    json_object_get(settings, "real_ip_trusted") != NULL &&
	    is_trusted(settings, ret) && ip_parse(real_ip, &a) == 0)
		*ret = a;
}
