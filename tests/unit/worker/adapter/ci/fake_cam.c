/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/adapter/ci/fake_cam.h"

#include <stdio.h>
#include <string.h>

enum { MANAGER = 1, APPLICATION, CA_SUPPORT, DATE_TIME, MMI };

static const uint32_t ids[] = {
	[MANAGER] = 0x00010041,   [APPLICATION] = 0x00020041,
	[CA_SUPPORT] = 0x00030041, [DATE_TIME] = 0x00240041,
	[MMI] = 0x00400041,
};

static void queue(struct fake_cam *c, const void *data, size_t n)
{
	if (c->n_queue == CAM_QUEUE)
		return;
	memcpy(c->queue[c->n_queue], data, n);
	c->sizes[c->n_queue++] = n;
}

static void open_session(struct fake_cam *c, uint32_t id)
{
	const uint8_t spdu[] = { 0x91, 4, (uint8_t)(id >> 24),
				 (uint8_t)(id >> 16), (uint8_t)(id >> 8),
				 (uint8_t)id };

	queue(c, spdu, sizeof spdu);
}

static void say(struct fake_cam *c, int resource, uint32_t tag,
		const void *data, size_t n)
{
	unsigned session = c->fault == CAM_SESSION && c->messages >= c->at &&
				   !c->broken ? c->value
					      : c->sessions[resource];
	uint8_t spdu[CAM_OBJECT] = { 0x90, 2, (uint8_t)(session >> 8),
				     (uint8_t)session, (uint8_t)(tag >> 16),
				     (uint8_t)(tag >> 8), (uint8_t)tag };
	size_t head = 7;

	if (n < 0x80) {
		spdu[head++] = (uint8_t)n;
	} else {
		spdu[head++] = 0x81;
		spdu[head++] = (uint8_t)n;
	}
	if (n > 0)
		memcpy(spdu + head, data, n);
	queue(c, spdu, head + n);
}

void fake_cam_start(struct fake_cam *c)
{
	c->broken = c->broken || c->messages > c->at;
	c->messages = 0;
	c->open = false;
	c->n_queue = 0;
	memset(c->sessions, 0, sizeof c->sessions);
}

/* --- objects of the application --- */

static void note_pmt(struct fake_cam *c, const uint8_t *p, size_t n)
{
	static const char *const lists[] = { "more", "first", "last", "only",
					     "add", "update" };
	size_t loop = n >= 6 ? (size_t)(p[4] & 0x0f) << 8 | p[5] : 0;
	unsigned command = loop > 0 ? p[6] : 0;
	unsigned caid = loop > 4 ? (unsigned)p[9] << 8 | p[10] : 0;

	/* the CA descriptor of the first stream, if the program has none */
	if (loop == 0 && n > 6 + 5 + 5) {
		command = p[11];
		caid = (unsigned)p[14] << 8 | p[15];
	}
	c->len += (size_t)snprintf(
		c->log + c->len, sizeof c->log - c->len, "%s %d %s %04x; ",
		n > 0 && p[0] < 6 ? lists[p[0]] : "wrong",
		n >= 3 ? p[1] << 8 | p[2] : 0,
		command == 1   ? "descramble"
		: command == 4 ? "off"
			       : "?", caid);
	if (c->len >= sizeof c->log)
		c->len = sizeof c->log - 1;
}

static void send_info(struct fake_cam *c)
{
	static const uint8_t info[] = "\x01\x12\x34\x56\x78\x08" "Fake CAM";

	c->infos++;
	say(c, APPLICATION, 0x9f8021, info, sizeof info - 1);
}

static void send_caids(struct fake_cam *c)
{
	uint8_t list[16];

	for (size_t i = 0; i < c->n_caids; i++) {
		list[2 * i] = (uint8_t)(c->caids[i] >> 8);
		list[2 * i + 1] = (uint8_t)c->caids[i];
	}
	if (c->fault != CAM_NO_CAIDS || c->broken)
		say(c, CA_SUPPORT, 0x9f8031, list, 2 * c->n_caids);
}

static void open_others(struct fake_cam *c)
{
	open_session(c, ids[APPLICATION]);
	open_session(c, ids[CA_SUPPORT]);
	if (c->time_s > 0)
		open_session(c, ids[DATE_TIME]);
	for (size_t i = 0; i < c->n_asks; i++)
		open_session(c, c->asks[i]);
}

void fake_cam_show_menu(struct fake_cam *c)
{
	static const uint8_t menu[] =
		"\x03"
		"\x9f\x88\x03\x05Title"
		"\x9f\x88\x04\x03Sub" "\x9f\x88\x03\x05title"
		"\x9f\x88\x03\x00"
		"\x9f\x88\x03\x03One"
		"\x9f\x88\x03\x03Two"
		"\x9f\x88\x03\x05Three";

	say(c, MMI, 0x9f8809, menu, sizeof menu - 1);
}

void fake_cam_ask(struct fake_cam *c)
{
	static const uint8_t question[] = "\x01\x04PIN?";

	say(c, MMI, 0x9f8807, question, sizeof question - 1);
}

void fake_cam_refuse(struct fake_cam *c, uint16_t program)
{
	const uint8_t reply[] = { (uint8_t)(program >> 8), (uint8_t)program,
				  0xc1, 0xf1 };

	say(c, CA_SUPPORT, 0x9f8033, reply, sizeof reply);
}

void fake_cam_err(struct fake_cam *c, uint32_t tag)
{
	say(c, CA_SUPPORT, tag, "", 1);
}

static void take_apdu(struct fake_cam *c, uint32_t tag, const uint8_t *p,
		      size_t n)
{
	const uint8_t display[] = { 1, (uint8_t)(c->mode > 0 ? c->mode : 1) };
	const uint8_t interval = (uint8_t)c->time_s;

	switch (tag) {
	case 0x9f8010:
		say(c, MANAGER, 0x9f8011, "", 0);
		break;
	case 0x9f8012:
		say(c, MANAGER, 0x9f8010, "", 0);
		break;
	case 0x9f8011:
		if (c->sessions[APPLICATION] == 0)
			open_others(c);
		break;
	case 0x9f8020:
		send_info(c);
		break;
	case 0x9f8022:
		open_session(c, ids[MMI]);
		break;
	case 0x9f8030:
		c->enquiries++;
		send_caids(c);
		break;
	case 0x9f8032:
		note_pmt(c, p, n);
		break;
	case 0x9f8441:
		c->dates++;
		if (n <= sizeof c->date)
			memcpy(c->date, p, n);
		break;
	case 0x9f8802:
		c->confirmed = n == 2 && p[0] == 1 && p[1] == 1;
		if (c->confirmed)
			fake_cam_show_menu(c);
		break;
	case 0x9f880b:
		c->choice = n > 0 ? p[0] : 0;
		break;
	case 0x9f8808:
		(void)snprintf(c->text, sizeof c->text, "%d:%.*s", p[0],
			       (int)n - 1, (const char *)p + 1);
		break;
	case 0x1000000: /* the date time resource was opened */
		say(c, DATE_TIME, 0x9f8440, &interval, 1);
		break;
	case 0x1000001: /* the MMI resource was opened */
		say(c, MMI, 0x9f8801, display, 2);
		break;
	default:
		break;
	}
}

static void take_spdu(struct fake_cam *c, const uint8_t *p, size_t n)
{
	if (p[0] == 0x92 && n >= 9 && p[2] == 0) {
		for (int r = MANAGER; r <= MMI; r++)
			if (ids[r] == ((uint32_t)p[3] << 24 |
				       (uint32_t)p[4] << 16 |
				       (uint32_t)p[5] << 8 | p[6]))
				c->sessions[r] = (unsigned)p[7] << 8 | p[8];
		if (p[4] == 0x24)
			take_apdu(c, 0x1000000, p, 0);
		if (p[4] == 0x40)
			take_apdu(c, 0x1000001, p, 0);
	} else if (p[0] == 0x90 && n >= 8) {
		size_t len = p[7], head = 8;

		if (len & 0x80) {
			head += len & 0x7f;
			len = 0;
			for (size_t i = 8; i < head; i++)
				len = len << 8 | p[i];
		}
		if (head + len <= n)
			take_apdu(c, (uint32_t)p[4] << 16 |
					     (uint32_t)p[5] << 8 | p[6],
				  p + head, len);
	}
}

/* --- the transport --- */

static size_t put_status(const struct fake_cam *c, uint8_t *to)
{
	to[0] = 0x80;
	to[1] = 2;
	to[2] = 1;
	to[3] = c->n_queue > 0 ? 0x80 : 0;
	return 4;
}

static size_t put_object(struct fake_cam *c, uint8_t *to)
{
	size_t n = c->sizes[0], head = 0;

	if (c->n_queue == 0)
		return put_status(c, to);
	to[head++] = 0xa0;
	if (n + 1 >= 0x80) {
		to[head++] = 0x82;
		to[head++] = (uint8_t)((n + 1) >> 8);
	}
	to[head++] = (uint8_t)(n + 1);
	to[head++] = 1;
	memcpy(to + head, c->queue[0], n);
	c->n_queue--;
	memmove(c->sizes, c->sizes + 1, c->n_queue * sizeof *c->sizes);
	memmove(c->queue, c->queue + 1, c->n_queue * sizeof *c->queue);
	return head + n + put_status(c, to + head + n);
}

static size_t answer(struct fake_cam *c, const uint8_t *p, size_t n,
		     uint8_t *to)
{
	size_t head = p[1] & 0x80 ? 2 + (size_t)(p[1] & 0x7f) : 2;

	switch (p[0]) {
	case 0x82:
		c->open = true;
		c->n_queue = 0;
		memset(c->sessions, 0, sizeof c->sessions);
		open_session(c, ids[MANAGER]);
		to[0] = 0x83;
		to[1] = 1;
		to[2] = 1;
		return 3 + put_status(c, to + 3);
	case 0x81:
		return put_object(c, to);
	case 0xa0:
		if (n > head + 1)
			take_spdu(c, p + head + 1, n - head - 1);
		return put_status(c, to);
	default:
		return put_status(c, to);
	}
}

/* Objects of faults that are no change of the message. */
static void misbehave(struct fake_cam *c, uint8_t *to, size_t *n)
{
	static const uint8_t more[] = { 0xa1, 0x82, 1, 1, 1 };
	static const uint8_t texts[] = "\x05\x9f\x88\x04\x01x";
	static const uint8_t profile[] = { 0x9f, 0x80, 0x10, 0 };
	const uint8_t close[] = { 0x95, 2, 0,
				  (uint8_t)c->sessions[CA_SUPPORT] };
	uint8_t many[4 + 100 * sizeof profile] = {
		0x90, 2, 0, (uint8_t)c->sessions[MANAGER] };

	switch (c->fault) {
	case CAM_ENDLESS:
		memcpy(to, more, sizeof more);
		memset(to + sizeof more, 0x91, 256);
		to[sizeof more + 256] = 0x80;
		to[sizeof more + 257] = 2;
		to[sizeof more + 258] = 1;
		to[sizeof more + 259] = 0x80;
		*n = sizeof more + 260;
		break;
	case CAM_ENDLESS_TEXT:
		say(c, MMI, 0x9f8809, texts, sizeof texts - 1);
		break;
	case CAM_OPENS:
		open_session(c, ids[MANAGER]);
		open_session(c, ids[CA_SUPPORT]);
		break;
	case CAM_DELETES:
		to[0] = 0x84;
		to[1] = 1;
		to[2] = 1;
		*n = 3;
		c->broken = true;
		break;
	case CAM_CLOSES:
		queue(c, close, sizeof close);
		open_session(c, ids[CA_SUPPORT]);
		c->broken = true;
		break;
	case CAM_ASKS:
		for (size_t i = 0; i < 100; i++)
			memcpy(many + 4 + i * sizeof profile, profile,
			       sizeof profile);
		queue(c, many, sizeof many);
		break;
	default:
		break;
	}
}

size_t fake_cam_take(struct fake_cam *c, const uint8_t *data, size_t n,
		     uint8_t *to)
{
	size_t len = answer(c, data, n, to);
	unsigned number = c->messages++;

	if (c->broken || c->fault == CAM_GOOD || number < c->at)
		return len;
	misbehave(c, to, &len);
	switch (c->fault) {
	case CAM_SILENT:
		return 0;
	case CAM_CONNECTION:
		to[2] = (uint8_t)c->value;
		return len;
	case CAM_MUTE:
		c->broken = true;
		return 0;
	case CAM_CUT:
		c->broken = true;
		return len < c->value ? len : c->value;
	case CAM_BYTE:
		c->broken = true;
		to[c->value % len] = 0xff;
		return len;
	case CAM_JUNK:
		c->broken = true;
		memset(to, 0x5a, c->value);
		return c->value;
	case CAM_TWICE:
		c->broken = true;
		memcpy(to + len, to, len);
		return 2 * len;
	default:
		return len;
	}
}
