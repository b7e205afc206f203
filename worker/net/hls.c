/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls.h"

#include "common/alloc.h"
#include "common/log.h"
#include "common/ratelimit.h"
#include "worker/hls/play.h"
#include "worker/net/hls_list.h"
#include "worker/net/hls_load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define MS UINT64_C(1000000)

enum {
	/* A segment that failed twice must not cost what waits. */
	TRIES_LEAST = 2,
	LEAD_LEAST_MS = 100,
};

struct hls {
	const struct http_spec *spec;
	struct fetcher *fetcher;
	struct hls_list list;
	struct hls_window window;
	struct hls_load load;
	struct hls_play *play;
	struct hls_step step;  /* that is being loaded */
	bool ending;           /* it is loaded, and there is no room */
	uint64_t packets;      /* before it */
	unsigned lost;         /* segments in a row that were not to be had */
	uint64_t segments, errors;
	int err;               /* it cannot be played at all ... */
	struct errmsg why;     /* ... or why segments are missing */
	struct ratelimit log;
};

static bool on_data(const uint8_t *data, size_t len, void *arg)
{
	struct hls *h = arg;

	return hls_play_push(h->play, data, len);
}

static unsigned lead_ms(const struct hls *h)
{
	return MAX(h->spec->buffer_time_s * 1000, (unsigned)LEAD_LEAST_MS);
}

/* A list was loaded. */
static void take_list(struct hls *h, const struct m3u8 *m)
{
	unsigned least = m->target_ms / 2 * 3;

	if (m->fragmented)
		h->err = errmsg_fail(&h->why, -ENOTSUP, "segments of MP4 are "
				     "not played: only MPEG-TS is");
	hls_window_update(&h->window, m, lead_ms(h));
	if (m->ended)
		hls_play_set_pace(h->play, lead_ms(h), 0);
	else
		hls_play_set_pace(h->play, MAX(lead_ms(h), least),
				  m->target_ms);
}

struct hls *hls_new(const struct http_spec *spec, struct fetcher *fetcher,
		    const char *url, struct buf *body, uint64_t now_ns,
		    int *ret_err, struct errmsg *why)
{
	struct hls *h = xcalloc(1, sizeof *h);

	h->spec = spec;
	h->fetcher = fetcher;
	hls_list_init(&h->list, fetcher, spec->url, spec->bandwidth);
	hls_load_init(&h->load, fetcher, spec->timeout_s, on_data, h);
	h->play = hls_play_new(lead_ms(h),
			       (size_t)spec->buffer_size_kib * 1024 /
				       TS_PACKET, now_ns);
	*ret_err = hls_list_begin(&h->list, url, body, now_ns, why);
	if (*ret_err < 0)
		hls_free(&h);
	else if (hls_list_media(&h->list) != NULL)
		take_list(h, hls_list_media(&h->list));
	return h;
}

void hls_free(struct hls **hls)
{
	struct hls *h = *hls;

	*hls = NULL;
	if (h == NULL)
		return;
	hls_load_done(&h->load);
	hls_list_done(&h->list);
	hls_play_free(&h->play);
	free(h);
}

/* --- segments --- */

static void log_loss(struct hls *h, const char *what, uint64_t now_ns)
{
	unsigned suppressed;

	if (ratelimit_pass(&h->log, now_ns / MS, &suppressed))
		log_warning("stream", "hls: segment %" PRIu64 ": %s%s",
			    h->step.sequence, h->why.text, what);
}

/* Another variant may have it; or it is left out, and what follows is a
 * cut. */
static void lose_segment(struct hls *h, uint64_t now_ns)
{
	h->lost++;
	if (hls_list_fall(&h->list, now_ns)) {
		log_loss(h, "", now_ns);
		return;
	}
	log_loss(h, ": it is left out", now_ns);
	hls_window_done(&h->window, &h->step, false);
}

/* Is there more to play than it takes to try again? */
static bool has_time(const struct hls *h, const struct m3u8 *m,
		     uint64_t now_ns)
{
	uint64_t wait_ms = (h->load.again_ns - MIN(h->load.again_ns, now_ns)) /
			   MS;
	struct hls_play_counters played;

	hls_play_counters(h->play, &played);
	return h->load.tries < TRIES_LEAST ||
	       hls_window_ahead_ms(&h->window, m) <= h->load.duration_ms ||
	       played.waiting_ms > wait_ms + m->target_ms;
}

static void begin_segment(struct hls *h, uint64_t now_ns)
{
	const struct m3u8 *m = hls_list_media(&h->list);
	struct hls_play_counters played;
	int r;

	if (m == NULL || !hls_window_next(&h->window, m, &h->step))
		return;
	hls_play_begin(h->play, h->step.cut);
	hls_play_counters(h->play, &played);
	h->packets = played.packets;
	r = hls_load_begin(&h->load, m, h->list.media.base, &h->step,
			   &h->why);
	if (r == -ENOTSUP) {
		h->err = r;
	} else if (r < 0) {
		h->errors++;
		lose_segment(h, now_ns);
	}
}

/* All of it is there. */
static void end_segment(struct hls *h, uint64_t now_ns)
{
	struct hls_play_counters played;

	h->ending = !hls_play_end(h->play);
	if (h->ending)
		return;
	hls_play_counters(h->play, &played);
	h->segments++;
	if (played.packets > h->packets) {
		h->lost = 0;
		h->why.text[0] = '\0';
		hls_window_done(&h->window, &h->step, true);
		return;
	}
	h->errors++;
	errmsg_set(&h->why, "there is no transport stream in it");
	hls_load_forget_keys(&h->load);
	lose_segment(h, now_ns);
}

static void break_segment(struct hls *h, bool last, uint64_t now_ns)
{
	const struct m3u8 *m = hls_list_media(&h->list);

	h->errors++;
	h->why = h->load.why;
	if (!last && m != NULL &&
	    hls_window_lists(&h->window, m, &h->step) &&
	    has_time(h, m, now_ns)) {
		log_loss(h, ": it is asked for again", now_ns);
		return;
	}
	hls_load_stop(&h->load);
	lose_segment(h, now_ns);
}

static void turn_segments(struct hls *h, uint64_t now_ns)
{
	if (h->ending) {
		end_segment(h, now_ns);
		return;
	}
	switch (hls_load_turn(&h->load, now_ns)) {
	case HLS_LOAD_IDLE:
		begin_segment(h, now_ns);
		break;
	case HLS_LOAD_RUNS:
		break;
	case HLS_LOAD_DONE:
		end_segment(h, now_ns);
		break;
	case HLS_LOAD_BROKEN:
		break_segment(h, false, now_ns);
		break;
	case HLS_LOAD_FAILED:
		break_segment(h, true, now_ns);
		break;
	}
}

/* --- all of it --- */

static void turn_list(struct hls *h, uint64_t now_ns)
{
	const struct m3u8 *m = hls_list_media(&h->list);
	uint64_t ahead_ms = m != NULL ? hls_window_ahead_ms(&h->window, m) : 0;
	bool ended;

	hls_play_set_elsewhere(h->play, ahead_ms);
	h->list.idle = ahead_ms == 0 && h->load.url == NULL;
	/* there will be no more to wait for */
	ended = h->list.idle && m != NULL && m->ended;
	hls_play_set_ended(h->play, ended);
	if (ended)
		hls_play_set_pace(h->play, 1, 0);
	switch (hls_list_turn(&h->list, now_ns)) {
	case HLS_LIST_SAME:
		return;
	case HLS_LIST_NEW:
		break;
	case HLS_LIST_VARIANT:
		hls_window_change(&h->window);
		break;
	}
	take_list(h, hls_list_media(&h->list));
}

int hls_read(struct hls *h, struct batch *batch, uint64_t now_ns,
	     struct errmsg *why)
{
	size_t taken = hls_play_take(h->play, batch, now_ns);

	fetcher_turn(h->fetcher, now_ns,
		     taken > 0 ? hls_play_waiting_ns(h->play) : 0);
	turn_list(h, now_ns);
	if (h->err == 0)
		turn_segments(h, now_ns);
	if (taken > 0)
		return 1;
	if (h->err == 0 || !hls_play_is_dry(h->play))
		return 0;
	*why = h->why;
	return h->err;
}

void hls_second(struct hls *h)
{
	hls_play_second(h->play);
}

void hls_counters(const struct hls *h, struct input_counters *ret)
{
	struct hls_play_counters played;

	hls_play_counters(h->play, &played);
	*ret = (struct input_counters){ .sync_losses = played.sync_losses };
}

void hls_stats(const struct hls *h, struct link_stats *ret)
{
	struct hls_play_counters played;
	uint64_t bandwidth = hls_list_bandwidth(&h->list);

	hls_play_counters(h->play, &played);
	link_stats_set(ret, LINK_SEGMENTS, h->segments);
	link_stats_set(ret, LINK_SEGMENT_ERRORS, h->errors + played.torn);
	link_stats_set(ret, LINK_SEGMENTS_SKIPPED, h->window.skipped);
	link_stats_set(ret, LINK_PLAYLIST_RELOADS, h->list.reloads);
	link_stats_set(ret, LINK_BUFFER_MS, played.waiting_ms);
	if (bandwidth > 0)
		link_stats_set(ret, LINK_VARIANT_BANDWIDTH, bandwidth);
}

const char *hls_trouble(const struct hls *h)
{
	const struct m3u8 *m = hls_list_media(&h->list);
	bool lost = h->lost > 0 && h->why.text[0] != '\0';

	if (h->list.trouble.text[0] != '\0' &&
	    (!lost || h->list.failures > 0))
		return h->list.trouble.text;
	if (lost)
		return h->why.text;
	return m != NULL && m->ended && h->list.idle &&
	       hls_play_is_dry(h->play) ? "the playlist has ended" : NULL;
}
