/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/fec.h"

#include <errno.h>

enum {
	VERSION = 0x80,
	VERSION_MASK = 0xc0,
	EXTENDED = 0x80, /* bit E, in the byte of the payload type */
	ROW = 0x40,      /* bit D: a row */
	SCHEME = 0x38,   /* mask of the FEC scheme; 0: XOR */
};

int fec_parse(const uint8_t *data, size_t len, struct fec_packet *ret)
{
	const uint8_t *h = data + RTP_HEADER;

	if (len < FEC_HEAD || (data[0] & VERSION_MASK) != VERSION ||
	    !(h[4] & EXTENDED) || h[12] & SCHEME)
		return -EBADMSG;
	/* flags and marker bit in the RTP header of the FEC datagram are the
	 * XORs of those of the datagrams */
	*ret = (struct fec_packet){
		.row = h[12] & ROW,
		.first = rtp_get16(h),
		.step = h[13],
		.n = h[14],
		.flags = data[0] & 0x3f,
		.payload_type = (uint8_t)((data[1] & 0x80) | (h[4] & 0x7f)),
		.len = rtp_get16(h + 2),
		.timestamp = rtp_get32(h + 8),
		.body = data + FEC_HEAD,
		.body_len = len - FEC_HEAD,
	};
	/* a row has step 1 */
	if (ret->n < 1 || ret->n > FEC_TAKEN_SIDE_MAX || ret->step < 1 ||
	    ret->step > FEC_TAKEN_SIDE_MAX ||
	    ret->n * ret->step > FEC_TAKEN_MATRIX_MAX ||
	    (ret->row && ret->step != 1))
		return -EBADMSG;
	return 0;
}

void fec_write(const struct fec_packet *f, uint16_t seq, uint32_t stamp,
	       uint8_t *ret)
{
	uint8_t *h = ret + RTP_HEADER;

	memset(ret, 0, FEC_HEAD);
	ret[0] = (uint8_t)(VERSION | f->flags);
	ret[1] = (uint8_t)((f->payload_type & 0x80) | FEC_PAYLOAD_TYPE);
	rtp_put16(ret + 2, seq);
	rtp_put32(ret + 4, stamp);
	rtp_put16(h, f->first);
	rtp_put16(h + 2, f->len);
	h[4] = (uint8_t)(EXTENDED | (f->payload_type & 0x7f));
	rtp_put32(h + 8, f->timestamp);
	h[12] = f->row ? ROW : 0;
	h[13] = f->step;
	h[14] = f->n;
}
