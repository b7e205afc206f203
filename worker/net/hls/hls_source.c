/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/hls_source.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/net/hls/segment_play.h"
#include "worker/net/hls/hls_audio.h"

#include <stdlib.h>

enum { LEAD_LEAST_MS = 100 }; /* shortest duration of the buffer */

struct hls {
	const struct http_spec *spec;
	struct fetcher *fetcher;
	/* playlist of the video, and of audio in the same segments */
	struct hls_track pictures;
	struct hls_audio audio; /* playlist of separate audio */
	struct segment_play *play;
};

static unsigned lead_ms(const struct hls *h)
{
	return MAX(h->spec->buffer_time_s * 1000, (unsigned)LEAD_LEAST_MS);
}

static void on_list(const struct m3u8 *m, bool variant, void *arg)
{
	struct hls *h = container_of(arg, struct hls, audio);
	unsigned least = m->target_ms / 2 * 3;

	if (variant)
		hls_audio_choose(&h->audio, &h->pictures.list);
	segment_window_update(&h->pictures.window, m, lead_ms(h));
	if (m->ended)
		segment_play_set_pace(h->play, lead_ms(h), 0);
	else
		segment_play_set_pace(h->play, MAX(lead_ms(h), least),
				  m->target_ms);
}

static const struct hls_track_ops ops = {
	.nothing = "the segment contains no transport stream",
	.on_list = on_list,
	.is_ready = hls_audio_is_ready,
	.begin = hls_audio_begin,
	.push = hls_audio_push,
	.end = hls_audio_end,
	.packets = hls_audio_packets,
	.waiting_ms = hls_audio_waiting_ms,
};

struct hls *hls_new(const struct http_spec *spec, struct fetcher *fetcher,
		    const char *url, struct buf *body, uint64_t now_ns,
		    int *ret_err, struct errmsg *error)
{
	struct hls *h = xcalloc(1, sizeof *h);
	const struct m3u8 *m;

	h->spec = spec;
	h->fetcher = fetcher;
	h->play = segment_play_new(lead_ms(h),
			       (size_t)spec->buffer_size_kib * 1024 /
				       TS_PACKET, now_ns);
	h->audio = (struct hls_audio){ .spec = spec, .fetcher = fetcher,
				       .play = h->play };
	h->pictures = (struct hls_track){ .ops = &ops, .arg = &h->audio };
	hls_track_open(&h->pictures, spec, fetcher, spec->url);
	*ret_err = hls_list_begin(&h->pictures.list, url, body, now_ns, error);
	m = hls_list_media(&h->pictures.list);
	if (*ret_err < 0)
		hls_free(&h);
	else if (m != NULL)
		on_list(m, false, &h->audio);
	return h;
}

void hls_free(struct hls **hls)
{
	struct hls *h = *hls;

	*hls = NULL;
	if (h == NULL)
		return;
	hls_audio_done(&h->audio);
	hls_track_done(&h->pictures);
	segment_play_free(&h->play);
	free(h);
}

int hls_read(struct hls *h, struct batch *batch, uint64_t now_ns,
	     struct errmsg *error)
{
	struct playout *queue = segment_play_queue(h->play);
	size_t taken = segment_play_take(h->play, batch, now_ns);

	fetcher_turn(h->fetcher, now_ns,
		     taken > 0 ? playout_waiting_ns(queue) : 0);
	queue->elsewhere_ns = hls_track_ahead_ms(&h->pictures) * MS;
	/* after the end of the playlist the rest of the buffer is played */
	queue->ended = hls_track_has_ended(&h->pictures);
	if (queue->ended)
		segment_play_set_pace(h->play, 1, 0);
	hls_audio_turn(&h->audio, now_ns);
	hls_track_turn(&h->pictures, now_ns);
	if (taken > 0)
		return 1;
	if (h->pictures.err == 0 || !playout_is_dry(queue))
		return 0;
	*error = h->pictures.error;
	return h->pictures.err;
}

void hls_every_second(struct hls *h)
{
	segment_play_every_second(h->play);
	hls_audio_every_second(&h->audio);
}

void hls_counters(const struct hls *h, struct input_counters *ret)
{
	struct segment_play_counters played;

	segment_play_counters(h->play, &played);
	*ret = (struct input_counters){ .sync_losses = played.sync_losses };
}

void hls_stats(const struct hls *h, struct link_stats *ret)
{
	const struct hls_track *t = &h->pictures, *a = &h->audio.track;
	struct segment_play_counters played;
	uint64_t bandwidth = hls_list_bandwidth(&t->list);

	segment_play_counters(h->play, &played);
	link_stats_set(ret, LINK_SEGMENTS, t->segments + a->segments);
	link_stats_set(ret, LINK_SEGMENT_ERRORS,
		       t->errors + a->errors + played.truncated);
	link_stats_set(ret, LINK_SEGMENTS_SKIPPED,
		       t->window.skipped + a->window.skipped);
	link_stats_set(ret, LINK_PLAYLIST_RELOADS,
		       t->list.reloads + a->list.reloads);
	link_stats_set(ret, LINK_BUFFER_MS, played.waiting_ms);
	if (bandwidth > 0)
		link_stats_set(ret, LINK_VARIANT_BANDWIDTH, bandwidth);
}

const char *hls_error(const struct hls *h)
{
	const char *text = hls_track_error(&h->pictures);

	if (text != NULL)
		return text;
	if (hls_track_has_ended(&h->pictures) &&
	    playout_is_dry(segment_play_queue(h->play)))
		return "the playlist has ended";
	return h->audio.error.text[0] != '\0' ? h->audio.error.text : NULL;
}
