/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scramble-file PERIOD ECM_PID PID... < in.ts > out.ts
 *
 * Scrambles the packets of the PIDs with a control word that changes after each
 * PERIOD packets of the file, and adds ECMs.  The ECM of a period begins with
 * it, and has its control word and the next one, in a cipher of the tests: each
 * byte is inverted.  Thus a test has a scrambled stream with keys that it
 * knows.
 */
#include "worker/csa/csa.h"
#include "worker/ts/packet.h"
#include "worker/ts/section.h"

#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ECM_EVERY = 60 /* packets */, BODY = 17, PARITIES = 2 };

static void word_of(unsigned period, uint8_t ret[CSA_CONTROL_WORD])
{
	for (unsigned i = 0; i < CSA_CONTROL_WORD; i++)
		ret[i] = (uint8_t)((period + 1) * (37 + 2 * i) + i * 11);
	ret[3] = (uint8_t)(ret[0] + ret[1] + ret[2]);
	ret[7] = (uint8_t)(ret[4] + ret[5] + ret[6]);
}

static void write_packets(const uint8_t *data, size_t n)
{
	if (fwrite(data, TS_PACKET, n, stdout) != n)
		err(1, "stdout");
}

static void write_ecm(uint16_t pid, unsigned period, uint8_t *cc)
{
	uint8_t section[3 + BODY] = { (uint8_t)(0x80 | (period & 1)), 0x70,
				      BODY, (uint8_t)period };
	uint8_t packets[2 * TS_PACKET], word[CSA_CONTROL_WORD];

	for (unsigned i = 0; i < PARITIES; i++) {
		uint8_t *to = section + 4 +
			      ((period + i) & 1) * CSA_CONTROL_WORD;

		word_of(period + i, word);
		for (size_t k = 0; k < CSA_CONTROL_WORD; k++)
			to[k] = (uint8_t)~word[k];
	}
	write_packets(packets, section_pack(section, sizeof section, pid, cc,
					    packets));
}

static void scramble(struct csa *csa, unsigned period, uint8_t *p)
{
	uint8_t word[CSA_CONTROL_WORD];
	size_t offset = ts_payload_offset(p);

	if (offset == TS_PACKET)
		return;
	word_of(period, word);
	csa_set(csa, word);
	(void)csa_add(csa, p + offset, TS_PACKET - offset);
	csa_scramble(csa);
	p[3] |= period & 1 ? 0xc0 : 0x80;
}

int main(int argc, char **argv)
{
	uint8_t p[TS_PACKET], cc = 0;
	struct csa *csa = csa_new(NULL);
	unsigned long every, n = 0;
	uint16_t ecm_pid;

	if (argc < 4)
		errx(2, "usage: scramble-file PERIOD ECM_PID PID...");
	every = strtoul(argv[1], NULL, 0);
	ecm_pid = (uint16_t)strtoul(argv[2], NULL, 0);
	for (; fread(p, TS_PACKET, 1, stdin) == 1; n++) {
		unsigned period = (unsigned)(n / every);

		if (n % every % ECM_EVERY == 0)
			write_ecm(ecm_pid, period, &cc);
		for (int i = 3; i < argc; i++)
			if (ts_pid(p) == strtoul(argv[i], NULL, 0))
				scramble(csa, period, p);
		write_packets(p, 1);
	}
	csa_free(&csa);
	return 0;
}
