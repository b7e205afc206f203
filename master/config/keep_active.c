/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/keep_active.h"

#include "master/config/play_conf.h"
#include "master/config/stream_conf.h"

#include <errno.h>
#include <stdlib.h>

int keep_active_read(const json_t *value, int *ret_s, struct errmsg *error)
{
	const char *text = json_string_value(value);
	json_int_t n = json_integer_value(value);
	char *end = NULL;

	if (value == NULL || (text != NULL && text[0] == '\0')) {
		*ret_s = KEEP_ALWAYS;
		return 0;
	}
	if (text != NULL)
		n = strtoll(text, &end, 10);
	if ((text != NULL && *end != '\0') ||
	    (text == NULL && !json_is_integer(value)) || n < KEEP_ALWAYS ||
	    n > KEEP_MAX_S)
		return errmsg_fail(error, -EINVAL, "is not \"-1\" (always on) "
				   "or a number of seconds up to %d",
				   KEEP_MAX_S);
	*ret_s = (int)n;
	return 0;
}

static bool hls_is_on_demand(const json_t *stream, const json_t *settings)
{
	static const char key[] = "hls_on_demand";
	const json_t *value = json_object_get(stream, key);

	return json_is_true(value != NULL ? value
					  : json_object_get(settings, key));
}

int keep_active_of(const struct stream_conf *conf, const json_t *settings,
		   const struct play_conf *play)
{
	const json_t *value = json_object_get(conf->stream,
					      "http_keep_active");
	bool hls = hls_is_on_demand(conf->stream, settings);
	bool has_viewers = play != NULL && (play->ts || play->hls);
	struct errmsg error;
	int keep_s;

	if (value == NULL)
		value = json_object_get(settings, "http_keep_active");
	if (keep_active_read(value, &keep_s, &error) < 0 ||
	    (play != NULL && play->hls && !hls))
		return KEEP_ALWAYS;
	for (size_t i = 0; i < conf->n_outputs; i++) {
		const struct output_conf *out = &conf->outputs[i];

		/* the first viewer of HLS would wait for a segment */
		if (!out->is_valid || out->kind != OUTPUT_HTTP ||
		    (out->hls > 0 && !hls))
			return KEEP_ALWAYS;
		has_viewers = true;
	}
	return has_viewers ? keep_s : KEEP_ALWAYS;
}
