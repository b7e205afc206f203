/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/packed_audio.h"

#include "common/base/util.h"
#include "worker/ts/pes.h"

#include <string.h>

enum {
	TAG_HEADER = 10,   /* bytes of the header of an ID3 tag */
	FRAME_HEADER = 10, /* bytes of the header of a frame in the tag */
	STAMP = 8,         /* bytes of the time stamp in a PRIV frame */
	KEEP = 64 * 1024,  /* bytes of memory that an empty buffer keeps */
	PAYLOAD = TS_PACKET - 4,
	PES_MPEG = 0xc0,    /* stream_id: MPEG audio stream 0 */
	PES_PRIVATE = 0xbd, /* stream_id: private_stream_1 */
};

/* The owner of the PRIV frame with the time stamp; its NUL is in the frame. */
static const char owner[] = "com.apple.streaming.transportStreamTimestamp";
#define STAMP_AT (FRAME_HEADER + sizeof owner)

bool packed_audio_begins(const uint8_t *data, size_t len)
{
	return data[0] == 'I' || (data[0] == 0xff && (len < 2 ||
						      data[1] >= 0xe0)) ||
	       (data[0] == 0x0b && (len < 2 || data[1] == 0x77));
}

void packed_audio_segment(struct packed_audio *p)
{
	buf_reset(&p->bytes, KEEP);
	p->skip = p->n_pes = 0;
}

void packed_audio_push(struct packed_audio *p, const uint8_t *data, size_t len)
{
	size_t skip = MIN(p->skip, len);

	p->skip -= skip;
	if (len > skip)
		buf_append(&p->bytes, data + skip, len - skip);
}

/* --- ID3 tag --- */

static size_t syncsafe(const uint8_t *p)
{
	return (size_t)(p[0] & 0x7f) << 21 | (size_t)(p[1] & 0x7f) << 14 |
	       (size_t)(p[2] & 0x7f) << 7 | (p[3] & 0x7f);
}

/* Reads the time stamp in an ID3 tag (ID3v2.3 or 2.4): the PRIV frame of
 * `owner'. */
static void read_tag(struct packed_audio *p, const uint8_t *tag, size_t len)
{
	bool old = tag[3] < 4;

	for (size_t at = TAG_HEADER; at + FRAME_HEADER <= len;) {
		const uint8_t *frame = tag + at;
		size_t size = old ? (size_t)frame[4] << 24 |
					    (size_t)frame[5] << 16 |
					    (size_t)frame[6] << 8 | frame[7]
				  : syncsafe(frame + 4);
		uint64_t time = 0;

		at += FRAME_HEADER;
		if (size > len - at)
			return;
		at += size;
		if (memcmp(frame, "PRIV", 4) != 0 ||
		    size < sizeof owner + STAMP ||
		    memcmp(frame + FRAME_HEADER, owner, sizeof owner) != 0)
			continue;
		for (size_t i = 0; i < STAMP; i++)
			time = time << 8 | frame[STAMP_AT + i];
		p->base = time % PES_TIME_WRAP;
		p->samples = 0;
		p->stamped = true;
	}
}

enum next { IS_NONE, IS_SHORT, IS_TAG, IS_FRAME };

/* Finds what the bytes begin with: a tag, a frame, or neither (IS_NONE);
 * IS_SHORT: more bytes are needed.  *ret: length of the tag or frame; a tag
 * longer than PACKED_TAG_MAX may have arrived only in part. */
static enum next look(const struct packed_audio *p,
		      struct audio_frame *ret_frame, size_t *ret)
{
	const uint8_t *head = buf_head(&p->bytes);
	size_t len = buf_len(&p->bytes);

	if (len < TAG_HEADER)
		return IS_SHORT;
	if (memcmp(head, "ID3", 3) == 0) {
		*ret = TAG_HEADER + syncsafe(head + 6);
		return *ret > len && *ret <= PACKED_TAG_MAX ? IS_SHORT
							    : IS_TAG;
	}
	if (!audio_frame_parse(head, ret_frame) ||
	    ret_frame->codec == AUDIO_LATM || ret_frame->rate == 0 ||
	    ret_frame->len > PACKED_FRAME_MAX)
		return IS_NONE;
	*ret = ret_frame->len;
	return *ret > len ? IS_SHORT : IS_FRAME;
}

/* --- frames --- */

static uint64_t now_pts(const struct packed_audio *p)
{
	return (p->base + p->samples * 90000 / p->rate) % PES_TIME_WRAP;
}

static void take_frame(struct packed_audio *p, const struct audio_frame *f)
{
	if (p->rate != f->rate || p->codec != f->codec) {
		if (p->rate != 0)
			p->base = now_pts(p);
		p->samples = 0;
		p->rate = f->rate;
		p->codec = f->codec;
	}
	if (p->n_pes == 0)
		p->pes_pts = now_pts(p);
	memcpy(p->pes + p->n_pes, buf_head(&p->bytes), f->len);
	p->n_pes += f->len;
	p->samples += f->samples;
	buf_take(&p->bytes, f->len);
}

static size_t put_pes(struct packed_audio *p, uint8_t *ret)
{
	bool mpeg = p->codec == AUDIO_MPEG || p->codec == AUDIO_ADTS;
	uint8_t pes[PACKED_HEADER + sizeof p->pes];
	size_t len = p->n_pes + PACKED_HEADER, n = 0;

	memcpy(pes, (const uint8_t[PACKED_HEADER]){ 0, 0, 1,
		mpeg ? PES_MPEG : PES_PRIVATE, (uint8_t)((len - 6) >> 8),
		(uint8_t)(len - 6), 0x84, 0x80, 5, 0x21, 0, 1, 0, 1 },
	       PACKED_HEADER);
	pes_set_time(pes + PES_HEADER, p->pes_pts);
	memcpy(pes + PACKED_HEADER, p->pes, p->n_pes);
	for (size_t at = 0; at < len; n++) {
		size_t take = MIN(len - at, (size_t)PAYLOAD);
		size_t stuffing = PAYLOAD - take;
		uint8_t *packet = ret + n * TS_PACKET;

		packet[0] = TS_SYNC_BYTE;
		packet[1] = n == 0 ? 0x40 : 0;
		packet[2] = 0;
		packet[3] = stuffing > 0 ? 0x30 : 0x10;
		if (stuffing > 0) {
			memset(packet + 4, 0xff, stuffing);
			packet[4] = (uint8_t)(stuffing - 1);
		}
		if (stuffing > 1)
			packet[5] = 0;
		memcpy(packet + 4 + stuffing, pes + at, take);
		at += take;
	}
	p->n_pes = 0;
	return n;
}

size_t packed_audio_pull(struct packed_audio *p, bool last, uint8_t *ret)
{
	struct audio_frame frame;
	const uint8_t *head;
	size_t size = 0, len;

	for (;;) {
		enum next is = look(p, &frame, &size);
		bool ends = is == IS_TAG ||
			    (is == IS_FRAME && p->rate != 0 &&
			     (frame.rate != p->rate ||
			      frame.codec != p->codec)) ||
			    (is == IS_SHORT && last);

		if (p->n_pes >= PACKED_PES || (ends && p->n_pes > 0))
			return put_pes(p, ret);
		switch (is) {
		case IS_SHORT:
			return 0;
		case IS_TAG:
			len = MIN(size, buf_len(&p->bytes));
			if (size == len)
				read_tag(p, buf_head(&p->bytes), len);
			p->skip = size - len;
			buf_take(&p->bytes, len);
			break;
		case IS_FRAME:
			take_frame(p, &frame);
			break;
		case IS_NONE:
			/* skips bytes up to the next possible frame */
			head = buf_head(&p->bytes);
			len = buf_len(&p->bytes);
			size = 1;
			while (size < len &&
			       !packed_audio_begins(head + size, len - size))
				size++;
			p->junk += (uint32_t)size;
			buf_take(&p->bytes, size);
			break;
		}
	}
}

uint8_t packed_audio_stream_type(const struct packed_audio *p)
{
	if (p->rate == 0)
		return 0;
	if (p->codec == AUDIO_ADTS)
		return 0x0f;
	return p->codec == AUDIO_MPEG ? 0x03 : 0x06;
}
