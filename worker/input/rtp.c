/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/rtp.h"

#include <errno.h>

static uint16_t be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)be16(p) << 16 | be16(p + 2);
}

int rtp_parse(const uint8_t *data, size_t len, struct rtp_datagram *ret)
{
	if (len < RTP_HEADER || data[0] >> 6 != 2)
		return -EBADMSG;

	bool padding = data[0] & 0x20, extension = data[0] & 0x10;
	size_t head = RTP_HEADER + 4 * (size_t)(data[0] & 0x0f);

	if (extension) {
		if (len < head + 4)
			return -EBADMSG;
		head += 4 + 4 * (size_t)be16(data + head + 2);
	}
	if (len < head)
		return -EBADMSG;

	size_t payload = len - head;

	if (padding) {
		/* the count includes its own byte */
		if (payload == 0 || data[len - 1] == 0 ||
		    data[len - 1] > payload)
			return -EBADMSG;
		payload -= data[len - 1];
	}
	*ret = (struct rtp_datagram){
		.seq = be16(data + 2),
		.timestamp = be32(data + 4),
		.ssrc = be32(data + 8),
		.payload_type = data[1] & 0x7f,
		.payload = data + head,
		.len = payload,
	};
	return 0;
}

bool rtp_sequence_feed(struct rtp_sequence *s, const struct rtp_datagram *d)
{
	uint16_t ahead = (uint16_t)(d->seq - s->next);
	bool fresh = !s->started || d->ssrc != s->ssrc;

	if (!fresh && ahead >= UINT16_MAX + 1 - RTP_MISORDER_MAX)
		return false;
	if (!fresh && ahead < RTP_DROPOUT_MAX)
		s->lost += ahead;
	s->started = true;
	s->ssrc = d->ssrc;
	s->next = (uint16_t)(d->seq + 1);
	return true;
}
