/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/rtp_packet.h"

#include <errno.h>

int rtp_parse(const uint8_t *data, size_t len, struct rtp_datagram *ret)
{
	if (len < RTP_HEADER || data[0] >> 6 != 2)
		return -EBADMSG;

	bool padding = data[0] & 0x20, extension = data[0] & 0x10;
	size_t head = RTP_HEADER + 4 * (size_t)(data[0] & 0x0f);

	if (extension) {
		if (len < head + 4)
			return -EBADMSG;
		head += 4 + 4 * (size_t)rtp_get16(data + head + 2);
	}
	if (len < head)
		return -EBADMSG;

	size_t payload = len - head;

	if (padding) {
		/* the last byte is the number of padding bytes, itself
		 * included */
		if (payload == 0 || data[len - 1] == 0 ||
		    data[len - 1] > payload)
			return -EBADMSG;
		payload -= data[len - 1];
	}
	*ret = (struct rtp_datagram){
		.seq = rtp_get16(data + 2),
		.timestamp = rtp_get32(data + 4),
		.ssrc = rtp_get32(data + 8),
		.payload_type = data[1] & 0x7f,
		.payload = data + head,
		.len = payload,
		.data = data,
		.size = len,
	};
	return 0;
}
