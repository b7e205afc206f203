/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/variants.h"

#include "common/base/session_number.h"
#include "common/base/wall.h"
#include "master/api/command.h"
#include "master/config/config.h"
#include "master/config/variant.h"
#include "master/status/status.h"
#include "master/streams/deliver_proc.h"
#include "master/streams/reconciler.h"
#include "master/streams/stream_proc.h"
#include "master/viewers/viewer_guest.h"

#include <string.h>

static const char *text_of(const json_t *stream, const char *key)
{
	const char *text = json_string_value(json_object_get(stream, key));

	return text != NULL ? text : "";
}

/* Reads the bandwidth of a variant from the segments of its ring.  False: the
 * stream has no segment with which a player could start. */
static bool measure(struct api *api, struct variant *v)
{
	int err, fd = reconciler_ring(api->cfg.reconciler, v->id);
	struct ring_reader *reader;
	struct ring_segments all;
	bool alive, ok;

	reader = fd >= 0 ? ring_reader_new(fd, &err) : NULL;
	if (reader == NULL)
		return false;
	(void)ring_reader_pos(reader, &ok);
	ring_reader_segments(reader, ring_reader_size(reader), &all);
	alive = ok && variant_measure(v, &all, (int64_t)wall_ms());
	ring_reader_free(&reader);
	return alive;
}

/* True: the variant can be played.  A stream on demand that does not run can be
 * played as well, because it starts with its first viewer, but only if its
 * hls_header has a bandwidth. */
static bool is_alive(struct api *api, struct variant *v)
{
	struct stream_proc_info info;

	if (measure(api, v))
		return true;
	return reconciler_get_stream(api->cfg.reconciler, v->id, &info) &&
	       info.waiting && variant_has_rate(v);
}

/* Returns a new session number for the playlist; 0: the setting
 * hls_session_playlists is off. */
static uint64_t session_for(const struct api *api)
{
	if (!json_is_true(json_object_get(
		    config_section(api->cfg.config, "settings"),
		    "hls_session_playlists")))
		return 0;
	return session_number_new(deliver_proc_seed(
		reconciler_deliver(api->cfg.reconciler)));
}

int variants_write(struct api *api, const char *group,
		   const struct viewer_guest *guest, const char *query,
		   struct buf *to)
{
	const json_t *streams = config_section(api->cfg.config, "make_stream");
	struct variant list[VARIANTS_MAX];
	struct status_codecs codecs;
	bool exists = false, may = false;
	struct errmsg error;
	json_t *stream;
	size_t i, n = 0;

	json_array_foreach((json_t *)(uintptr_t)streams, i, stream) {
		struct variant v = { .id = text_of(stream, "id"),
				     .header = text_of(stream, "hls_header") };

		if (strcmp(text_of(stream, "hls_group"), group) != 0 ||
		    !json_is_true(json_object_get(stream, "enable")))
			continue;
		exists = true;
		if (!viewer_guest_may(guest, stream))
			continue;
		may = true;
		if (variant_header_check(v.header, &error) < 0)
			v.header = "";
		if (n == VARIANTS_MAX || !is_alive(api, &v))
			continue;
		codecs = status_codecs(api->cfg.status, v.id);
		v.codecs = codecs.names;
		v.width = codecs.width;
		v.height = codecs.height;
		list[n++] = v;
	}
	if (n > 0)
		variant_list_write(to, &(struct variant_list){
			list, n, query, session_for(api) });
	return !exists ? 404 : !may ? 403 : n == 0 ? 503 : 200;
}
