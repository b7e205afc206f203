/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes samples of the frames of audio: one frame a sample, except E-AC-3. */
#include "proto/si/bits.h"
#include "worker/fragment/fmp4_track.h"
#include "worker/ts/audio.h"
#include "worker/ts/pcr.h"

#include <errno.h>
#include <string.h>

enum {
	EAC3_SAMPLES = 1536, /* audio samples in an fMP4 sample: six blocks */
	CONFIG_MAX = 16,     /* bytes of a description */
	PTS_HZ = 90000,
	PAUSE_MAX_S = 10,    /* a longer gap is no pause */
};

static enum fmp4_coding coding_of(const struct audio_frame *f)
{
	switch (f->codec) {
	case AUDIO_ADTS:
		return FMP4_AAC;
	case AUDIO_MPEG:
		return FMP4_MPEG;
	case AUDIO_AC3:
		return FMP4_AC3;
	case AUDIO_EAC3:
		return FMP4_EAC3;
	case AUDIO_LATM:
		break;
	}
	return FMP4_NONE;
}

/* Reads the frame at p.  False: no frame begins there, or its coding or rate is
 * not that of the first frame of the track. */
static bool parse(const struct fmp4_track *t, const uint8_t *p, size_t left,
		  struct audio_frame *ret)
{
	return left >= AUDIO_HEAD && audio_frame_parse(p, ret) &&
	       coding_of(ret) != FMP4_NONE && ret->rate > 0 &&
	       (t->coding == FMP4_NONE ||
		(coding_of(ret) == t->coding && ret->rate == t->scale));
}

/* Returns the offset in es of the first frame at or behind `at' that another
 * frame or the end of es follows; the length of es: there is none. */
static size_t find_frame(const struct fmp4_track *t, size_t at,
			 struct audio_frame *ret)
{
	const uint8_t *data = buf_head(&t->es);
	size_t len = buf_len(&t->es);
	struct audio_frame next;

	for (; at + AUDIO_HEAD <= len; at++) {
		size_t end;

		if (!parse(t, data + at, len - at, ret))
			continue;
		end = at + ret->len;
		if (end + AUDIO_HEAD > len ||
		    (audio_frame_parse(data + end, &next) &&
		     next.codec == ret->codec && next.rate == ret->rate))
			return at;
	}
	return len;
}

static void put_config(struct fmp4_track *t, const struct bit_writer *w)
{
	buf_append(&t->config, w->data, (w->at + 7) / 8);
}

/* Writes the AudioSpecificConfig (ISO/IEC 14496-3 1.6.2.1).  0; -ENOTSUP: the
 * channels are described in the frames. */
static int describe_aac(struct fmp4_track *t, const uint8_t *p)
{
	uint8_t bytes[CONFIG_MAX] = { 0 };
	struct bit_writer w = { bytes, sizeof bytes, 0 };
	unsigned channels = (p[2] & 1U) << 2 | p[3] >> 6;

	if (channels == 0)
		return -ENOTSUP;
	bits_put(&w, 5, (uint32_t)(p[2] >> 6) + 1);
	bits_put(&w, 4, p[2] >> 2 & 0x0f);
	bits_put(&w, 4, channels);
	bits_put(&w, 3, 0);
	t->channels = channels == 7 ? 8 : channels;
	put_config(t, &w);
	return 0;
}

static const uint8_t ac3_channels[8] = { 2, 1, 2, 3, 3, 4, 4, 5 };

/* Writes the AC3SpecificBox (ETSI TS 102 366 F.4). */
static void describe_ac3(struct fmp4_track *t, const uint8_t *p, size_t len)
{
	uint8_t bytes[CONFIG_MAX] = { 0 };
	struct bit_writer w = { bytes, sizeof bytes, 0 };
	struct bits b = bits_of(p, len);
	unsigned rate, size, id, mode, acmod, lfe;

	bits_skip(&b, 32);
	rate = (unsigned)bits_take(&b, 2);
	size = (unsigned)bits_take(&b, 6);
	id = (unsigned)bits_take(&b, 5);
	mode = (unsigned)bits_take(&b, 3);
	acmod = (unsigned)bits_take(&b, 3);
	if ((acmod & 1) && acmod != 1)
		bits_skip(&b, 2);
	if (acmod & 4)
		bits_skip(&b, 2);
	if (acmod == 2)
		bits_skip(&b, 2);
	lfe = (unsigned)bits_take(&b, 1);
	bits_put(&w, 2, rate);
	bits_put(&w, 5, id);
	bits_put(&w, 3, mode);
	bits_put(&w, 3, acmod);
	bits_put(&w, 1, lfe);
	bits_put(&w, 5, size / 2);
	bits_put(&w, 5, 0);
	t->channels = ac3_channels[acmod] + lfe;
	put_config(t, &w);
}

/* Writes the EC3SpecificBox (F.6) of one independent substream. */
static void describe_eac3(struct fmp4_track *t, const uint8_t *p, size_t len,
			  const struct audio_frame *f)
{
	uint8_t bytes[CONFIG_MAX] = { 0 };
	struct bit_writer w = { bytes, sizeof bytes, 0 };
	struct bits b = bits_of(p, len);
	unsigned rate, acmod, lfe, id;
	uint32_t kbps = f->samples > 0
		? (uint32_t)(8ULL * f->len * f->rate / f->samples / 1000) : 0;

	bits_skip(&b, 16 + 2 + 3 + 11);
	rate = (unsigned)bits_take(&b, 2);
	bits_skip(&b, 2); /* numblkscod or fscod2 */
	acmod = (unsigned)bits_take(&b, 3);
	lfe = (unsigned)bits_take(&b, 1);
	id = (unsigned)bits_take(&b, 5);
	bits_put(&w, 13, kbps);
	bits_put(&w, 3, 0);
	bits_put(&w, 2, rate);
	bits_put(&w, 5, id);
	bits_put(&w, 1, 0);
	bits_put(&w, 1, 0); /* asvc */
	bits_put(&w, 3, 0); /* bsmod */
	bits_put(&w, 3, acmod);
	bits_put(&w, 1, lfe);
	bits_put(&w, 3, 0);
	bits_put(&w, 4, 0); /* num_dep_sub */
	bits_put(&w, 1, 0);
	t->channels = ac3_channels[acmod] + lfe;
	put_config(t, &w);
}

static int describe(struct fmp4_track *t, const uint8_t *p, size_t len,
		    const struct audio_frame *f)
{
	t->coding = coding_of(f);
	t->scale = t->rate = f->rate;
	switch (t->coding) {
	case FMP4_AAC:
		return describe_aac(t, p);
	case FMP4_AC3:
		describe_ac3(t, p, len);
		break;
	case FMP4_EAC3:
		describe_eac3(t, p, len, f);
		break;
	default:
		t->channels = p[3] >> 6 == 3 ? 1 : 2;
	}
	return 0;
}

/* Adds a frame to the samples, without its ADTS header. */
static void add_frame(struct fmp4_track *t, const uint8_t *p,
		      const struct audio_frame *f)
{
	size_t head = f->codec != AUDIO_ADTS ? 0 : p[1] & 1 ? 7 : 9;
	size_t n = fmp4_n_samples(t), len = MAX((size_t)f->len, head) - head;
	struct fmp4_sample *last = n > 0 ? fmp4_sample_at(t, n - 1) : NULL;
	struct fmp4_sample x = { .size = (uint32_t)len,
				 .duration = f->samples, .sync = true };

	/* a sample of E-AC-3 has all blocks and all substreams of its time */
	if (last != NULL && f->codec == AUDIO_EAC3 &&
	    (f->samples == 0 || last->duration < EAC3_SAMPLES)) {
		last->size += x.size;
		last->duration += x.duration;
	} else if (f->samples > 0) {
		buf_append(&t->samples, &x, sizeof x);
	} else {
		return;
	}
	buf_append(&t->data, p + head, len);
}

/* The time of the first frame of a PES, in the time scale of the track. */
static uint64_t time_of(const struct fmp4_track *t, const struct fmp4_source *s,
			const struct fmp4_pes *p)
{
	uint64_t time = fmp4_unwrap(p->pts, s->near);

	/* split, so that the product cannot overflow */
	return time / PTS_HZ * t->scale + time % PTS_HZ * t->scale / PTS_HZ;
}

/* If the audio pauses between `now' and `time', lengthens the last sample by
 * the pause.  Returns the length of the pause in ticks of the track's scale; 0:
 * there is none. */
static uint64_t fill_pause(struct fmp4_track *t, uint64_t now, uint64_t time)
{
	size_t n = fmp4_n_samples(t);
	uint64_t pause = time > now ? time - now : 0;
	uint32_t before = n > 0 ? fmp4_sample_at(t, n - 1)->duration
				: t->before;

	if (before == 0 || pause < before ||
	    pause > (uint64_t)PAUSE_MAX_S * t->scale)
		return 0;
	/* a sample of an earlier part was already sent with its duration */
	if (n > 0)
		fmp4_sample_at(t, n - 1)->duration += (uint32_t)pause;
	return pause;
}

/* Drops the samples so far, which belong to earlier parts: the next sample is
 * the first one of this part.  ticks: duration of the dropped samples. */
static void begin_part(struct fmp4_track *t, uint64_t ticks)
{
	t->known = t->known || fmp4_n_samples(t) > 0;
	t->time += ticks;
	buf_reset(&t->samples, 0);
	buf_reset(&t->data, 0);
}

int fmp4_audio(struct fmp4_track *t, const struct fmp4_source *s,
	       struct errmsg *error)
{
	size_t n_pes = fmp4_n_pes(t), len = buf_len(&t->es), i = 0, at = 0;
	bool begun = false;
	uint64_t ticks = 0;
	struct audio_frame f;

	(void)error;
	while (fmp4_n_samples(t) < FMP4_SAMPLES_MAX) {
		bool first = false, own;
		size_t found = find_frame(t, at, &f);

		/* finds the PES in which the frame begins */
		for (; i + 1 < n_pes && fmp4_pes_at(t, i + 1)->at <= found; i++)
			first = true;
		first = first || (i == 0 && fmp4_n_samples(t) == 0);
		own = n_pes > 0 && fmp4_pes_at(t, i)->own;
		if (!own && (n_pes == 0 || !fmp4_pes_at(t, i)->front))
			break;
		if (found + f.len > len || found == len) {
			t->lacking = found == len ? 1 : found + f.len - len;
			if (own && !s->last && t->beyond < 2)
				return -EAGAIN;
			break;
		}
		if (t->coding == FMP4_NONE &&
		    describe(t, buf_at(&t->es, found), f.len, &f) < 0)
			break;
		if (first && fmp4_pes_at(t, i)->has_time) {
			uint64_t time = time_of(t, s, fmp4_pes_at(t, i));

			if (!t->timed)
				t->time = time > ticks ? time - ticks : 0;
			else
				ticks += fill_pause(t, t->time + ticks, time);
			t->timed = true;
		}
		if (own && !begun) {
			begin_part(t, ticks);
			ticks = 0;
			begun = true;
		}
		add_frame(t, buf_at(&t->es, found), &f);
		ticks += f.samples;
		at = found + f.len;
		t->n_used = i + 1;
	}
	t->next_at = at;
	t->next_time = t->time + ticks;
	if (fmp4_n_samples(t) > 0)
		t->before = fmp4_sample_at(t, fmp4_n_samples(t) - 1)->duration;
	if (!begun)
		begin_part(t, 0);
	if (!t->timed)
		buf_take(&t->samples, buf_len(&t->samples));
	return 0;
}
