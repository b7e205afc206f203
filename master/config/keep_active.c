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

/* True: the stream must run without viewers; ret has the reason.  False: it
 * need not. */
static bool is_always_on(const struct stream_conf *conf, bool hls,
			 const struct play_conf *play, struct errmsg *ret)
{
	bool has_viewers = play != NULL && (play->ts || play->hls);

	/* otherwise the first viewer of HLS would wait for a segment */
	if (play != NULL && play->hls && !hls) {
		errmsg_set(ret, "HLS of settings.http_play_hls is always on "
				"without hls_on_demand");
		return true;
	}
	for (size_t i = 0; i < conf->n_outputs; i++) {
		const struct output_conf *out = &conf->outputs[i];

		has_viewers = true;
		if (out->is_valid && out->kind == OUTPUT_HTTP &&
		    (out->hls == 0 || hls))
			continue;
		errmsg_set(ret, "output %zu is always on%s", i + 1,
			   out->hls > 0 ? " without hls_on_demand" : "");
		return true;
	}
	if (!has_viewers)
		errmsg_set(ret, "no output serves viewers, and the play paths "
				"are off");
	return !has_viewers;
}

int keep_active_of(const struct stream_conf *conf, const json_t *settings,
		   const struct play_conf *play)
{
	const json_t *value = json_object_get(conf->stream,
					      "http_keep_active");
	struct errmsg error;
	int keep_s;

	if (value == NULL)
		value = json_object_get(settings, "http_keep_active");
	if (keep_active_read(value, &keep_s, &error) < 0 ||
	    is_always_on(conf, hls_is_on_demand(conf->stream, settings), play,
			 &error))
		return KEEP_ALWAYS;
	return keep_s;
}

bool keep_active_is_idle(const json_t *stream, const json_t *settings,
			 struct errmsg *ret)
{
	const json_t *value = json_object_get(stream, "http_keep_active");
	struct stream_conf *conf;
	struct play_conf play;
	struct errmsg error;
	bool is_idle;
	int keep_s;

	if (keep_active_read(value, &keep_s, &error) < 0 ||
	    keep_s == KEEP_ALWAYS)
		return false;
	conf = stream_conf_new(stream);
	play_conf_read(&play, settings, NULL);
	is_idle = is_always_on(conf, hls_is_on_demand(stream, settings), &play,
			       ret);
	stream_conf_free(&conf);
	return is_idle;
}
