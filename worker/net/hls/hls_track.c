/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/hls_track.h"

#include "common/base/log.h"
#include "common/base/units.h"

#include <errno.h>
#include <inttypes.h>

enum {
	/* Attempts that a segment gets in any case.  Further attempts are made
	 * only if the buffer lasts a target duration longer than the wait, or
	 * if the playlist lists no later segment. */
	TRIES_LEAST = 2,
};

void hls_track_open(struct hls_track *t, const struct http_spec *spec,
		    struct fetcher *fetcher, const char *home)
{
	hls_list_init(&t->list, fetcher, home, spec->bandwidth);
	t->load = (struct hls_load){
		.fetcher = fetcher,
		.timeout_s = spec->timeout_s,
		.on_data = t->ops->push,
		.arg = t->arg,
	};
}

void hls_track_done(struct hls_track *t)
{
	hls_load_done(&t->load);
	hls_list_done(&t->list);
}

/* --- segments --- */

static void log_loss(struct hls_track *t, const char *what, uint64_t now_ns)
{
	unsigned suppressed;

	if (ratelimit_pass(&t->log, now_ns / MS, &suppressed))
		log_warning("stream", "hls: segment %" PRIu64 ": %s%s",
			    t->step.sequence, t->error.text, what);
}

/* After a failed segment: changes to another variant, or skips the segment.
 * The next segment is a cut. */
static void skip_or_fall(struct hls_track *t, uint64_t now_ns)
{
	t->lost++;
	if (hls_list_fall(&t->list, now_ns)) {
		log_loss(t, "", now_ns);
		return;
	}
	log_loss(t, ": skipped", now_ns);
	segment_window_done(&t->window, &t->step, false);
}

static void begin_segment(struct hls_track *t, uint64_t now_ns)
{
	const struct m3u8 *m = hls_list_media(&t->list);
	int r;

	if (m == NULL ||
	    (t->ops->is_ready != NULL && !t->ops->is_ready(t->arg)) ||
	    !segment_window_next(&t->window, m, &t->step))
		return;
	t->ops->begin(t->step.cut, t->arg);
	t->packets = t->ops->packets(t->arg);
	r = hls_load_begin(&t->load, m, t->list.media.base, &t->step,
			   &t->error);
	if (r == -ENOTSUP) {
		t->err = r;
	} else if (r < 0) {
		t->errors++;
		skip_or_fall(t, now_ns);
	}
}

/* Ends a segment that was loaded.  A segment without packets counts as
 * failed. */
static void end_segment(struct hls_track *t, uint64_t now_ns)
{
	t->ending = !t->ops->end(t->arg);
	if (t->ending)
		return;
	t->segments++;
	if (t->ops->packets(t->arg) > t->packets) {
		t->lost = 0;
		t->error.text[0] = '\0';
		segment_window_done(&t->window, &t->step, true);
		return;
	}
	t->errors++;
	errmsg_set(&t->error, "%s", t->ops->nothing);
	hls_load_forget_keys(&t->load);
	skip_or_fall(t, now_ns);
}

static void break_segment(struct hls_track *t, bool last, uint64_t now_ns)
{
	const struct m3u8 *m = hls_list_media(&t->list);
	const struct m3u8_segment *s =
		m != NULL ? segment_window_listed(&t->window, m, &t->step)
			  : NULL;
	uint64_t wait_ns = t->load.again_ns - MIN(t->load.again_ns, now_ns);
	/* true if another attempt may end before the buffer is empty */
	bool has_time =
		t->load.tries < TRIES_LEAST ||
		(m != NULL && segment_window_ahead_ms(&t->window, m) <=
				      t->load.duration_ms) ||
		(m != NULL &&
		 t->ops->waiting_ms(t->arg) > wait_ns / MS + m->target_ms);

	t->errors++;
	t->error = t->load.error;
	if (!last && s != NULL && has_time) {
		hls_load_renew(&t->load, s, t->list.media.base);
		log_loss(t, ": retrying", now_ns);
		return;
	}
	hls_load_stop(&t->load);
	skip_or_fall(t, now_ns);
}

static void turn_segments(struct hls_track *t, uint64_t now_ns)
{
	if (t->ending) {
		end_segment(t, now_ns);
		return;
	}
	switch (hls_load_turn(&t->load, now_ns)) {
	case HLS_LOAD_IDLE:
		begin_segment(t, now_ns);
		break;
	case HLS_LOAD_RUNS:
		break;
	case HLS_LOAD_DONE:
		end_segment(t, now_ns);
		break;
	case HLS_LOAD_BROKEN:
		break_segment(t, false, now_ns);
		break;
	case HLS_LOAD_FAILED:
		break_segment(t, true, now_ns);
		break;
	}
}

/* --- turns --- */

static void turn_list(struct hls_track *t, uint64_t now_ns)
{
	const struct segment_window *w = &t->window;
	uint32_t restarted = w->restarted;
	enum hls_list_is is;
	unsigned suppressed;

	t->list.idle = hls_track_ahead_ms(t) == 0 && t->load.url == NULL &&
		       !t->ending;
	is = hls_list_turn(&t->list, now_ns);
	if (is == HLS_LIST_SAME)
		return;
	if (is == HLS_LIST_VARIANT)
		segment_window_change(&t->window);
	t->ops->on_list(hls_list_media(&t->list), is == HLS_LIST_VARIANT,
			t->arg);
	t->held.text[0] = '\0';
	if (segment_window_is_held(w))
		errmsg_set(&t->held, "the playlist lists old segments, up to "
			   "number %" PRIu64 ": number %" PRIu64 " is "
			   "expected", w->old.end - 1, w->next);
	if (w->restarted != restarted &&
	    ratelimit_pass(&t->log, now_ns / MS, &suppressed))
		log_info("stream", "hls: the server restarted the numbers of "
			 "segments: continuing with segment %" PRIu64, w->next);
}

void hls_track_turn(struct hls_track *t, uint64_t now_ns)
{
	const struct m3u8 *m;

	turn_list(t, now_ns);
	m = hls_list_media(&t->list);
	if (m != NULL && m->fragmented)
		t->err = errmsg_fail(&t->error, -ENOTSUP, "segments of MP4 are "
				     "not supported: only MPEG-TS is");
	if (t->err == 0)
		turn_segments(t, now_ns);
}

uint64_t hls_track_ahead_ms(const struct hls_track *t)
{
	const struct m3u8 *m = hls_list_media(&t->list);

	return m != NULL ? segment_window_ahead_ms(&t->window, m) : 0;
}

bool hls_track_has_ended(const struct hls_track *t)
{
	const struct m3u8 *m = hls_list_media(&t->list);

	return t->list.idle && m != NULL && m->ended;
}

const char *hls_track_error(const struct hls_track *t)
{
	bool lost = (t->lost > 0 || t->err < 0) && t->error.text[0] != '\0';

	if (t->list.error.text[0] != '\0' &&
	    (!lost || t->list.failures > 0))
		return t->list.error.text;
	if (lost)
		return t->error.text;
	return t->held.text[0] != '\0' ? t->held.text : NULL;
}
