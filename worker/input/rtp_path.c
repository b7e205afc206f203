/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/rtp_path.h"

#include "common/base/log.h"
#include "worker/rtp/fec.h"

static void move_port(struct sockaddr_any *a, unsigned by)
{
	uint16_t port = htons((uint16_t)(sockaddr_port(a) + by));

	if (a->sa.sa_family == AF_INET6)
		a->in6.sin6_port = port;
	else
		a->in.sin_port = port;
}

void rtp_path_init(struct rtp_path *p, const struct input_spec *spec)
{
	*p = (struct rtp_path){ .fec = spec->rtp.fec };
	udp_flow_describe(&p->media, spec);
	udp_flow_describe(&p->columns, spec);
	udp_flow_describe(&p->rows, spec);
	move_port(&p->columns.place.local, FEC_COLUMN_PORT);
	move_port(&p->rows.place.local, FEC_ROW_PORT);
}

static void close_fec(struct rtp_path *p)
{
	udp_flow_close(&p->columns);
	udp_flow_close(&p->rows);
}

void rtp_path_close(struct rtp_path *p)
{
	udp_flow_close(&p->media);
	close_fec(p);
}

static void fail_fec(struct rtp_path *p, const struct errmsg *error,
		     uint64_t now_ns)
{
	bool news = p->fec_error.text[0] == '\0';

	close_fec(p);
	retry_soon(&p->fec_retry, now_ns);
	errmsg_set(&p->fec_error, "error correction: %s", error->text);
	if (news)
		log_warning("input", "%s", p->fec_error.text);
}

static void open_fec(struct rtp_path *p, uint64_t now_ns)
{
	struct errmsg error = { 0 };

	if (!p->fec || udp_flow_is_open(&p->rows) ||
	    !retry_is_due(&p->fec_retry, now_ns))
		return;
	if (udp_flow_open(&p->columns, now_ns, &error) < 0 ||
	    udp_flow_open(&p->rows, now_ns, &error) < 0) {
		fail_fec(p, &error, now_ns);
		return;
	}
	if (p->fec_error.text[0] != '\0')
		log_info("input", "error correction: recovered");
	p->fec_error.text[0] = '\0';
	retry_worked(&p->fec_retry);
}

int rtp_path_open(struct rtp_path *p, uint64_t now_ns, struct errmsg *error)
{
	int r = udp_flow_open(&p->media, now_ns, error);

	if (r == 0)
		open_fec(p, now_ns);
	return r;
}

void rtp_path_read_fec(struct rtp_path *p, const struct udp_reader *fec,
		       uint64_t now_ns)
{
	struct errmsg error = { 0 };

	if (!udp_flow_is_open(&p->rows))
		return;
	/* rows are sent first, so read first */
	if (udp_flow_read(&p->rows, fec, now_ns, &error) < 0 ||
	    udp_flow_read(&p->columns, fec, now_ns, &error) < 0)
		fail_fec(p, &error, now_ns);
}

int rtp_path_every_second(struct rtp_path *p, uint64_t now_ns,
			  struct errmsg *error)
{
	struct errmsg fec_error = { 0 };
	int r = udp_flow_every_second(&p->media, now_ns, error);

	if (r < 0)
		return r;
	if (!udp_flow_is_open(&p->rows))
		open_fec(p, now_ns);
	else if (udp_flow_every_second(&p->columns, now_ns, &fec_error) < 0 ||
		 udp_flow_every_second(&p->rows, now_ns, &fec_error) < 0)
		fail_fec(p, &fec_error, now_ns);
	return 0;
}

const char *rtp_path_error(const struct rtp_path *p)
{
	const char *text = p->media.error.text;

	if (!udp_flow_is_open(&p->media) || text[0] == '\0')
		text = p->fec_error.text;
	return text[0] != '\0' ? text : NULL;
}
