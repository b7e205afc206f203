/* SPDX-License-Identifier: GPL-3.0-or-later */
/* udp:// and rtp://, in and out. */
#include "common/base/alloc.h"
#include "proto/spec/io_type.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	TTL_DEFAULT = 32,
	SAP_INTERVAL_MAX_S = 3600,
};

/* src is read by hand; the size of packets is found out from the data, and
 * they go on as they come: the outputs have a pace */
#define INPUT_OPTIONS \
	{ "src", IO_IGNORED, 0, 0, 0 }, \
	IO_OPTIONS_SOCKET, \
	{ "ts_size", IO_IGNORED, 0, 0, 0 }, \
	{ "sync", IO_IGNORED, 0, 0, 0 }, \
	{ "no_sync", IO_IGNORED, 0, 0, 0 }

static const struct io_option udp_input_options[] = {
	INPUT_OPTIONS,
	IO_OPTIONS_MERGE,
	{ 0 },
};

static const struct io_option rtp_input_options[] = {
	INPUT_OPTIONS,
	IO_OPTIONS_RTP,
	{ "fec", IO_FLAG, IO_INPUT(rtp.fec), 0, 0 },
	{ "merge", IO_IGNORED, 0, 0, 0 },
	{ 0 },
};

#define OUTPUT_OPTIONS \
	IO_OPTION_CBR, \
	{ "ttl", IO_NUMBER, IO_OUTPUT(ttl), 1, 255 }, \
	{ "socket_size", IO_NUMBER, IO_OUTPUT(socket_size), 0, \
	  IO_SOCKET_SIZE_MAX }, \
	{ "dscp", IO_NUMBER, IO_OUTPUT(dscp), 0, 63 }, \
	{ "burst", IO_NUMBER, IO_OUTPUT(burst_ms), 1, BURST_MAX_MS }, \
	{ "join", IO_FLAG, IO_OUTPUT(join), 0, 0 }, \
	{ "sync", IO_NO_FLAG, IO_OUTPUT(no_sync), 0, 0 }, \
	{ "no_sync", IO_FLAG, IO_OUTPUT(no_sync), 0, 0 }, \
	{ "pacing", IO_IGNORED, 0, 0, 0 }, \
	{ "sap", IO_IGNORED, 0, 0, 0 }, \
	{ "sap_interval", IO_NUMBER, IO_OUTPUT(sap_interval_s), 1, \
	  SAP_INTERVAL_MAX_S }

static const struct io_option udp_output_options[] = {
	OUTPUT_OPTIONS,
	{ 0 },
};

/* fec and path2 are read by hand */
static const struct io_option rtp_output_options[] = {
	OUTPUT_OPTIONS,
	{ "fec", IO_IGNORED, 0, 0, 0 },
	{ "path2", IO_IGNORED, 0, 0, 0 },
	{ 0 },
};

static int read_source(const struct address *a, struct input_spec *spec,
		       struct errmsg *why)
{
	const char *src = address_option(a, "src");

	if (src == NULL)
		return 0;
	if (sockaddr_parse(src, 0, &spec->source) < 0 ||
	    sockaddr_is_multicast(&spec->source))
		return errmsg_fail(why, -EINVAL,
				   "src: \"%.64s\" is not the address of a "
				   "sender", src);
	if (!sockaddr_is_multicast(&spec->local))
		return errmsg_fail(why, -EINVAL,
				   "src: is for multicast groups only");
	if (spec->source.sa.sa_family != spec->local.sa.sa_family)
		return errmsg_fail(why, -EINVAL,
				   "src: %.64s is not of the group's address "
				   "family", src);
	spec->has_source = true;
	return 0;
}

static int read_input(const struct address *a, struct input_spec *spec,
			  struct errmsg *why)
{
	struct address_endpoint e;
	int r = address_endpoint(a->target, UDP_PORT_DEFAULT, &e, why);

	if (r < 0)
		return r;
	r = sockaddr_parse(e.host[0] != '\0' ? e.host : "0.0.0.0", e.port,
			   &spec->local);
	if (r < 0)
		return errmsg_fail(why, r, "host: \"%s\" is not an IP address",
				   e.host);
	memcpy(spec->iface, e.iface, sizeof spec->iface);
	return read_source(a, spec, why);
}

static int read_udp_input(const struct address *a, struct input_spec *spec,
			  struct errmsg *why)
{
	int r = read_input(a, spec, why);

	return r < 0 ? r : io_merge_read(a, spec, why);
}

static int judge_fec_ports(const struct sockaddr_any *media,
			   struct errmsg *why)
{
	unsigned port = sockaddr_port(media);

	if (port + RTP_FEC_PORTS > UINT16_MAX)
		return errmsg_fail(why, -EINVAL,
				   "fec: there is no port %u behind %u",
				   port + RTP_FEC_PORTS, port);
	return 0;
}

static int read_rtp_input(const struct address *a, struct input_spec *spec,
			  struct errmsg *why)
{
	int r = read_input(a, spec, why);

	if (r < 0)
		return r;
	spec->rtp.reorder_ms = RTP_REORDER_DEFAULT_MS;
	spec->rtp.skew_ms = RTP_SKEW_DEFAULT_MS;
	return io_merge_read(a, spec, why);
}

/* [iface@]host[:port] that packets can be sent to. */
static int read_destination(const char *text, char *iface,
			    struct sockaddr_any *ret, struct errmsg *why)
{
	struct address_endpoint e;
	struct sockaddr_any any;
	int r = address_endpoint(text, UDP_PORT_DEFAULT, &e, why);

	if (r < 0)
		return r;
	if (e.host[0] == '\0')
		return errmsg_fail(why, -EINVAL, "host: is missing");
	if (sockaddr_parse(e.host, e.port, ret) < 0)
		return errmsg_fail(why, -EINVAL,
				   "host: \"%s\" is not an IP address",
				   e.host);
	if ((sockaddr_parse("0.0.0.0", e.port, &any) == 0 &&
	     sockaddr_equal(&any, ret)) ||
	    (sockaddr_parse("::", e.port, &any) == 0 &&
	     sockaddr_equal(&any, ret)))
		return errmsg_fail(why, -EINVAL,
				   "host: %s is not a destination", e.host);
	memcpy(iface, e.iface, sizeof e.iface);
	return 0;
}

static int read_pacing(const struct address *a, struct output_spec *spec,
		       struct errmsg *why)
{
	static const char *const names[] = {
		[PACING_TICK] = "tick",
		[PACING_AUTO] = "auto",
		[PACING_KERNEL] = "kernel",
	};
	const char *text = address_option(a, "pacing");

	for (size_t i = 0; text != NULL && i < ARRAY_LEN(names); i++)
		if (strcmp(text, names[i]) == 0) {
			spec->pacing = (enum output_pacing)i;
			return 0;
		}
	if (text == NULL)
		return 0;
	return errmsg_fail(why, -EINVAL, "pacing: \"%.32s\" is not tick, auto "
			   "or kernel", text);
}

/* sap, or sap=GROUP. */
static int read_sap(const struct address *a, struct output_spec *spec,
		    struct errmsg *why)
{
	const char *group = NULL;

	for (size_t i = 0; i < a->n_options; i++) {
		if (strcmp(a->options[i].key, "sap") != 0)
			continue;
		group = a->options[i].value;
		spec->sap = true;
	}
	if (group == NULL || group[0] == '\0')
		return 0;
	if (sockaddr_parse(group, SAP_PORT, &spec->sap_group) == 0 &&
	    spec->sap_group.sa.sa_family == spec->remote.sa.sa_family &&
	    sockaddr_is_multicast(&spec->sap_group))
		return 0;
	return errmsg_fail(why, -EINVAL, "sap: \"%.64s\" is not a group of "
			   "its family", group);
}

static int read_output(const struct address *a, struct output_spec *spec,
		       struct errmsg *why)
{
	int r;

	spec->ttl = TTL_DEFAULT;
	spec->sap_interval_s = SAP_INTERVAL_DEFAULT_S;
	r = read_destination(a->target, spec->iface, &spec->remote, why);
	if (r == 0)
		r = read_pacing(a, spec, why);
	return r < 0 ? r : read_sap(a, spec, why);
}

/* COLUMNSxROWS within SMPTE 2022-1. */
static int read_fec(const char *text, struct rtp_out_spec *ret,
		    struct errmsg *why)
{
	const char *x = strchr(text, 'x');
	int r;

	if (x == NULL)
		return errmsg_fail(why, -EINVAL,
				   "fec: \"%.32s\" is not <columns>x<rows>",
				   text);
	r = option_number(text, (size_t)(x - text), 1, FEC_COLUMNS_MAX,
			  &ret->fec_columns, why);
	if (r == 0)
		r = option_number(x + 1, strlen(x + 1), FEC_ROWS_MIN,
				  FEC_ROWS_MAX, &ret->fec_rows, why);
	if (r < 0) {
		errmsg_prefix(why, "fec: ");
		return r;
	}
	if (ret->fec_columns * ret->fec_rows > FEC_MATRIX_MAX)
		return errmsg_fail(why, -EINVAL,
				   "fec: %s is more than %d datagrams", text,
				   FEC_MATRIX_MAX);
	return 0;
}

static int read_rtp_output(const struct address *a, struct output_spec *spec,
			   struct errmsg *why)
{
	const char *fec = address_option(a, "fec");
	const char *path2 = address_option(a, "path2");
	struct rtp_out_spec *rtp = &spec->rtp;
	int r = read_output(a, spec, why);

	if (r == 0 && fec != NULL)
		r = read_fec(fec, rtp, why);
	if (r < 0 || path2 == NULL)
		return r;
	if (strpbrk(path2, "/#") != NULL)
		return errmsg_fail(why, -EINVAL, "path2: \"%.64s\" is not "
				   "[iface@]host[:port]: it has the type and "
				   "the options of the first", path2);
	r = read_destination(path2, rtp->path2_iface, &rtp->path2, why);
	if (r < 0) {
		errmsg_prefix(why, "path2: ");
		return r;
	}
	rtp->has_path2 = true;
	return 0;
}

/* What is protected on one path is so on the other. */
static int judge_rtp_input(const struct input_spec *spec, struct errmsg *why)
{
	struct input_spec *second;
	int r = spec->rtp.fec ? judge_fec_ports(&spec->local, why) : 0;

	if (r < 0 || !spec->rtp.fec || spec->merge[0] == '\0')
		return r;
	second = xcalloc(1, sizeof *second);
	r = input_spec_parse(spec->merge, second, NULL, NULL, why);
	if (r == 0)
		r = judge_fec_ports(&second->local, why);
	if (r < 0)
		errmsg_prefix(why, "merge: ");
	free(second);
	return r;
}

static int judge_output(const struct output_spec *spec, struct errmsg *why)
{
	if (spec->join && !sockaddr_is_multicast(&spec->remote))
		return errmsg_fail(why, -EINVAL,
				   "join: is for multicast groups only");
	if (spec->sap && !sockaddr_is_multicast(&spec->remote))
		return errmsg_fail(why, -EINVAL,
				   "sap: is for multicast groups only");
	if (spec->no_sync && spec->burst_ms > 0)
		return errmsg_fail(why, -EINVAL, "no_sync: not with burst");
	if (spec->no_sync && spec->pacing != PACING_TICK)
		return errmsg_fail(why, -EINVAL, "no_sync: not with pacing");
	if (spec->no_sync && spec->cbr_kbps > 0)
		return errmsg_fail(why, -EINVAL,
				   "no_sync: not with cbr, which is a pace");
	return 0;
}

static int judge_rtp_output(const struct output_spec *spec,
			    struct errmsg *why)
{
	const struct rtp_out_spec *rtp = &spec->rtp;
	int r = judge_output(spec, why);

	if (r == 0 && rtp->has_path2 && strcmp(rtp->path2_iface,
					       spec->iface) == 0 &&
	    sockaddr_equal(&rtp->path2, &spec->remote))
		return errmsg_fail(why, -EINVAL,
				   "path2: is the output's own address");
	if (r == 0 && rtp->fec_columns > 0)
		r = judge_fec_ports(&spec->remote, why);
	if (r == 0 && rtp->fec_columns > 0 && rtp->has_path2)
		r = judge_fec_ports(&rtp->path2, why);
	return r;
}

static const char *const idle_inputs[] = { "sync", NULL };

static const struct io_need udp_input_needs[] = {
	IO_NEEDS_MERGE,
	{ 0 },
};

static const struct io_need rtp_input_needs[] = {
	{ "skew", "merge", false },
	{ 0 },
};

static const struct io_need output_needs[] = {
	{ "sap_interval", "sap", false },
	{ 0 },
};

const struct input_type input_udp_type = {
	.name = "udp",
	.kind = INPUT_UDP,
	.read = read_udp_input,
	.options = udp_input_options,
	.needs = udp_input_needs,
	.idle = idle_inputs,
	.watchdog_s = WATCHDOG_DEFAULT_S,
};

const struct input_type input_rtp_type = {
	.name = "rtp",
	.kind = INPUT_RTP,
	.read = read_rtp_input,
	.options = rtp_input_options,
	.needs = rtp_input_needs,
	.idle = idle_inputs,
	.watchdog_s = WATCHDOG_DEFAULT_S,
	.judge = judge_rtp_input,
};

const struct output_type output_udp_type = {
	.name = "udp",
	.kind = OUTPUT_UDP,
	.read = read_output,
	.options = udp_output_options,
	.needs = output_needs,
	.judge = judge_output,
};

const struct output_type output_rtp_type = {
	.name = "rtp",
	.kind = OUTPUT_RTP,
	.read = read_rtp_output,
	.options = rtp_output_options,
	.needs = output_needs,
	.judge = judge_rtp_output,
};
