/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/hls_audio.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/net/hls/segment_play.h"
#include "worker/net/curl/url.h"

#include <stdlib.h>
#include <string.h>

/* --- audio segments --- */

static void on_list(const struct m3u8 *m, bool variant, void *arg)
{
	struct hls_audio *a = arg;

	(void)variant;
	segment_window_update(&a->track.window, m,
			      a->spec->buffer_time_s * 1000);
}

static void begin(bool cut, void *arg)
{
	struct hls_audio *a = arg;

	audio_track_begin(hls_mux_audio(a->mux), cut);
}

static bool push(const uint8_t *data, size_t len, void *arg)
{
	struct hls_audio *a = arg;

	return audio_track_push(hls_mux_audio(a->mux), data, len);
}

static bool end(void *arg)
{
	struct hls_audio *a = arg;

	return audio_track_end(hls_mux_audio(a->mux));
}

static uint64_t packets(void *arg)
{
	struct hls_audio *a = arg;

	return audio_track_packets(hls_mux_audio(a->mux));
}

static const struct hls_track_ops ops = {
	.nothing = "the segment contains no audio of a known format",
	.on_list = on_list,
	.begin = begin,
	.push = push,
	.end = end,
	.packets = packets,
	.waiting_ms = hls_audio_waiting_ms,
};

/* --- output --- */

static void begin_out(bool cut, void *arg)
{
	struct hls_audio *a = arg;

	segment_play_begin(a->play, cut);
}

static bool push_out(const uint8_t *data, size_t len, void *arg)
{
	struct hls_audio *a = arg;

	return segment_play_push(a->play, data, len);
}

static void close_track(struct hls_audio *a)
{
	a->error.text[0] = '\0';
	if (a->url == NULL)
		return;
	hls_track_done(&a->track);
	free(a->url);
	a->url = NULL;
}

void hls_audio_done(struct hls_audio *a)
{
	close_track(a);
	hls_mux_free(&a->mux);
}

/* --- choice of the rendition --- */

static void set_name(struct hls_audio *a, const struct m3u8_audio *s)
{
	errmsg_set(&a->name, "audio \"%.*s\" of group \"%.*s\"",
		   (int)MIN(s->name.len, (size_t)32), s->name.data,
		   (int)MIN(s->group.len, (size_t)32), s->group.data);
}

static void open_track(struct hls_audio *a, const struct m3u8_audio *s)
{
	struct hls_mux_config cfg = { .begin = begin_out, .push = push_out,
				      .arg = a };
	struct hls_track *t = &a->track, before = *t;
	char language[4] = "";

	if (a->mux == NULL)
		a->mux = hls_mux_new(&cfg);
	if (s->language.len == 3)
		memcpy(language, s->language.data, 3);
	hls_mux_set_language(a->mux, language);
	set_name(a, s);
	*t = (struct hls_track){ .ops = &ops, .arg = a };

	hls_track_open(t, a->spec, a->fetcher, a->url);
	/* the counters continue those of the previous audio playlist */
	t->segments = before.segments;
	t->errors = before.errors;
	t->list.reloads = before.list.reloads;
	t->window.skipped = before.window.skipped;
	t->list.loads_master = true;
	t->window.cut = true;
	log_info("stream", "hls: receiving %s", a->name.text);
}

void hls_audio_choose(struct hls_audio *a, const struct hls_list *list)
{
	struct errmsg error = { 0 };
	char *url = NULL;
	const struct m3u8_audio *s = hls_list_audio(list, a->spec->audio);

	if (s != NULL)
		url = url_resolve(list->master.base, s->uri.data, s->uri.len,
				  &error);
	if (url != NULL && a->url != NULL && strcmp(a->url, url) == 0) {
		free(url);
		return;
	}
	close_track(a);
	if (url != NULL && strcmp(url, list->media.base) != 0) {
		a->url = url;
		open_track(a, s);
		return;
	}
	/* without a separate playlist, the segments of the variant contain the
	 * audio */
	if (s != NULL && url == NULL) {
		set_name(a, s);
		errmsg_set(&a->error, "%s: %s", a->name.text, error.text);
		log_warning("stream", "hls: %s", a->error.text);
	}
	free(url);
}

/* --- turns --- */

void hls_audio_turn(struct hls_audio *a, uint64_t now_ns)
{
	uint64_t reserve_ns = MIN((uint64_t)HLS_AUDIO_RESERVE_MS,
				  a->spec->buffer_time_s * UINT64_C(500)) * MS;
	const struct playout *queue = segment_play_queue(a->play);
	bool expected, timed_out, reserve;

	if (a->mux == NULL)
		return;
	if (a->url != NULL)
		hls_track_turn(&a->track, now_ns);
	expected = a->url != NULL && a->track.err == 0 &&
		   !hls_track_has_ended(&a->track);
	timed_out = a->missing_since_ns > 0 &&
		    now_ns - a->missing_since_ns > HLS_AUDIO_WAIT_MS * MS;
	reserve = playout_is_dry(queue) ||
		  playout_waiting_ns(queue) > reserve_ns;
	a->patient = expected && !timed_out && reserve;
	hls_mux_turn(a->mux, a->patient);
	if (!hls_mux_misses_audio(a->mux))
		a->missing_since_ns = 0;
	else if (a->missing_since_ns == 0)
		a->missing_since_ns = now_ns;
}

void hls_audio_every_second(struct hls_audio *a)
{
	const char *text;
	bool reported = a->error.text[0] != '\0';

	if (a->mux != NULL)
		hls_mux_every_second(a->mux);
	if (a->url == NULL)
		return;
	text = hls_track_error(&a->track);
	if (text == NULL && a->missing_since_ns > 0 && !a->patient &&
	    !hls_track_has_ended(&a->track))
		text = "no audio arrives";
	a->error.text[0] = '\0';
	if (text != NULL)
		errmsg_set(&a->error, "%s: %s", a->name.text, text);
	if (text != NULL && !reported)
		log_warning("stream", "hls: %s", a->error.text);
}

/* --- video --- */

bool hls_audio_is_ready(void *arg)
{
	const struct hls_audio *a = arg;

	return a->mux == NULL || hls_mux_end(a->mux);
}

void hls_audio_begin(bool cut, void *arg)
{
	struct hls_audio *a = arg;

	a->muxes = a->url != NULL;
	if (a->muxes)
		hls_mux_begin(a->mux, cut);
	else
		segment_play_begin(a->play, cut);
}

bool hls_audio_push(const uint8_t *data, size_t len, void *arg)
{
	struct hls_audio *a = arg;

	return a->muxes ? hls_mux_push(a->mux, data, len)
			: segment_play_push(a->play, data, len);
}

bool hls_audio_end(void *arg)
{
	struct hls_audio *a = arg;

	return (!a->muxes || hls_mux_end(a->mux)) && segment_play_end(a->play);
}

uint64_t hls_audio_packets(void *arg)
{
	const struct hls_audio *a = arg;
	struct segment_play_counters played;

	segment_play_counters(a->play, &played);
	return a->muxes ? hls_mux_packets(a->mux) : played.packets;
}

uint64_t hls_audio_waiting_ms(void *arg)
{
	const struct hls_audio *a = arg;

	return playout_waiting_ns(segment_play_queue(a->play)) / MS;
}
