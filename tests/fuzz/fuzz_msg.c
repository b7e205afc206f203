/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of any kind as a message of either side; a message that decodes is
 * encoded, and must decode to the same bytes from then on. */
#include "proto/ipc/contract.h"
#include "proto/ipc/msg.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void go_round(const struct msg *m, enum msg_side side)
{
	static char once[MSG_SIZE_MAX], twice[MSG_SIZE_MAX];
	ssize_t len = msg_encode(m, once);
	struct msg back;

	/* control characters may take more room than they came in */
	if (len < 0)
		return;
	if (msg_decode(once, (size_t)len, side, &back, NULL) < 0)
		abort();
	if (back.type != m->type || msg_encode(&back, twice) != len ||
	    memcmp(once, twice, (size_t)len) != 0)
		abort();
	msg_done(&back);
}

static void try_side(const uint8_t *data, size_t size, enum msg_side side)
{
	struct errmsg why = { 0 };
	struct msg m;

	if (msg_decode((const char *)data, size, side, &m, &why) < 0) {
		if (why.text[0] == '\0')
			abort();
		return;
	}
	go_round(&m, side);
	msg_done(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_side(data, size, MSG_TO_MASTER);
	try_side(data, size, MSG_TO_WORKER);
	return 0;
}
