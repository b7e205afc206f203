/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/sync.h"

#include "common/base/util.h"

#include <string.h>

enum { STRIDE_MAX = 204 };

static const uint8_t strides[] = { 188, 204, 192 };

/* Without a lock, the buffer must hold the bytes that a lock at the largest
 * stride needs. */
_Static_assert(TS_SYNC_BUFFER >= 2 * TS_SYNC_LOCK * STRIDE_MAX, "buffer");

enum step {
	STEP_RUN,   /* a run was found */
	STEP_AGAIN, /* the state changed: scan again */
	STEP_MORE,  /* more bytes are needed */
};

void ts_sync_init(struct ts_sync *s, enum ts_sync_mode mode)
{
	s->mode = mode;
	s->sync_losses = s->bad_sync = 0;
	s->junk_bytes = 0;
	ts_sync_reset(s);
}

void ts_sync_reset(struct ts_sync *s)
{
	s->data = NULL;
	s->stride = s->len = s->skip = 0;
	s->head = s->tail = 0;
}

/* True if packets at this stride begin at this offset and fill the data up to
 * its end. */
static bool is_consistent(const uint8_t *data, size_t len, size_t offset,
			  size_t stride)
{
	if (len < offset + TS_PACKET)
		return false;

	size_t rest = (len - offset) % stride;
	size_t n = 0;

	if (rest != 0 && rest != TS_PACKET)
		return false;
	for (size_t pos = offset; pos < len; pos += stride, n++)
		if (data[pos] != TS_SYNC_BYTE)
			return false;
	/* behind other bytes, a single sync byte may be chance */
	return offset == 0 || n > 1;
}

/* Finds an offset below `reach' and a stride at which packets fill the
 * datagram up to its end.  False: there is none. */
static bool find_consistent(const uint8_t *data, size_t len, size_t reach,
			    size_t *ret_offset, size_t *ret_stride)
{
	for (size_t offset = 0; offset < reach && offset < len; offset++) {
		if (data[offset] != TS_SYNC_BYTE)
			continue;
		for (size_t i = 0; i < ARRAY_LEN(strides); i++) {
			if (!is_consistent(data, len, offset, strides[i]))
				continue;
			*ret_offset = offset;
			*ret_stride = strides[i];
			return true;
		}
	}
	return false;
}

/* The number of sync bytes at this stride from the offset on; 0: at one of
 * these offsets is another byte. */
static size_t count_syncs(const uint8_t *data, size_t len, size_t offset,
			  size_t stride)
{
	size_t n = 0;

	for (; offset < len; offset += stride, n++)
		if (data[offset] != TS_SYNC_BYTE)
			return 0;
	return n;
}

/*
 * Drops bytes of the buffer that are not the start of a packet.  Such bytes,
 * e.g. a check sum, may follow the packets of a datagram and begin like a
 * packet.  The next datagram shows that they are no packet: its packets begin
 * at its first byte, and not where that packet would end.  Not inlined, because
 * that would cost each datagram six instructions.
 */
__attribute__((noinline, cold)) static void drop_trailer(struct ts_sync *s)
{
	size_t held = s->tail - s->head;
	size_t rest = s->stride - held;

	if (count_syncs(s->data, s->len, rest, s->stride) > 0 ||
	    count_syncs(s->data, s->len - s->len % s->stride, 0,
			s->stride) == 0)
		return;
	s->junk_bytes += held;
	s->head = s->tail = 0;
}

/* Locks at once if the datagram consists of whole packets, perhaps behind other
 * bytes: no hunt for TS_SYNC_LOCK sync bytes is needed. */
static void align_datagram(struct ts_sync *s)
{
	size_t held = s->tail - s->head;
	/* a partial packet is buffered: packets span datagrams, so that this
	 * one does not begin with junk */
	size_t reach = held > 0 ? 1 : STRIDE_MAX;
	size_t offset, stride;

	if (!find_consistent(s->data, s->len, reach, &offset, &stride)) {
		if (held > 0 && held < s->stride)
			drop_trailer(s);
		return;
	}
	/* one packet with a wrong sync byte is no loss of sync: the last one of
	 * the previous datagram, which is buffered, or the first of this one */
	if (s->stride > 0 && held + offset == s->stride)
		s->bad_sync++;
	else
		s->junk_bytes += held + offset;
	if (s->stride > 0 && held > 0 && held != s->stride)
		s->sync_losses++;
	s->data += offset;
	s->len -= offset;
	s->stride = stride;
	s->skip = 0;
	s->head = 0;
	s->tail = 0;
}

void ts_sync_push(struct ts_sync *s, const void *data, size_t len)
{
	s->data = data;
	s->len = len;
	if (s->mode == TS_SYNC_DATAGRAM && len > 0)
		align_datagram(s);
}

/* The stride of packets that begin at data[0]; 0: no stride fits.  *ret_short:
 * more bytes are needed to decide. */
static size_t find_stride(const uint8_t *data, size_t len, bool *ret_short)
{
	*ret_short = false;
	for (size_t i = 0; i < ARRAY_LEN(strides); i++) {
		size_t pos = 0;
		unsigned seen = 0;

		while (seen < TS_SYNC_LOCK && pos < len &&
		       data[pos] == TS_SYNC_BYTE) {
			pos += strides[i];
			seen++;
		}
		if (seen == TS_SYNC_LOCK)
			return strides[i];
		if (pos >= len)
			*ret_short = true;
	}
	return 0;
}

static enum step hunt(struct ts_sync *s, const uint8_t *data, size_t len,
		      size_t *ret_used)
{
	enum step step = STEP_MORE;
	size_t pos = 0;

	while (pos < len) {
		const uint8_t *at = memchr(data + pos, TS_SYNC_BYTE, len - pos);
		bool is_short;

		pos = at ? (size_t)(at - data) : len;
		if (!at)
			break;
		s->stride = find_stride(at, len - pos, &is_short);
		if (s->stride > 0)
			step = STEP_AGAIN;
		if (s->stride > 0 || is_short)
			break;
		pos++;
	}
	s->junk_bytes += pos;
	*ret_used = pos;
	return step;
}

/* Copies packets to the batch, without the bytes between them. */
static void gather(struct ts_sync *s, const uint8_t *data, size_t len,
		   size_t *ret_used, struct ts_run *ret)
{
	size_t n = 0, pos = 0;

	while (n < TS_SYNC_BATCH && pos + TS_PACKET <= len &&
	       data[pos] == TS_SYNC_BYTE) {
		memcpy(s->batch + n * TS_PACKET, data + pos, TS_PACKET);
		n++;
		pos += s->stride;
	}
	s->skip = pos > len ? pos - len : 0;
	*ret_used = pos - s->skip;
	*ret = (struct ts_run){ .data = s->batch, .n = n };
}

static enum step scan(struct ts_sync *s, const uint8_t *data, size_t len,
		      size_t *ret_used, struct ts_run *ret)
{
	*ret_used = 0;
	if (s->stride == 0)
		return hunt(s, data, len, ret_used);
	if (len == 0)
		return STEP_MORE;
	if (data[0] != TS_SYNC_BYTE) {
		if (len <= s->stride)
			return STEP_MORE;
		if (data[s->stride] == TS_SYNC_BYTE) {
			s->bad_sync++;
			*ret_used = s->stride;
		} else {
			s->sync_losses++;
			s->stride = 0;
		}
		return STEP_AGAIN;
	}
	if (len < TS_PACKET)
		return STEP_MORE;
	if (s->stride != TS_PACKET) {
		gather(s, data, len, ret_used, ret);
		return STEP_RUN;
	}

	size_t n = 1;

	while (n < len / TS_PACKET && data[n * TS_PACKET] == TS_SYNC_BYTE)
		n++;
	*ret_used = n * TS_PACKET;
	*ret = (struct ts_run){ .data = data, .n = n };
	return STEP_RUN;
}

/* Scans the buffer.  With a lock, adds pushed bytes only up to the end of the
 * next packet, so that later packets are not copied; without a lock, fills the
 * buffer. */
static enum step step_held(struct ts_sync *s, struct ts_run *ret)
{
	size_t held = s->tail - s->head;
	size_t want = TS_SYNC_BUFFER, used;

	memmove(s->buffer, s->buffer + s->head, held);
	if (s->stride > 0)
		want = s->buffer[0] == TS_SYNC_BYTE ? TS_PACKET
						    : s->stride + 1;
	s->head = 0;
	s->tail = held;
	if (held < want) {
		size_t n = MIN(want - held, s->len);

		memcpy(s->buffer + held, s->data, n);
		s->tail += n;
		s->data += n;
		s->len -= n;
	}

	enum step step = scan(s, s->buffer, s->tail, &used, ret);

	s->head += used;
	return step == STEP_MORE && s->len > 0 ? STEP_AGAIN : step;
}

bool ts_sync_pull(struct ts_sync *s, struct ts_run *ret)
{
	enum step step;
	size_t used;

	do {
		if (s->skip > 0) {
			/* the buffer is empty: gather() used all its bytes */
			size_t n = MIN(s->skip, s->len);

			s->data += n;
			s->len -= n;
			s->skip -= n;
		}
		if (s->tail > s->head) {
			step = step_held(s, ret);
			continue;
		}
		step = scan(s, s->data, s->len, &used, ret);
		s->data += used;
		s->len -= used;
		if (step == STEP_MORE && s->len > 0) {
			memcpy(s->buffer, s->data, s->len);
			s->head = 0;
			s->tail = s->len;
			s->len = 0;
		}
	} while (step == STEP_AGAIN);
	return step == STEP_RUN;
}
