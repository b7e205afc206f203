/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a server sends on its RTSP connection: each item lies inside of the
 * data, and an item that is not complete stays so until there is more. */
#include "tests/fuzz/fuzz.h"
#include "worker/adapter/satip/rtsp.h"

#include <stdlib.h>
#include <string.h>

static void judge(const struct rtsp_item *item, const uint8_t *data, size_t len)
{
	if (item->kind == RTSP_FRAME &&
	    (item->data < data || item->data + item->len != data + len))
		abort();
	if (item->kind != RTSP_FRAME &&
	    (item->reply.timeout_s == 0 || item->reply.status > 599 ||
	     strlen(item->reply.session) >= RTSP_SESSION_MAX))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rtsp_item item, shorter;
	struct errmsg error;
	ssize_t n;

	while ((n = rtsp_decode(data, size, &item, &error)) > 0) {
		if ((size_t)n > size)
			abort();
		judge(&item, data, (size_t)n);
		if (rtsp_decode(data, (size_t)n - 1, &shorter, NULL) > n - 1)
			abort();
		data += n;
		size -= (size_t)n;
	}
	return 0;
}
