/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/play_conf.h"

#include "common/base/errmsg.h"
#include "master/config/check.h"

#include <errno.h>
#include <stdio.h>

int play_conf_port(const json_t *settings, struct sockaddr_any *ret,
		   struct errmsg *error)
{
	const json_t *value = json_object_get(settings, "http_play_port");
	const char *text = json_string_value(value);
	char digits[24];
	int r;

	if (value == NULL || (text != NULL && text[0] == '\0'))
		return 0;
	if (text == NULL && !json_is_integer(value))
		return errmsg_fail(error, -EINVAL,
				   "is neither a number nor a string");
	(void)snprintf(digits, sizeof digits, "%lld",
		       (long long)json_integer_value(value));
	r = check_control_port(text != NULL ? text : digits, ret, error);
	return r < 0 ? r : 1;
}

bool play_conf_collides(const struct sockaddr_any *a,
			const struct sockaddr_any *b)
{
	return sockaddr_port(a) == sockaddr_port(b) &&
	       a->sa.sa_family == b->sa.sa_family &&
	       (sockaddr_is_any(a) || sockaddr_is_any(b) ||
		sockaddr_equal(a, b));
}

void play_conf_read(struct play_conf *ret, const json_t *settings,
		    const struct sockaddr_any *control)
{
	struct errmsg error;

	*ret = (struct play_conf){
		.ts = json_is_true(json_object_get(settings,
						   "http_play_stream")),
		.hls = json_is_true(json_object_get(settings,
						    "http_play_hls")),
		.fmp4 = json_is_true(json_object_get(settings, "hls_fmp4")),
	};
	ret->has_port = (ret->ts || ret->hls) &&
			play_conf_port(settings, &ret->port, &error) > 0 &&
			(control == NULL ||
			 !play_conf_collides(&ret->port, control));
}

void play_path(const char *stream, bool hls, char ret[PLAY_PATH_MAX])
{
	(void)snprintf(ret, PLAY_PATH_MAX, "/play/%s%s", stream,
		       hls ? "/index.m3u8" : "");
}
