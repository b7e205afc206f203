/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/picture/picture_frame.h"

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavutil/frame.h>
#include <libswscale/swscale.h>
#include <stdarg.h>
#include <string.h>

enum {
	HEIGHT_MAX = 1080,
	/* quantiser scale of MJPEG (2 is the best quality): of the first
	 * attempt, and the worst one that is tried */
	QUALITY = 4,
	QUALITY_WORST = 31,
};

/* Drops the library's own log lines. */
static void drop_log(void *context, int level, const char *format, va_list args)
{
	(void)context, (void)level, (void)format, (void)args;
}

void picture_library_open(void)
{
	av_log_set_callback(drop_log);
}

/* The decoder for each stream_type of a PMT. */
static const struct coding {
	uint8_t stream_type;
	enum AVCodecID id;
	enum AVDiscard skip; /* frames that the decoder skips */
} codings[] = {
	{ 0x01, AV_CODEC_ID_MPEG1VIDEO, AVDISCARD_NONREF },
	{ 0x02, AV_CODEC_ID_MPEG2VIDEO, AVDISCARD_NONREF },
	{ 0x10, AV_CODEC_ID_MPEG4, AVDISCARD_NONREF },
	/* not AVDISCARD_NONKEY: the second field of a key frame may refer to
	 * the first */
	{ 0x1b, AV_CODEC_ID_H264, AVDISCARD_NONREF },
	{ 0x24, AV_CODEC_ID_HEVC, AVDISCARD_NONREF },
};

static AVCodecContext *open_decoder(uint8_t stream_type, struct errmsg *error)
{
	const AVCodec *codec = NULL;
	AVCodecContext *c;
	size_t i = 0;

	while (i < ARRAY_LEN(codings) && codings[i].stream_type != stream_type)
		i++;
	if (i < ARRAY_LEN(codings))
		codec = avcodec_find_decoder(codings[i].id);
	if (codec == NULL) {
		errmsg_set(error, "the video of the stream (stream_type "
			   "0x%02x) cannot be decoded", stream_type);
		return NULL;
	}
	c = avcodec_alloc_context3(codec);
	if (c == NULL) {
		errmsg_set(error, "no memory for the decoder");
		return NULL;
	}
	c->thread_count = 1;
	c->max_pixels = PICTURE_PIXELS_MAX;
	c->skip_frame = codings[i].skip;
	/* a group of pictures may begin with frames whose references are
	 * missing */
	c->flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT;
	c->flags2 |= AV_CODEC_FLAG2_SHOW_ALL;
	if (avcodec_open2(c, codec, NULL) < 0) {
		errmsg_set(error, "libavcodec cannot start its decoder %s",
			   codec->name);
		avcodec_free_context(&c);
	}
	return c;
}

/* Takes decoded frames until none is left; true: frame is a key frame. */
static bool receive(AVCodecContext *c, AVFrame *frame)
{
	while (avcodec_receive_frame(c, frame) == 0) {
		if (frame->key_frame || frame->pict_type == AV_PICTURE_TYPE_I)
			return true;
		av_frame_unref(frame);
	}
	return false;
}

static bool decode(AVCodecContext *c, const struct picture_units *units,
		   AVPacket *packet, AVFrame *frame)
{
	for (size_t i = 0; i < units->n; i++) {
		/* the data belong to the units */
		packet->data = units->list[i].data;
		packet->size = (int)units->list[i].len;
		packet->flags = i == 0 ? AV_PKT_FLAG_KEY : 0;
		(void)avcodec_send_packet(c, packet);
		if (receive(c, frame))
			return true;
	}
	(void)avcodec_send_packet(c, NULL);
	return receive(c, frame);
}

struct AVFrame *picture_decode(const struct picture_units *units, int *ret_err,
			       struct errmsg *error)
{
	AVCodecContext *c;
	AVPacket *packet;
	AVFrame *frame;
	bool decoded;

	*ret_err = -ENOENT;
	c = open_decoder(units->coding, error);
	if (c == NULL)
		return NULL;
	packet = av_packet_alloc();
	frame = av_frame_alloc();
	decoded = packet != NULL && frame != NULL &&
		  decode(c, units, packet, frame) && frame->width > 0 &&
		  frame->height > 0;
	if (!decoded) {
		*ret_err = errmsg_fail(error, -EAGAIN, "the last key frame of "
				       "the stream cannot be decoded");
		av_frame_free(&frame);
	}
	av_packet_free(&packet);
	avcodec_free_context(&c);
	return frame;
}

void picture_frame_free(struct AVFrame **f)
{
	av_frame_free(f);
}

/* Chooses an even width and height, of at least 16, and at most this width,
 * HEIGHT_MAX, and the size at which the frame is shown.  Pixels are square. */
static void choose_size(const AVFrame *f, unsigned width, int *ret_width,
			int *ret_height)
{
	int64_t num = f->sample_aspect_ratio.num;
	int64_t den = f->sample_aspect_ratio.den, wide, high;

	if (num <= 0 || den <= 0 || num > 100 * den || den > 100 * num)
		num = den = 1;
	wide = f->width * num / den;
	high = f->height;
	if (wide > width) {
		high = high * width / MAX(wide, INT64_C(1));
		wide = width;
	}
	if (high > HEIGHT_MAX) {
		wide = wide * HEIGHT_MAX / high;
		high = HEIGHT_MAX;
	}
	*ret_width = (int)MAX(wide & ~INT64_C(1), INT64_C(16));
	*ret_height = (int)MAX(high & ~INT64_C(1), INT64_C(16));
}

/* Scales the frame to this size in the format of JPEG; returns a new frame. */
static AVFrame *scale(const AVFrame *f, int width, int height)
{
	struct SwsContext *sws = sws_getContext(f->width, f->height,
		(enum AVPixelFormat)f->format, width, height,
		AV_PIX_FMT_YUVJ420P, SWS_AREA, NULL, NULL, NULL);
	AVFrame *small = av_frame_alloc();
	bool scaled = false;

	if (sws != NULL && small != NULL) {
		small->width = width;
		small->height = height;
		small->format = AV_PIX_FMT_YUVJ420P;
		scaled = av_frame_get_buffer(small, 0) == 0 &&
			 sws_scale(sws, (const uint8_t *const *)f->data,
				   f->linesize, 0, f->height, small->data,
				   small->linesize) == height;
	}
	if (!scaled)
		av_frame_free(&small);
	sws_freeContext(sws);
	return small;
}

static AVCodecContext *open_encoder(const AVFrame *f, int quality)
{
	const AVCodec *codec = avcodec_find_encoder(AV_CODEC_ID_MJPEG);
	AVCodecContext *c = codec != NULL ? avcodec_alloc_context3(codec)
					  : NULL;

	if (c == NULL)
		return NULL;
	c->width = f->width;
	c->height = f->height;
	c->pix_fmt = AV_PIX_FMT_YUVJ420P;
	c->time_base = (AVRational){ 1, 25 };
	c->thread_count = 1;
	c->flags |= AV_CODEC_FLAG_QSCALE;
	c->global_quality = quality * FF_QP2LAMBDA;
	if (avcodec_open2(c, codec, NULL) < 0)
		avcodec_free_context(&c);
	return c;
}

static ssize_t encode(AVFrame *f, int quality, uint8_t *ret, size_t size)
{
	AVCodecContext *c = open_encoder(f, quality);
	AVPacket *packet = av_packet_alloc();
	ssize_t len = -EINVAL;

	f->quality = quality * FF_QP2LAMBDA;
	if (c != NULL && packet != NULL && avcodec_send_frame(c, f) == 0 &&
	    avcodec_receive_packet(c, packet) == 0 && packet->size > 0)
		len = (size_t)packet->size <= size ? packet->size : -EMSGSIZE;
	if (len > 0)
		memcpy(ret, packet->data, (size_t)len);
	av_packet_free(&packet);
	avcodec_free_context(&c);
	return len;
}

ssize_t picture_encode(const struct AVFrame *frame, unsigned width,
		       uint8_t *ret, size_t size, struct errmsg *error)
{
	AVFrame *small;
	ssize_t len = -EINVAL;
	int wide, high, quality = QUALITY;

	choose_size(frame, width, &wide, &high);
	small = scale(frame, wide, high);
	if (small != NULL)
		len = encode(small, quality, ret, size);
	/* the JPEG is too long, as for a picture full of noise: tries a worse
	 * quality */
	while (len == -EMSGSIZE && (quality *= 2) <= QUALITY_WORST)
		len = encode(small, quality, ret, size);
	av_frame_free(&small);
	if (len < 0)
		errmsg_set(error, "the last key frame of the stream cannot be "
			   "encoded as a JPEG of %dx%d", wide, high);
	return len;
}
