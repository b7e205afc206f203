/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/cas/emm_packer.h"

#include <string.h>

enum {
	HEAD = 4, /* bytes of a packet's header */
	PAYLOAD = TS_PACKET - HEAD,
	SECTION_HEAD = 3,
	PUSI = 0x40,
	STUFFING = 0xff,
};

static uint8_t *last_packet(struct emm_packer *p)
{
	return p->data + (p->n - 1) * TS_PACKET;
}

/* The bytes at the end of the last packet in which another section can begin;
 * 0: there is no room. */
static size_t room_left(struct emm_packer *p)
{
	size_t room;

	if (p->n == 0)
		return 0;
	room = TS_PACKET - p->at;
	if (!ts_pusi(last_packet(p)) && room > 0)
		room--; /* the packet needs a pointer_field, too */
	return room < SECTION_HEAD ? 0 : room;
}

static void add_packet(struct emm_packer *p)
{
	uint8_t *packet;

	p->n++;
	packet = last_packet(p);
	packet[0] = TS_SYNC_BYTE;
	packet[1] = 0;
	ts_set_pid(packet, TS_PID_NULL);
	packet[3] = 0x10;
	memset(packet + HEAD, STUFFING, PAYLOAD);
	p->at = HEAD;
}

bool emm_packer_add(struct emm_packer *p, const uint8_t *section, size_t len)
{
	size_t room = room_left(p);
	size_t first = room > 0 ? room : PAYLOAD - 1;
	size_t rest = len > first ? len - first : 0;
	size_t more = (room == 0) + (rest + PAYLOAD - 1) / PAYLOAD;
	uint8_t *packet;

	if (p->n + more > EMM_PACKER_MAX)
		return false;
	if (room == 0)
		add_packet(p);
	/* a pointer_field, if the packet has none; it points to the byte that
	 * is written next */
	packet = last_packet(p);
	if (!ts_pusi(packet)) {
		memmove(packet + HEAD + 1, packet + HEAD, p->at - HEAD);
		packet[HEAD] = (uint8_t)(p->at - HEAD);
		packet[1] |= PUSI;
		p->at++;
	}
	for (size_t take;; section += take) {
		take = TS_PACKET - p->at;
		take = len < take ? len : take;
		memcpy(last_packet(p) + p->at, section, take);
		p->at += take;
		len -= take;
		if (len == 0)
			return true;
		add_packet(p);
	}
}

struct ts_run emm_packer_take(struct emm_packer *p)
{
	struct ts_run run = { p->data, p->n };

	p->n = 0;
	return run;
}
