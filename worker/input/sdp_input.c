/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The input that a session description offers: first its file is read, by a
 * thread, as it may be one that does not answer; then all is done by the udp
 * or rtp input that it describes.
 *
 * It is read whenever the input is opened.
 */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "worker/input/file_reader.h"
#include "worker/input/input_type.h"
#include "worker/sdp/offer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MUTE_MS = 5000 };

struct sdp_input {
	struct input base;
	struct file_reader *reader; /* NULL when all is read */
	char *text;
	size_t len;
	struct input_spec spec; /* of the input that it describes ... */
	struct input *inner;    /* ... which is this; or NULL */
};

/* What the address of the file asks for holds for what it describes. */
static void overlay(struct input_spec *spec, const struct input_spec *asked)
{
	bool fec = spec->rtp.fec;

	spec->renew_s = asked->renew_s;
	spec->socket_size = asked->socket_size;
	spec->rtp = asked->rtp;
	spec->rtp.fec = fec;
}

static int understand(struct sdp_input *s, struct errmsg *why)
{
	const struct input_spec *asked = s->base.spec;
	struct session_description *d = xcalloc(1, sizeof *d);
	char address[ADDRESS_TEXT_MAX + 1];
	struct sdp_offer offer;
	int r = sdp_parse(s->text, s->len, d, why);

	if (r == 0)
		r = sdp_offer_read(d, asked->sdp_media, &offer, why);
	free(d);
	if (r < 0)
		return r;
	sdp_offer_address(&offer, asked->iface, address);
	r = input_spec_parse(address, &s->spec, NULL, NULL, why);
	if (r < 0)
		return r;
	overlay(&s->spec, asked);
	log_info("input", "%s: %s%s%s", asked->path, address,
		 offer.note.text[0] != '\0' ? "; " : "", offer.note.text);
	return 0;
}

static void follow(struct sdp_input *s)
{
	s->base.fd = s->inner->fd;
	s->base.flow = s->inner->flow;
}

/* The file is read: what it describes takes its place. */
static int begin(struct sdp_input *s, uint64_t now_ns, struct errmsg *why)
{
	int r;

	file_reader_free(&s->reader);
	r = understand(s, why);
	free(s->text);
	s->text = NULL;
	if (r == 0)
		s->inner = input_open(&s->spec, now_ns, &r, why);
	if (s->inner == NULL) {
		errmsg_prefix(why, "%s: ", s->base.spec->path);
		return r;
	}
	follow(s);
	return 0;
}

static int take(struct sdp_input *s, const struct file_block *b,
		struct errmsg *why)
{
	if (s->len + b->len > SDP_SIZE_MAX)
		return errmsg_fail(why, -EFBIG, "%s: is longer than %d KiB",
				   s->base.spec->path, SDP_SIZE_MAX / 1024);
	memcpy(s->text + s->len, b->data, b->len);
	s->len += b->len;
	return 0;
}

/* One block of the file. */
static int read_file(struct sdp_input *s, uint64_t now_ns, struct errmsg *why)
{
	const struct file_block *b = file_reader_peek(s->reader);
	int r;

	if (b == NULL)
		return 0;
	if (b->kind == FILE_BLOCK_ERROR) {
		*why = b->why;
		return b->err;
	}
	if (b->kind != FILE_BLOCK_DATA)
		return begin(s, now_ns, why);
	r = take(s, b, why);
	file_reader_drop(s->reader);
	return r;
}

static int sdp_read(struct input *in, struct batch *batch, uint64_t now_ns,
		    struct errmsg *why)
{
	struct sdp_input *s = container_of(in, struct sdp_input, base);
	int r;

	if (s->inner == NULL)
		return read_file(s, now_ns, why);
	r = input_read(s->inner, batch, now_ns, why);
	follow(s);
	return r;
}

static int sdp_second(struct input *in, uint64_t now_ns, struct errmsg *why)
{
	struct sdp_input *s = container_of(in, struct sdp_input, base);
	int r;

	if (s->inner != NULL) {
		r = input_second(s->inner, now_ns, why);
		follow(s);
		return r;
	}
	if (s->reader == NULL ||
	    file_reader_waits_ms(s->reader, now_ns) < MUTE_MS)
		return 0;
	return errmsg_fail(why, -ETIMEDOUT, "%s: does not answer",
			   in->spec->path);
}

static bool sdp_hangs(const struct input *in, uint64_t now_ns)
{
	const struct sdp_input *s =
		container_of(in, const struct sdp_input, base);

	return s->reader != NULL &&
	       file_reader_waits_ms(s->reader, now_ns) > FILE_HANGS_MS;
}

static void sdp_counters(const struct input *in, struct input_counters *ret)
{
	const struct sdp_input *s =
		container_of(in, const struct sdp_input, base);

	*ret = (struct input_counters){ 0 };
	if (s->inner != NULL)
		input_counters(s->inner, ret);
}

static void sdp_stats(const struct input *in, struct link_stats *ret)
{
	const struct sdp_input *s =
		container_of(in, const struct sdp_input, base);

	if (s->inner != NULL)
		*ret = input_stats(s->inner);
}

static const char *sdp_trouble(const struct input *in)
{
	const struct sdp_input *s =
		container_of(in, const struct sdp_input, base);

	return s->inner != NULL ? input_trouble(s->inner) : NULL;
}

static const char *sdp_bare(const struct input *in)
{
	const struct sdp_input *s =
		container_of(in, const struct sdp_input, base);

	return s->inner != NULL ? input_bare(s->inner) : NULL;
}

static bool sdp_can_be_silent(const struct input *in)
{
	const struct sdp_input *s =
		container_of(in, const struct sdp_input, base);

	return s->inner != NULL && input_can_be_silent(s->inner);
}

static void sdp_free(struct input *in)
{
	struct sdp_input *s = container_of(in, struct sdp_input, base);

	file_reader_free(&s->reader);
	input_free(&s->inner);
	free(s->text);
	free(s);
}

static const struct input_ops sdp_ops = {
	.free = sdp_free,
	.read = sdp_read,
	.second = sdp_second,
	.counters = sdp_counters,
	.hangs = sdp_hangs,
	.stats = sdp_stats,
	.trouble = sdp_trouble,
	.bare = sdp_bare,
	.can_be_silent = sdp_can_be_silent,
};

struct input *sdp_input_open(const struct input_spec *spec, uint64_t now_ns,
			     int *ret_err, struct errmsg *why)
{
	struct file_reader *reader =
		file_reader_new(spec->path, false, false, ret_err);
	struct sdp_input *s;

	(void)now_ns;
	if (reader == NULL) {
		(void)errmsg_fail(why, *ret_err, "no thread: %s",
				  strerror(-*ret_err));
		return NULL;
	}
	s = xcalloc(1, sizeof *s);
	s->base = (struct input){ .ops = &sdp_ops, .spec = spec, .fd = -1 };
	s->reader = reader;
	s->text = xcalloc(1, SDP_SIZE_MAX);
	return &s->base;
}
