/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of any kind as one PAT section. */
#include "tests/fuzz/fuzz.h"
#include "worker/ts/pat.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pat pat;

	if (pat_decode(data, size, &pat) < 0)
		return 0;
	if (pat.n_programs > PAT_PROGRAMS_MAX)
		abort();
	for (size_t i = 0; i < pat.n_programs; i++)
		if (pat.programs[i].number == 0 ||
		    pat.programs[i].pmt_pid < 0x10 ||
		    pat.programs[i].pmt_pid >= 0x1fff)
			abort();
	return 0;
}
