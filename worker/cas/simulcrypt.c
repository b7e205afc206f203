/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/cas/simulcrypt.h"

#include <errno.h>
#include <string.h>

enum {
	PARAMETER_HEAD = 4,
	BODY_MAX = 65535,
	MISSING_PARAMETER = 0x10, /* error_status: a parameter is missing */
};

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static void put16(uint8_t *p, size_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

/* --- reading --- */

size_t simulcrypt_len(const uint8_t head[SIMULCRYPT_HEAD])
{
	return SIMULCRYPT_HEAD + (size_t)get16(head + 3);
}

int simulcrypt_read(const uint8_t *data, size_t len, struct simulcrypt *ret)
{
	struct simulcrypt_parameter p;
	struct simulcrypt m;
	size_t at = 0;

	if (len < SIMULCRYPT_HEAD || simulcrypt_len(data) != len)
		return -EBADMSG;
	m = (struct simulcrypt){
		.version = data[0],
		.type = get16(data + 1),
		.body = data + SIMULCRYPT_HEAD,
		.len = len - SIMULCRYPT_HEAD,
	};
	while (simulcrypt_next(&m, &at, &p))
		;
	if (at != m.len)
		return -EBADMSG;
	*ret = m;
	return 0;
}

bool simulcrypt_next(const struct simulcrypt *m, size_t *at,
		     struct simulcrypt_parameter *ret)
{
	const uint8_t *p = m->body + *at;
	size_t left = m->len - *at, len;

	if (left < PARAMETER_HEAD)
		return false;
	len = get16(p + 2);
	if (len > left - PARAMETER_HEAD)
		return false;
	*ret = (struct simulcrypt_parameter){
		.tag = get16(p), .value = p + PARAMETER_HEAD, .len = len,
	};
	*at += PARAMETER_HEAD + len;
	return true;
}

bool simulcrypt_find(const struct simulcrypt *m, uint16_t tag,
		     struct simulcrypt_parameter *ret)
{
	struct simulcrypt_parameter p;
	size_t at = 0;

	while (simulcrypt_next(m, &at, &p)) {
		if (p.tag != tag)
			continue;
		*ret = p;
		return true;
	}
	return false;
}

int simulcrypt_number(const struct simulcrypt *m, uint16_t tag, size_t size,
		      uint32_t *ret)
{
	struct simulcrypt_parameter p;
	uint32_t n = 0;

	if (!simulcrypt_find(m, tag, &p))
		return -ENOENT;
	if (p.len != size)
		return -EBADMSG;
	for (size_t i = 0; i < size; i++)
		n = n << 8 | p.value[i];
	*ret = n;
	return 0;
}

unsigned simulcrypt_error(const struct simulcrypt *m)
{
	uint32_t status;

	return simulcrypt_number(m, SIMULCRYPT_ERROR_STATUS, 2, &status) == 0
		       ? status
		       : 0;
}

/* The text of an error_status (TS 103 197 5.6). */
const char *simulcrypt_error_text(unsigned status)
{
	static const char *const texts[] = {
		"unknown error", "invalid message",
		"protocol version not supported", "unknown message type",
		"message too long", "unknown Super_CAS_id",
		"unknown channel id", "unknown stream id",
		"too many channels", "too many streams on the channel",
		"too many streams", "not enough control words",
		"no storage", "no computational resources",
		"unknown parameter", "wrong length of a parameter",
		"missing parameter", "invalid value of a parameter",
		"unknown ECM id", "channel id in use", "stream id in use",
		"ECM id in use",
	};

	if (status == 0x7001)
		return "unrecoverable error";
	return texts[status < ARRAY_LEN(texts) ? status : 0];
}

/* Explains an error message.  An ECMG that requires encrypted control words
 * reports CW_encryption as a missing parameter (TS 103 197 annex D). */
void simulcrypt_explain(const struct simulcrypt *error, struct errmsg *ret)
{
	unsigned status = simulcrypt_error(error);
	uint32_t tag;

	if (status != MISSING_PARAMETER ||
	    simulcrypt_number(error, SIMULCRYPT_ERROR_INFORMATION, 2, &tag) < 0)
		errmsg_set(ret, "%s", simulcrypt_error_text(status));
	else if (tag == ECMG_CW_ENCRYPTION)
		errmsg_set(ret, "the ECMG requires CW_encryption, which is not "
			   "supported");
	else
		errmsg_set(ret, "missing parameter 0x%04X", (unsigned)tag);
}

/* --- writing --- */

void simulcrypt_begin(struct simulcrypt_writer *w, void *memory, size_t size,
		      uint8_t version, enum simulcrypt_type type)
{
	*w = (struct simulcrypt_writer){
		.data = memory, .size = size, .len = SIMULCRYPT_HEAD,
		.full = size < SIMULCRYPT_HEAD,
	};
	if (w->full)
		return;
	w->data[0] = version;
	put16(w->data + 1, type);
}

void simulcrypt_put_bytes(struct simulcrypt_writer *w, uint16_t tag,
			  const void *value, size_t len)
{
	uint8_t *p = w->data + w->len;

	if (w->full || len > BODY_MAX ||
	    w->size - w->len < PARAMETER_HEAD + len) {
		w->full = true;
		return;
	}
	put16(p, tag);
	put16(p + 2, len);
	if (len > 0)
		memcpy(p + PARAMETER_HEAD, value, len);
	w->len += PARAMETER_HEAD + len;
}

void simulcrypt_put(struct simulcrypt_writer *w, uint16_t tag, uint32_t number,
		    size_t size)
{
	uint8_t value[4];

	for (size_t i = 0; i < size; i++)
		value[i] = (uint8_t)(number >> 8 * (size - 1 - i));
	simulcrypt_put_bytes(w, tag, value, size);
}

size_t simulcrypt_end(struct simulcrypt_writer *w)
{
	if (w->full || w->len > SIMULCRYPT_MAX)
		return 0;
	put16(w->data + 3, w->len - SIMULCRYPT_HEAD);
	return w->len;
}
