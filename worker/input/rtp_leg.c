/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/rtp_leg.h"

#include "common/base/log.h"
#include "worker/rtp/fec.h"

void rtp_leg_init(struct rtp_leg *l, const struct input_spec *spec)
{
	*l = (struct rtp_leg){ .fec = spec->rtp.fec };
	udp_flow_describe(&l->media, spec);
	udp_flow_describe(&l->columns, spec);
	udp_flow_describe(&l->rows, spec);
	sockaddr_move_port(&l->columns.place.local, FEC_COLUMN_PORT);
	sockaddr_move_port(&l->rows.place.local, FEC_ROW_PORT);
}

static void close_fec(struct rtp_leg *l)
{
	udp_flow_close(&l->columns);
	udp_flow_close(&l->rows);
}

void rtp_leg_close(struct rtp_leg *l)
{
	l->drops += udp_flow_drops(&l->media);
	udp_flow_close(&l->media);
	close_fec(l);
	l->open = false;
}

/* 0 or an error, after which the leg is closed. */
static int check(struct rtp_leg *l, int r)
{
	if (r < 0)
		rtp_leg_close(l);
	return r;
}

/* It is closed: until it can be opened the media are not repaired. */
static void lose_fec(struct rtp_leg *l, const struct errmsg *why,
		     uint64_t now_ns)
{
	bool news = l->fec_why.text[0] == '\0';

	close_fec(l);
	retry_soon(&l->fec_retry, now_ns);
	errmsg_set(&l->fec_why, "error correction: %s", why->text);
	if (news)
		log_warning("input", "%s", l->fec_why.text);
}

static void open_fec(struct rtp_leg *l, uint64_t now_ns)
{
	struct errmsg why = { 0 };

	if (!l->fec || udp_flow_is_open(&l->rows) ||
	    !retry_is_due(&l->fec_retry, now_ns))
		return;
	if (udp_flow_open(&l->columns, now_ns, &why) < 0 ||
	    udp_flow_open(&l->rows, now_ns, &why) < 0) {
		lose_fec(l, &why, now_ns);
		return;
	}
	if (l->fec_why.text[0] != '\0')
		log_info("input", "error correction: open again");
	l->fec_why.text[0] = '\0';
	retry_worked(&l->fec_retry);
}

int rtp_leg_open(struct rtp_leg *l, uint64_t now_ns)
{
	int r = udp_flow_open(&l->media, now_ns, &l->why);

	l->open = r == 0;
	if (r < 0) {
		retry_soon(&l->retry, now_ns);
		return check(l, r);
	}
	retry_worked(&l->retry);
	open_fec(l, now_ns);
	return 0;
}

int rtp_leg_read(struct rtp_leg *l, const struct udp_reader *media,
		 uint64_t now_ns)
{
	if (!l->open)
		return 0;
	return check(l, udp_flow_read(&l->media, media, now_ns, &l->why));
}

void rtp_leg_read_fec(struct rtp_leg *l, const struct udp_reader *fec,
		      uint64_t now_ns)
{
	struct errmsg why = { 0 };

	if (!udp_flow_is_open(&l->rows))
		return;
	/* what was sent first is read first */
	if (udp_flow_read(&l->rows, fec, now_ns, &why) < 0 ||
	    udp_flow_read(&l->columns, fec, now_ns, &why) < 0)
		lose_fec(l, &why, now_ns);
}

static void fec_second(struct rtp_leg *l, uint64_t now_ns)
{
	struct errmsg why = { 0 };

	if (!udp_flow_is_open(&l->rows))
		open_fec(l, now_ns);
	else if (udp_flow_second(&l->columns, now_ns, &why) < 0 ||
		 udp_flow_second(&l->rows, now_ns, &why) < 0)
		lose_fec(l, &why, now_ns);
}

int rtp_leg_second(struct rtp_leg *l, uint64_t now_ns)
{
	int r;

	if (!l->open)
		return retry_is_due(&l->retry, now_ns)
			       ? rtp_leg_open(l, now_ns)
			       : 0;
	r = udp_flow_second(&l->media, now_ns, &l->why);
	if (r < 0)
		return check(l, r);
	fec_second(l, now_ns);
	return 0;
}

const char *rtp_leg_trouble(const struct rtp_leg *l)
{
	const char *text = !l->open ? l->why.text : l->media.trouble.text;

	if (text[0] == '\0')
		text = l->fec_why.text;
	return text[0] != '\0' ? text : NULL;
}

uint64_t rtp_leg_drops(const struct rtp_leg *l)
{
	return l->drops + udp_flow_drops(&l->media);
}
