/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/fragment/fmp4.h"

#include "worker/fragment/fmp4_track.h"
#include "worker/ts/pcr.h"
#include "worker/ts/psi.h"

#include <errno.h>

enum {
	STREAM_AVC = 0x1b,
	STREAM_HEVC = 0x24,
	STREAM_LATM = 0x11,
};

uint64_t fmp4_unwrap(uint64_t time, uint64_t near)
{
	int64_t diff = wrap_diff(time, near % PES_TIME_WRAP, PES_TIME_WRAP);

	/* the result must not be negative */
	return diff < 0 && near < (uint64_t)-diff
		? time : near + (uint64_t)diff;
}

static struct fmp4_track *find(struct fmp4_track *list, size_t n, uint16_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].pid == pid)
			return &list[i];
	return NULL;
}

/* Lists the tracks of a program that fMP4 carries.  0; -EAGAIN: its PMT cannot
 * be read; -ENOTSUP with error: its video cannot be carried, or it has no
 * tracks. */
static int add_tracks(const struct psi_program *p, struct fmp4_track *list,
		      size_t *ret_n, struct errmsg *error)
{
	struct pmt pmt;

	*ret_n = 0;
	if (pmt_decode(p->pmt.data, p->pmt.len, &pmt) < 0)
		return -EAGAIN;
	for (size_t i = 0; i < pmt.n_streams; i++) {
		const struct pmt_stream *s = &pmt.streams[i];
		uint8_t coding = pmt_coding(s);
		struct fmp4_track t = { .pid = s->pid, .type = coding,
					.video = s->class == PID_VIDEO };

		if (t.video && coding != STREAM_AVC && coding != STREAM_HEVC)
			return errmsg_fail(error, -ENOTSUP, "PID %u: video of "
					   "stream_type 0x%02x cannot be "
					   "carried in fMP4", s->pid, coding);
		if ((!t.video && s->class != PID_AUDIO) ||
		    coding == STREAM_LATM || *ret_n == FMP4_TRACKS_MAX ||
		    find(list, *ret_n, s->pid) != NULL)
			continue;
		t.coding = !t.video ? FMP4_NONE
			: coding == STREAM_AVC ? FMP4_AVC : FMP4_HEVC;
		list[(*ret_n)++] = t;
	}
	return *ret_n > 0 ? 0
		: errmsg_fail(error, -ENOTSUP, "program %u has no video or "
			      "audio that fMP4 can carry", p->number);
}

/* Collects the payload of a packet of the track.  place: offset of the packet
 * in the data of the source. */
static void feed(struct fmp4_track *t, struct pes_reader *r,
		 const struct fmp4_source *s, size_t place)
{
	const uint8_t *packet = s->data + place, *end = packet + TS_PACKET;
	const uint8_t *es;
	size_t len, skip;

	if (ts_tei(packet) || ts_scrambling(packet))
		return;
	if (ts_pusi(packet) && pes_begins(packet)) {
		struct fmp4_pes begun = {
			.at = buf_len(&t->es),
			.own = place >= s->from && place < s->own,
			.front = place < s->from,
		};

		t->header = (struct pes_skip){ 0 };
		t->beyond += place >= s->own;
		buf_append(&t->pes, &begun, sizeof begun);
	}
	/* the packet continues a PES that began before the data */
	if (fmp4_n_pes(t) == 0)
		return;
	if (ts_pusi(packet) || t->waits) {
		struct pes_stamps times;
		enum pes_sign sign = pes_reader_take(r, packet, &times);

		t->waits = sign == PES_WAITS;
		if (sign == PES_READ) {
			struct fmp4_pes *last =
				fmp4_pes_at(t, fmp4_n_pes(t) - 1);

			last->has_time = true;
			last->pts = times.pts;
			last->dts = times.dts;
		}
	}
	es = pes_skip(&t->header, packet + ts_payload_offset(packet), end);
	len = es != NULL ? (size_t)(end - es) : 0;
	skip = MIN(t->skip, len);
	t->skip -= skip;
	if (len > skip)
		buf_append(&t->es, es + skip, len - skip);
	if (place < s->own) {
		t->own_len = buf_len(&t->es);
		t->own_skip = t->skip;
		t->own_header = t->header;
	}
}

/* True if the time stamp of the PES behind the segment is incomplete: it gives
 * the duration of the last picture. */
static bool lacks_time(const struct fmp4_track *t)
{
	return t->video && t->waits;
}

int fmp4_demux(const struct fmp4_source *s, struct fmp4_track *list,
	       size_t *n, struct errmsg *error)
{
	struct psi *psi = psi_new();
	struct pes_reader reader = { 0 };
	int err = 0;

	*n = s->state != NULL ? fmp4_continue(s->state, s->rest, list) : 0;
	for (size_t at = 0; err == 0 && at + TS_PACKET <= s->len;
	     at += TS_PACKET) {
		const uint8_t *packet = s->data + at;
		uint16_t pid = ts_pid(packet);
		struct fmp4_track *t = find(list, *n, pid);
		const struct psi_program *p;

		if (!ts_sync_ok(packet))
			continue;
		/* The track needs the start of one PES behind the segment.  The
		 * last audio frame may end in the PES that follows, so audio
		 * needs the start of a second one. */
		if (t != NULL &&
		    (t->beyond < (t->video ? 1 : 2) || lacks_time(t)))
			feed(t, &reader, s, at);
		if (*n > 0 || psi_class(psi, pid) != PID_PSI)
			continue;
		(void)psi_feed(psi, packet);
		p = psi_main_program(psi);
		if (p != NULL && p->pmt.data != NULL)
			err = add_tracks(p, list, n, error);
	}
	psi_free(&psi);
	if (err == 0 && *n == 0)
		err = errmsg_fail(error, -ENOTSUP, "the segment has no PAT or "
				  "no PMT");
	return err;
}

void fmp4_track_done(struct fmp4_track *t)
{
	buf_done(&t->es);
	buf_done(&t->pes);
	buf_done(&t->samples);
	buf_done(&t->data);
	buf_done(&t->sets);
	buf_done(&t->config);
}

static bool has_own(const struct fmp4_track *t)
{
	for (size_t i = 0; i < fmp4_n_pes(t); i++)
		if (fmp4_pes_at(t, i)->own)
			return true;
	return false;
}

bool fmp4_lack_feed(struct fmp4_lack *l, const uint8_t *data, size_t len)
{
	for (size_t at = 0; at + TS_PACKET <= len && l->n > 0;
	     at += TS_PACKET) {
		const uint8_t *packet = data + at;
		size_t i = 0, n = TS_PACKET - ts_payload_offset(packet);

		if (!ts_sync_ok(packet) || ts_tei(packet) ||
		    ts_scrambling(packet))
			continue;
		while (i < l->n && l->list[i].pid != ts_pid(packet))
			i++;
		if (i == l->n)
			continue;
		if (ts_pusi(packet) && pes_begins(packet))
			l->list[i].pes = false;
		l->list[i].bytes -= MIN(l->list[i].bytes, n);
		if (!l->list[i].pes && l->list[i].bytes == 0)
			l->list[i] = l->list[--l->n];
	}
	return l->n == 0;
}

static void add_lack(struct fmp4_lack *l, const struct fmp4_track *t, bool pes,
		     size_t bytes)
{
	l->list[l->n].pid = t->pid;
	l->list[l->n].pes = pes;
	l->list[l->n++].bytes = bytes;
}

int fmp4_make(const struct fmp4_source *s, struct buf *init, struct buf *media,
	      struct fmp4_lack *lack, struct errmsg *error)
{
	struct fmp4_track list[FMP4_TRACKS_MAX] = { 0 };
	size_t n, used = 0;
	int err = fmp4_demux(s, list, &n, error);

	lack->n = 0;
	for (size_t i = 0; err == 0 && !s->last && i < n; i++) {
		const struct fmp4_track *t = &list[i];

		/* no PES behind the segment has begun, or its time stamp is
		 * incomplete */
		if (has_own(t) && (t->beyond == 0 || lacks_time(t)))
			add_lack(lack, t, t->beyond == 0, t->beyond > 0);
	}
	if (lack->n > 0)
		err = -EAGAIN;
	for (size_t i = 0; err == 0 && i < n; i++) {
		if (buf_len(&list[i].es) + buf_len(&list[i].sets) == 0)
			continue;
		err = list[i].video ? fmp4_video(&list[i], s, error)
				    : fmp4_audio(&list[i], s, error);
		if (err == -EAGAIN)
			add_lack(lack, &list[i], false, list[i].lacking);
	}
	for (size_t i = 0; err == 0 && i < n; i++) {
		size_t samples = fmp4_n_samples(&list[i]);

		list[i].known = list[i].known || samples > 0;
		used += samples > 0;
	}
	if (err == 0 && used == 0)
		err = errmsg_fail(error, -ENOTSUP, "the segment has no video "
				  "or audio that fMP4 can carry");
	if (err == 0) {
		if (s->state != NULL)
			fmp4_keep(s->state, list, n);
		if (s->past != NULL)
			fmp4_recall(s->past, list, n);
		fmp4_write_init(init, list, n);
		fmp4_write_media(media, list, n, s->number);
	}
	for (size_t i = 0; i < n; i++)
		fmp4_track_done(&list[i]);
	return err;
}

int fmp4_skip(const struct fmp4_source *source)
{
	struct fmp4_source s = { .data = source->data, .len = source->len,
				 .from = source->len, .own = source->len,
				 .last = true, .near = source->near,
				 .state = source->state };
	struct fmp4_track list[FMP4_TRACKS_MAX] = { 0 };
	struct errmsg error;
	size_t n;
	int err = fmp4_demux(&s, list, &n, &error);

	for (size_t i = 0; err == 0 && i < n; i++) {
		/* an error is ignored: the description may still be missing */
		if (list[i].video)
			(void)!fmp4_video(&list[i], &s, &error);
		else
			(void)!fmp4_audio(&list[i], &s, &error);
	}
	if (err == 0)
		fmp4_keep(s.state, list, n);
	for (size_t i = 0; i < n; i++)
		fmp4_track_done(&list[i]);
	return err;
}
