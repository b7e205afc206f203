/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/rtp_leg.h"

#include "worker/input/fec.h"

static void move_port(struct sockaddr_any *a, unsigned by)
{
	uint16_t port = htons((uint16_t)(sockaddr_port(a) + by));

	if (a->sa.sa_family == AF_INET6)
		a->in6.sin6_port = port;
	else
		a->in.sin_port = port;
}

void rtp_leg_init(struct rtp_leg *l, const struct input_spec *spec)
{
	*l = (struct rtp_leg){ .fec = spec->rtp.fec };
	udp_flow_describe(&l->media, spec);
	udp_flow_describe(&l->columns, spec);
	udp_flow_describe(&l->rows, spec);
	move_port(&l->columns.place.local, FEC_COLUMN_PORT);
	move_port(&l->rows.place.local, FEC_ROW_PORT);
}

void rtp_leg_close(struct rtp_leg *l)
{
	l->drops += udp_flow_drops(&l->media);
	udp_flow_close(&l->media);
	udp_flow_close(&l->columns);
	udp_flow_close(&l->rows);
	l->open = false;
}

/* 0 or an error, after which the leg is closed. */
static int check(struct rtp_leg *l, int r)
{
	if (r < 0)
		rtp_leg_close(l);
	return r;
}

int rtp_leg_open(struct rtp_leg *l, uint64_t now_ns)
{
	int r = udp_flow_open(&l->media, now_ns, &l->why);

	if (r == 0 && l->fec)
		r = udp_flow_open(&l->columns, now_ns, &l->why);
	if (r == 0 && l->fec)
		r = udp_flow_open(&l->rows, now_ns, &l->why);
	l->open = r == 0;
	return check(l, r);
}

int rtp_leg_read(struct rtp_leg *l, const struct udp_reader *media,
		 const struct udp_reader *fec, uint64_t now_ns)
{
	int reads, r = 0;

	if (!l->open)
		return 0;
	/* what was sent first is read first */
	reads = udp_flow_read(&l->media, media, now_ns, &l->why);
	if (reads < 0 || !l->fec)
		return check(l, reads);
	r = udp_flow_read(&l->rows, fec, now_ns, &l->why);
	if (r >= 0)
		r = udp_flow_read(&l->columns, fec, now_ns, &l->why);
	return r < 0 ? check(l, r) : reads;
}

int rtp_leg_second(struct rtp_leg *l, uint64_t now_ns)
{
	int r;

	if (!l->open)
		return rtp_leg_open(l, now_ns);
	r = udp_flow_second(&l->media, now_ns, &l->why);
	if (r == 0 && l->fec)
		r = udp_flow_second(&l->columns, now_ns, &l->why);
	if (r == 0 && l->fec)
		r = udp_flow_second(&l->rows, now_ns, &l->why);
	return check(l, r);
}

uint64_t rtp_leg_drops(const struct rtp_leg *l)
{
	return l->drops + udp_flow_drops(&l->media);
}
