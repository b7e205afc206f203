/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects of the session layer (SPDU), each with its length in front: numbers
 * of sessions stay in their range, and an object is a part of the input. */
#include "tests/fuzz/fuzz.h"
#include "worker/adapter/ci/ci_session.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ci_sessions sessions = { 0 };
	struct ci_session_object o;

	while (size > 0) {
		size_t n = data[0] < size - 1 ? data[0] : size - 1;
		int r = ci_session_take(&sessions, data + 1, n, &o);

		if (r >= 0 && o.n_reply > CI_SESSION_REPLY)
			abort();
		if ((r == CI_SESSION_OPENED || r == CI_SESSION_DATA) &&
		    (o.number < 1 || o.number > CI_SESSIONS_MAX ||
		     sessions.of[o.number - 1] != o.resource))
			abort();
		if (r == CI_SESSION_DATA && o.data.n > n)
			abort();
		data += 1 + n;
		size -= 1 + n;
	}
	return 0;
}
