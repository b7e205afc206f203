/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets the segments of HLS in the ring of a stream, and reports what viewers
 * get from the ring. */
#include "common/base/log.h"
#include "common/base/wall.h"
#include "worker/stream/pipeline_state.h"

enum { PART_MIN_MS = 200 };

void pipeline_add_hls(struct pipeline *p, const struct sink *s)
{
	struct ring_out_hls *hls = &p->hls;

	if (!s->valid || !s->spec.hls)
		return;
	hls->duration_ms = MAX(hls->duration_ms,
			       s->spec.hls_duration_s * 1000);
	hls->quantity = MAX(hls->quantity, s->spec.hls_quantity);
	/* a part needs several pictures */
	if (s->spec.hls_part_ms > 0)
		hls->part_ms = MAX(s->spec.hls_part_ms,
				   (unsigned)PART_MIN_MS);
}

bool pipeline_has_hls(const struct pipeline *p)
{
	return p->ring != NULL && p->hls.duration_ms > 0;
}

/* True if hls_gop is raised: a group of pictures is longer than a segment, so
 * that segments begin at pictures that do not decode alone. */
static bool has_long_group(struct pipeline *p)
{
	uint32_t gop_ms = ring_out_longest_group(p->ring);
	uint32_t most_ms = ring_out_longest_segment(p->ring);
	bool was = p->hls_gop.raised;

	(void)alarm_second(&p->hls_gop, most_ms > 0 && gop_ms > most_ms,
			   wall_ms());
	if (p->hls_gop.raised && !was)
		log_warning("stream", "hls_gop: GOP of %.1f s is longer than "
			    "the segment of %u s: segments of HLS begin at "
			    "pictures that do not decode alone: choose a "
			    "shorter GOP in the encoder, or longer segments "
			    "(duration)",
			    gop_ms / 1000.0, most_ms / 1000);
	else if (was && !p->hls_gop.raised)
		log_info("stream", "alarm hls_gop ended");
	return p->hls_gop.raised;
}

/* Writes to the status where a new viewer begins, the codecs and the size of
 * the picture.  Raises hls_gop, and logs once that the ring is too small for
 * the segments of HLS. */
void pipeline_report_viewing(struct pipeline *p,
			     struct msg_stream_status *status)
{
	const struct fmp4_codecs *codecs = &p->codecs.codecs;

	status->join = ring_out_join(p->ring, &status->gop_ms);
	codec_watch_second(&p->codecs, p->ring, pipeline_psi(p), p->now_ns);
	status->codecs = codecs->text[0] != '\0' ? codecs->text : NULL;
	status->width = codecs->width;
	status->height = codecs->height;
	if (pipeline_has_hls(p) && has_long_group(p))
		status->alarms |= ALARM_BIT(ALARM_HLS_GOP);
	if (!p->hls_short && ring_out_is_short(p->ring)) {
		p->hls_short = true;
		log_warning("stream", "HLS: %u segments do not fit into the "
			    "largest ring buffer: the playlist has fewer "
			    "segments: choose a smaller duration or quantity",
			    p->hls.quantity);
	}
}
