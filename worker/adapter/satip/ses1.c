/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/satip/ses1.h"

#include "worker/adapter/satip/head.h"
#include "worker/rtp/rtp_packet.h"

#include <errno.h>
#include <string.h>

enum {
	RTCP_BYE = 203,
	RTCP_APP = 204,
	APP_NAME = 8,  /* offset of the name */
	APP_TEXT = 16, /* offset of the text, behind its length */
};

/* Reads a number of a report.  A value above max, up to UINT16_MAX, counts as
 * max: a server that reports a level of 300 has a strong signal. */
static bool take_value(struct slice s, uint32_t max, uint32_t *ret)
{
	if (!slice_number(s, UINT16_MAX, ret))
		return false;
	*ret = MIN(*ret, max);
	return true;
}

/* Reads the tuner of a report: "1,240,1,7,11362.75,h,dvbs2,...". */
static void take_tuner(struct ses1 *s, struct slice value)
{
	uint32_t level, lock, quality;
	struct slice part;

	/* the number of the frontend comes first; it is empty while the server
	 * has no frontend for the session */
	if (!slice_part(&value, ',', &part) ||
	    !slice_part(&value, ',', &part) ||
	    !take_value(part, SES1_LEVEL_MAX, &level) ||
	    !slice_part(&value, ',', &part) || !take_value(part, 1, &lock) ||
	    !slice_part(&value, ',', &part) ||
	    !take_value(part, SES1_QUALITY_MAX, &quality))
		return;
	s->has_tuner = true;
	s->level = (uint8_t)level;
	s->lock = lock != 0;
	s->quality = (uint8_t)quality;
}

static void take_app(struct ses1 *s, const uint8_t *packet, size_t len)
{
	struct slice text = { .at = (const char *)packet };
	struct slice part, name, value;
	size_t n;

	if (len < APP_TEXT || memcmp(packet + APP_NAME, "SES1", 4) != 0)
		return;
	n = rtp_get16(packet + APP_TEXT - 2);
	text.at += APP_TEXT;
	text.len = strnlen(text.at, MIN(n, len - APP_TEXT));
	while (slice_part(&text, ';', &part))
		if (slice_split(part, '=', &name, &value) &&
		    slice_is(name, "tuner"))
			take_tuner(s, value);
}

int ses1_decode(const uint8_t *data, size_t len, struct ses1 *ret)
{
	struct ses1 s = { 0 };
	size_t size;

	if (!rtp_is_rtcp(data, len))
		return -EBADMSG;
	for (; len >= RTCP_HEADER; data += size, len -= size) {
		if (!rtp_is_rtcp(data, len))
			return -EBADMSG;
		size = 4u * (rtp_get16(data + 2) + 1u);
		/* The last packet may announce padding that the server did not
		 * send. */
		size = MIN(size, len);
		if (data[1] == RTCP_BYE)
			s.bye = true;
		else if (data[1] == RTCP_APP)
			take_app(&s, data, size);
	}
	*ret = s;
	return 0;
}
