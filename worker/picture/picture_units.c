/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/picture/picture_units.h"

#include "common/base/alloc.h"
#include "worker/ts/pes.h"
#include "worker/ts/psi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NO_PID = 0x1fff, FIRST_SIZE = 65536 };

/* The header of a PES, which may be in several packets. */
struct header {
	bool begins; /* a PES has begun, and no byte of its payload has come */
	size_t n;    /* bytes of the header so far */
	uint8_t bytes[PES_HEADER];
};

/* The offset of the payload behind the PES header in a packet; 188: the packet
 * has no payload, or none of video. */
static size_t find_payload(struct header *h, const uint8_t *packet)
{
	static const uint8_t start[] = { 0, 0, 1 };
	size_t at = ts_payload_offset(packet), rest;

	if (ts_pusi(packet))
		*h = (struct header){ .begins = true };
	if (!h->begins)
		return at;
	while (h->n < PES_HEADER && at < TS_PACKET)
		h->bytes[h->n++] = packet[at++];
	if (h->n < PES_HEADER)
		return TS_PACKET;
	if (memcmp(h->bytes, start, sizeof start) != 0 ||
	    (h->bytes[6] & 0xc0) != 0x80) {
		h->begins = false;
		return TS_PACKET;
	}
	rest = PES_HEADER + (size_t)h->bytes[8] - h->n;
	rest = MIN(rest, TS_PACKET - at);
	h->n += rest;
	return at + rest;
}

/* Takes a packet of the video; true: no further one is needed. */
static bool take(struct picture_units *units, struct header *header,
		 const uint8_t *packet)
{
	size_t from = find_payload(header, packet), len, size;
	struct picture_unit *u;

	if (header->begins && from < TS_PACKET) {
		header->begins = false;
		if (units->n == PICTURE_UNITS) {
			units->complete = true;
			return true;
		}
		units->n++;
	}
	if (units->n == 0 || from >= TS_PACKET)
		return false;
	u = &units->list[units->n - 1];
	if (u->len + TS_PACKET > PICTURE_UNIT_MAX)
		return false;
	len = TS_PACKET - from;
	size = u->len + len + PICTURE_PADDING;
	if (size > u->size) {
		/* doubled, so that a unit is copied a few times only */
		u->size = MAX(2 * size, (size_t)FIRST_SIZE);
		u->data = xrealloc(u->data, u->size);
	}
	memcpy(u->data + u->len, packet + from, len);
	u->len += len;
	memset(u->data + u->len, 0, PICTURE_PADDING);
	return false;
}

int picture_units_read(struct picture_units *ret, const uint8_t *packets,
		       size_t n, struct errmsg *error)
{
	struct picture_units units = { .n = 0 };
	struct header header = { .n = 0 };
	struct psi *psi = psi_new();
	bool scrambled = false, done = false;
	uint16_t pid = NO_PID;
	int r = 0;

	for (size_t i = 0; i < n && !done; i++) {
		const uint8_t *p = packets + i * TS_PACKET;
		const struct psi_program *program;

		if (!ts_sync_ok(p) || ts_tei(p))
			continue;
		if (psi_class(psi, ts_pid(p)) == PID_PSI && psi_feed(psi, p)) {
			program = psi_main_program(psi);
			pid = program != NULL ? program->video_pid : NO_PID;
		}
		if (pid == NO_PID || ts_pid(p) != pid)
			continue;
		if (ts_scrambling(p) != 0)
			scrambled = true;
		else
			done = take(&units, &header, p);
	}
	if (units.n == 0 && scrambled)
		r = errmsg_fail(error, -ENOENT, "the stream is scrambled");
	else if (units.n == 0 && pid == NO_PID && psi_has_pmt(psi))
		r = errmsg_fail(error, -ENOENT, "the stream has no video");
	else if (units.n == 0)
		r = errmsg_fail(error, -EAGAIN, "no picture has arrived yet");
	if (pid != NO_PID)
		units.coding = psi_coding(psi, pid);
	psi_free(&psi);
	if (r == 0)
		*ret = units;
	else
		picture_units_done(&units);
	return r;
}

void picture_units_done(struct picture_units *units)
{
	for (size_t i = 0; i < PICTURE_UNITS; i++)
		free(units->list[i].data);
	*units = (struct picture_units){ .n = 0 };
}
