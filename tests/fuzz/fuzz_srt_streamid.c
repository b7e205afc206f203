/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stream id of an SRT caller: what it becomes is text for a question to the
 * master and for headers of HTTP. */
#include "common/base/utf8.h"
#include "tests/fuzz/fuzz.h"
#include "worker/net/srt/srt_streamid.h"

#include <stdlib.h>
#include <string.h>

/* No control characters: a header must not become two. */
static bool is_text(const char *text)
{
	for (const char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return false;
	return utf8_is_valid(text, strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *streamid = malloc(size + 1);
	struct srt_request r;

	if (streamid == NULL)
		abort();
	memcpy(streamid, data, size);
	streamid[size] = '\0';
	if (srt_streamid_read(streamid, &r) == SRT_REQUEST_OK) {
		if (!is_text(r.host) || !is_text(r.path) || !is_text(r.query))
			abort();
		for (const char *c = r.query; *c != '\0'; c++)
			if (*c == ' ' || (unsigned char)*c >= 0x80)
				abort();
		if (r.path[0] != '\0' && !srt_streamid_names(streamid, r.path))
			abort();
	}
	free(streamid);
	return 0;
}
