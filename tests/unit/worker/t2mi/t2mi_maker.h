/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wraps a transport stream in T2-MI, as a gateway of a DVB-T2 network does. */
#pragma once

#include "worker/ts/packet.h"

enum { MAKER_PACKETS = 512, MAKER_UNITS = 200000 };

struct t2mi_maker {
	uint16_t pid;
	uint8_t plp, stream;
	bool normal_mode, deletes_nulls;
	size_t issy; /* bytes behind each packet in normal mode: 0, 2 or 3 */
	bool issy_has_no_time; /* each is a TTO in place of an ISCR */
	bool upl_is_original; /* UPL is that of a transport packet */
	bool pads; /* a frame without data is behind each one */
	size_t field; /* bytes of the data field of a frame */

	uint8_t count, frame;
	unsigned cc;
	size_t n; /* packets of the PID */
	uint8_t packets[MAKER_PACKETS][TS_PACKET];
	size_t units_len;
	uint8_t units[MAKER_UNITS];
};

/* Adds the packets to the units of the PLP, without frames. */
void t2mi_maker_add(struct t2mi_maker *, const uint8_t (*packets)[TS_PACKET],
		    size_t n);

/* Makes frames of the units, and packets of the PID. */
void t2mi_maker_end(struct t2mi_maker *);
