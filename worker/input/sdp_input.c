/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Input that a session description (SDP) describes: a thread reads the file,
 * because its disk may not answer; then a udp or rtp input receives the
 * packets.
 *
 * The file is read each time the input is opened.
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
	struct file_reader *reader; /* reads the file; NULL after its end */
	char *text;
	size_t len;
	/* specification of the described input, which is base.inner */
	struct input_spec spec;
};

static int parse(struct sdp_input *s, struct errmsg *error)
{
	const struct input_spec *asked = s->base.spec;
	struct session_description *d = xcalloc(1, sizeof *d);
	char address[ADDRESS_TEXT_MAX + 1];
	struct sdp_offer offer;
	bool fec;
	int r = sdp_parse(s->text, s->len, d, error);

	if (r == 0)
		r = sdp_offer_read(d, asked->sdp_media, &offer, error);
	if (r == 0)
		r = sdp_offer_judge(&offer, false, error);
	free(d);
	if (r < 0)
		return r;
	sdp_offer_address(&offer, asked->iface, address);
	r = input_spec_parse(address, &s->spec, NULL, NULL, error);
	if (r < 0)
		return r;
	/* options of the sdp address hold for the described input */
	fec = s->spec.rtp.fec;
	s->spec.renew_s = asked->renew_s;
	s->spec.socket_size = asked->socket_size;
	s->spec.rtp = asked->rtp;
	s->spec.rtp.fec = fec;
	log_info("input", "%s: %s%s%s", asked->path, address,
		 offer.note.text[0] != '\0' ? "; " : "", offer.note.text);
	return 0;
}

static void follow(struct sdp_input *s)
{
	s->base.fd = s->base.inner->fd;
	s->base.flow = s->base.inner->flow;
}

/* Takes one block of the file.  At the end of the file opens the described
 * input.  0, or -errno with error. */
static int read_file(struct sdp_input *s, uint64_t now_ns, struct errmsg *error)
{
	const struct file_block *b = file_reader_peek(s->reader);
	int r;

	if (b == NULL)
		return 0;
	if (b->kind == FILE_BLOCK_ERROR) {
		*error = b->error;
		return b->err;
	}
	if (b->kind == FILE_BLOCK_DATA) {
		if (s->len + b->len > SDP_SIZE_MAX)
			return errmsg_fail(error, -EFBIG,
					   "%s: is longer than %d KiB",
					   s->base.spec->path,
					   SDP_SIZE_MAX / 1024);
		memcpy(s->text + s->len, b->data, b->len);
		s->len += b->len;
		file_reader_drop(s->reader);
		return 0;
	}
	file_reader_free(&s->reader);
	r = parse(s, error);
	free(s->text);
	s->text = NULL;
	if (r == 0)
		s->base.inner = input_open(&s->spec, now_ns, &r, error);
	if (s->base.inner == NULL) {
		errmsg_prefix(error, "%s: ", s->base.spec->path);
		return r;
	}
	follow(s);
	return 0;
}

static int sdp_read(struct input *in, struct batch *batch, uint64_t now_ns,
		    struct errmsg *error)
{
	struct sdp_input *s = container_of(in, struct sdp_input, base);
	int r;

	if (s->base.inner == NULL)
		return read_file(s, now_ns, error);
	r = input_read(s->base.inner, batch, now_ns, error);
	follow(s);
	return r;
}

static int sdp_every_second(struct input *in, uint64_t now_ns,
			    struct errmsg *error)
{
	struct sdp_input *s = container_of(in, struct sdp_input, base);
	int r;

	if (s->base.inner != NULL) {
		r = input_every_second(s->base.inner, now_ns, error);
		follow(s);
		return r;
	}
	if (s->reader == NULL ||
	    file_reader_waits_ms(s->reader, now_ns) < MUTE_MS)
		return 0;
	return errmsg_fail(error, -ETIMEDOUT, "%s: the disk does not answer",
			   in->spec->path);
}

static bool sdp_hangs(const struct input *in, uint64_t now_ns)
{
	const struct sdp_input *s =
		container_of(in, const struct sdp_input, base);

	return s->reader != NULL &&
	       file_reader_waits_ms(s->reader, now_ns) > FILE_HANGS_MS;
}

static bool sdp_can_be_silent(const struct input *in)
{
	const struct sdp_input *s =
		container_of(in, const struct sdp_input, base);

	return s->base.inner != NULL && input_can_be_silent(s->base.inner);
}

static void sdp_free(struct input *in)
{
	struct sdp_input *s = container_of(in, struct sdp_input, base);

	file_reader_free(&s->reader);
	input_free(&s->base.inner);
	free(s->text);
	free(s);
}

static const struct input_ops sdp_ops = {
	.free = sdp_free,
	.read = sdp_read,
	.every_second = sdp_every_second,
	.hangs = sdp_hangs,
	.can_be_silent = sdp_can_be_silent,
};

struct input *sdp_input_open(const struct input_spec *spec, uint64_t now_ns,
			     int *ret_err, struct errmsg *error)
{
	struct file_reader *reader =
		file_reader_new(spec->path, false, false, ret_err);
	struct sdp_input *s;

	(void)now_ns;
	if (reader == NULL) {
		(void)errmsg_fail(error, *ret_err, "no thread: %s",
				  strerror(-*ret_err));
		return NULL;
	}
	s = xcalloc(1, sizeof *s);
	s->base = (struct input){ .ops = &sdp_ops, .spec = spec, .fd = -1 };
	s->reader = reader;
	s->text = xcalloc(1, SDP_SIZE_MAX);
	return &s->base;
}
