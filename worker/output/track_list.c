/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/track_list.h"

uint32_t track_list_digest(const struct psi *psi)
{
	const struct psi_program *main = psi_main_program(psi);
	uint32_t digest = 2166136261U; /* FNV-1a */
	struct pmt pmt;

	if (main == NULL || main->pmt.data == NULL ||
	    pmt_decode(main->pmt.data, main->pmt.len, &pmt) < 0)
		return 0;
	for (size_t i = 0; i < pmt.n_streams; i++) {
		const struct pmt_stream *s = &pmt.streams[i];
		uint8_t bytes[] = { (uint8_t)(s->pid >> 8), (uint8_t)s->pid,
				    pmt_coding(s) };

		if (s->class != PID_VIDEO && s->class != PID_AUDIO)
			continue;
		for (size_t k = 0; k < sizeof bytes; k++)
			digest = (digest ^ bytes[k]) * 16777619U;
	}
	return digest;
}
