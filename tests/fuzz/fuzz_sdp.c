/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session description: its result is the address of an input that can be
 * read, and its name is printable. */
#include "common/base/utf8.h"
#include "tests/fuzz/fuzz.h"
#include "worker/sdp/offer.h"

#include <stdlib.h>
#include <string.h>

static void judge_offer(const struct session_description *d, unsigned number)
{
	char address[ADDRESS_TEXT_MAX + 1];
	struct input_spec spec;
	struct sdp_offer o;

	if (sdp_offer_read(d, number, &o, NULL) < 0)
		return;
	sdp_offer_address(&o, "eth0", address);
	if (input_spec_parse(address, &spec, NULL, NULL, NULL) < 0 ||
	    spec.kind != (o.rtp ? INPUT_RTP : INPUT_UDP) ||
	    !sockaddr_equal(&spec.local, &o.paths[0].local) ||
	    spec.has_source != o.paths[0].has_source ||
	    spec.rtp.fec != o.fec ||
	    (spec.merge[0] != '\0') != (o.n_paths == 2))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct session_description d;
	char origin[SDP_ORIGIN_MAX + 1];
	struct errmsg why;

	if (sdp_parse((const char *)data, size, &d, &why) < 0)
		return 0;
	if (!utf8_is_valid(d.name, strlen(d.name)) ||
	    strpbrk(d.name, "\r\n\t\x1b\x7f") != NULL ||
	    sdp_parse_origin((const char *)data, size, origin, NULL) < 0 ||
	    strcmp(origin, d.origin) != 0)
		abort();
	for (unsigned i = 0; i <= d.n_media; i++)
		judge_offer(&d, i);
	return 0;
}
