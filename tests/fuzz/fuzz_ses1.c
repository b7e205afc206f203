/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A compound packet of RTCP: the values of a report stay in their range. */
#include "tests/fuzz/fuzz.h"
#include "worker/adapter/satip/ses1.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ses1 s;

	if (ses1_decode(data, size, &s) < 0)
		return 0;
	if (s.quality > SES1_QUALITY_MAX || ses1_signal(&s) > 100 ||
	    ses1_snr(&s) > 100 ||
	    (!s.has_tuner && (s.lock || s.level > 0 || s.quality > 0)))
		abort();
	return 0;
}
