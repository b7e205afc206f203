/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/rap.h"

enum {
	/* The most packets of a PES that are read. */
	PACKETS_MAX = 64,
	/* After this many pictures (a minute) without an IDR picture or a
	 * recovery point, the encoder probably sends only open groups of
	 * pictures. */
	SURE_MAX = 1500,
	/* After this many pictures that lack only the parameter sets, such
	 * pictures count as starts again. */
	BARE_MAX = 16,
	SEI_RECOVERY_POINT = 6, /* H.264 D.1.8, HEVC D.2.1 */
};

enum sei_state { SEI_OUTSIDE, SEI_TYPE, SEI_SIZE, SEI_SKIP };

/* What a start code shows about its access unit. */
enum hint {
	HINT_NONE,  /* the next start code decides */
	HINT_START, /* a decoder can begin here */
	HINT_NOT,   /* a decoder cannot begin here */
};

static enum hint hint_of_recovery(struct rap *r)
{
	r->recovery = true;
	/* without parameter sets so far, they may follow in this PES */
	return r->header || !r->headed ? HINT_START : HINT_NONE;
}

static enum hint hint_of_avc(struct rap *r)
{
	unsigned type = r->code[0] & 0x1f;
	bool intra;

	switch (type) {
	case 5:
		r->sure = SURE_MAX;
		return HINT_START;
	case 7:
		r->header = true;
		return HINT_NONE;
	case 1:
	case 2:
		/* an I slice: first_mb_in_slice is 0, slice_type is 2 or 7 */
		intra = (r->code[1] & 0xf0) == 0xb0 || r->code[1] == 0x88;
		if (r->recovery)
			return HINT_START;
		r->soft = true;
		return r->header && intra && (r->sure == 0 || r->marked)
			       ? HINT_START : HINT_NOT;
	case 6:
		r->sei = SEI_TYPE;
		return HINT_NONE;
	default:
		return HINT_NONE;
	}
}

/* The meaning of a picture: an intra picture is a start only behind a sequence
 * header. */
static enum hint hint_of_picture(const struct rap *r, bool intra)
{
	return r->header && intra ? HINT_START : HINT_NOT;
}

/* The meaning of the start code whose following bytes are in r->code. */
static enum hint hint_of(struct rap *r)
{
	const uint8_t *c = r->code;
	unsigned type;

	switch (r->stream_type) {
	case 0x01:
	case 0x02:
	case 0x80: /* MPEG-2: sequence header b3, picture 00 with its type */
		r->header |= c[0] == 0xb3;
		return c[0] != 0x00 ? HINT_NONE
				    : hint_of_picture(r, (c[2] & 0x38) == 0x08);
	/* MPEG-4: object sequence b0, object layer 20 to 2f, VOP b6 with its
	 * type */
	case 0x10:
		r->header |= c[0] == 0xb0 || (c[0] >= 0x20 && c[0] <= 0x2f);
		return c[0] != 0xb6 ? HINT_NONE
				    : hint_of_picture(r, c[1] >> 6 == 0);
	case 0x1b:
		return hint_of_avc(r);
	/* HEVC NAL units: 16 to 23 IRAP, below other pictures, 33 SPS, 39
	 * prefix SEI */
	case 0x24:
		type = c[0] >> 1 & 0x3f;
		r->header |= type == 33;
		if (type == 39)
			r->sei = SEI_TYPE;
		return type > 23 ? HINT_NONE
				 : type >= 16 || r->recovery ? HINT_START
							     : HINT_NOT;
	/* VVC NAL units: 7 to 10 IDR, CRA and GDR, below other pictures, 15
	 * SPS */
	case 0x33:
		type = c[1] >> 3;
		r->header |= type == 15;
		return type > 10 ? HINT_NONE
				 : type >= 7 ? HINT_START : HINT_NOT;
	case 0x42:
	case 0xd2:
	case 0xd4: /* AVS: video sequence b0, I picture b3, PB picture b6 */
		r->header |= c[0] == 0xb0;
		return c[0] != 0xb3 && c[0] != 0xb6
			       ? HINT_NONE
			       : hint_of_picture(r, c[0] == 0xb3);
	default: /* VC-1: sequence header 0f, entry point 0e, frame 0d */
		return c[0] == 0x0f || c[0] == 0x0e ? HINT_START
			: c[0] == 0x0d		    ? HINT_NOT
						    : HINT_NONE;
	}
}

static bool is_known(uint8_t stream_type)
{
	switch (stream_type) {
	case 0x01:
	case 0x02:
	case 0x10:
	case 0x1b:
	case 0x24:
	case 0x33:
	case 0x42:
	case 0x80:
	case 0xd2:
	case 0xd4:
	case 0xea:
		return true;
	default:
		return false;
	}
}

/* Takes a byte of an SEI.  True: it ends the payload type of a recovery
 * point. */
static bool feed_sei(struct rap *r, uint8_t byte)
{
	/* an emulation prevention byte (00 00 03) is no part of the SEI */
	if (byte == 0x03 && (r->last >> 8 & 0xffff) == 0)
		return false;
	switch (r->sei) {
	case SEI_TYPE:
		r->sei_type += byte;
		if (byte == 0xff)
			return false;
		r->sei = SEI_SIZE;
		return r->sei_type == SEI_RECOVERY_POINT;
	case SEI_SIZE:
		r->sei_left += byte;
		if (byte == 0xff)
			return false;
		r->sei_type = 0;
		r->sei = r->sei_left > 0 ? SEI_SKIP : SEI_TYPE;
		return false;
	default:
		if (--r->sei_left == 0)
			r->sei = SEI_TYPE;
		return false;
	}
}

static enum hint feed_byte(struct rap *r, uint8_t byte)
{
	r->last = r->last << 8 | byte;
	if (r->n_code < r->code_len) {
		r->code[r->n_code++] = byte;
		if (r->n_code < r->code_len)
			return HINT_NONE;

		enum hint hint = hint_of(r);

		r->sei_type = r->sei_left = 0;
		/* The NAL header in front of an SEI has one byte in H.264 and
		 * two in HEVC: in H.264 this byte is the first of the SEI. */
		return r->sei != SEI_OUTSIDE && r->stream_type == 0x1b &&
				       feed_sei(r, byte)
			       ? hint_of_recovery(r) : hint;
	}
	if ((r->last & 0xffffff) == 1) {
		r->n_code = 0;
		r->sei = SEI_OUTSIDE;
		return HINT_NONE;
	}
	return r->sei != SEI_OUTSIDE && feed_sei(r, byte) ? hint_of_recovery(r)
							  : HINT_NONE;
}

static enum hint scan(struct rap *r, const uint8_t *packet)
{
	const uint8_t *end = packet + TS_PACKET;
	const uint8_t *p = pes_skip(&r->skip,
				    packet + ts_payload_offset(packet), end);
	enum hint hint = p == NULL ? HINT_NOT : HINT_NONE;

	while (hint == HINT_NONE && p < end)
		hint = feed_byte(r, *p++);
	if (r->recovery)
		r->sure = SURE_MAX;
	return hint;
}

/* Decides whether the current PES is a start.  Returns the sign for the caller;
 * notes whether the indicator was right. */
static enum rap_sign decide(struct rap *r, enum hint hint)
{
	bool open = r->open, start = hint == HINT_START;

	/* a PES that lacks the parameter sets that earlier ones had is no
	 * start */
	if (start && !r->header && r->headed && ++r->bare < BARE_MAX) {
		start = false;
	} else if (start) {
		r->headed = r->header;
		r->bare = 0;
	}
	r->follows = r->open = false;
	if (r->proven && start && !r->marked)
		start = !r->soft;
	r->disproved |= start != r->marked && (r->marked || r->proven);
	r->proven = !r->disproved && (r->proven || (start && r->marked));
	return !open ? RAP_NONE : start ? RAP_YES : RAP_NO;
}

/* Decides by the indicator, because no picture was found in the first
 * packets. */
static enum rap_sign give_up(struct rap *r)
{
	bool open = r->open;

	r->follows = r->open = false;
	return !open ? RAP_NONE : r->marked ? RAP_YES : RAP_NO;
}

/* Starts to read the pictures of a known codec. */
static enum rap_sign begin_picture(struct rap *r, const uint8_t *packet)
{
	bool waits = !r->proven;
	enum rap_sign sign;
	enum hint hint;

	r->skip = (struct pes_skip){ 0 };
	r->sei = r->n = 0;
	r->recovery = r->soft = false;
	if (r->sure > 0)
		r->sure--;
	r->last = UINT32_MAX;
	/* picture_coding_type of MPEG-2 is in the third byte */
	r->code_len = r->stream_type <= 0x02 || r->stream_type == 0x80 ? 3 : 2;
	r->n_code = r->code_len;
	r->cc = ts_cc(packet);
	r->follows = true;
	sign = waits ? RAP_OPEN : r->marked ? RAP_HERE : RAP_NONE;
	hint = scan(r, packet);
	r->open = waits || hint != HINT_NONE;
	if (hint == HINT_NONE)
		return sign;
	return decide(r, hint) == RAP_YES ? RAP_HERE : RAP_NONE;
}

static enum rap_sign begin_pes(struct rap *r, const uint8_t *packet)
{
	bool scrambled = ts_scrambling(packet) != 0;

	r->follows = r->open = r->header = false;
	r->marked = ts_random_access(packet) || r->indicated;
	r->indicated = false;
	if (r->scrambled != scrambled)
		r->indicates = false;
	r->scrambled = scrambled;
	r->indicates |= r->marked;
	if (r->scrambled)
		return r->marked && !r->disproved ? RAP_HERE : RAP_NONE;
	if (r->class == PID_AUDIO)
		return r->marked || pes_begins(packet) ? RAP_HERE : RAP_NONE;
	if (r->class != PID_VIDEO || !is_known(r->stream_type))
		return r->marked ? RAP_HERE : RAP_NONE;
	return begin_picture(r, packet);
}

enum rap_sign rap_step(struct rap *r, const uint8_t *packet)
{
	bool was_open = r->open, was_marked = r->marked;
	enum rap_sign sign;
	enum hint hint;

	if (ts_tei(packet))
		return RAP_NONE;
	if (!ts_has_payload(packet)) {
		r->indicated |= ts_random_access(packet);
		return RAP_NONE;
	}
	if (ts_pusi(packet)) {
		sign = begin_pes(r, packet);
		if (was_open && was_marked) {
			/* the PES had no readable picture */
			r->open = false;
			return RAP_YES;
		}
		return sign == RAP_NONE && was_open ? RAP_NO : sign;
	}
	if (!r->follows || ts_cc(packet) == r->cc)
		return RAP_NONE;
	r->cc = (r->cc + 1) & 0x0f;
	/* behind a lost packet the bytes cannot be read */
	if (ts_cc(packet) != r->cc || ts_scrambling(packet) != 0)
		return give_up(r);
	hint = scan(r, packet);
	if (hint != HINT_NONE)
		return decide(r, hint);
	return ++r->n >= PACKETS_MAX ? give_up(r) : RAP_NONE;
}

void rap_follow(struct rap *r, uint16_t pid, uint8_t stream_type,
		enum pid_class class)
{
	if (r->pid == pid && r->stream_type == stream_type &&
	    r->class == (uint8_t)class)
		return;
	*r = (struct rap){ .pid = pid, .stream_type = stream_type,
			   .class = (uint8_t)class };
}

bool rap_is_shown(const struct rap *r)
{
	bool readable = is_known(r->stream_type) && !r->scrambled;

	return r->class == PID_VIDEO &&
	       (readable || (r->indicates && !r->disproved));
}

bool rap_is_likely(const struct rap *r)
{
	return r->class == PID_VIDEO && (r->marked || r->header);
}
