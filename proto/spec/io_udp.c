/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The types udp and rtp, of inputs and outputs. */
#include "common/base/alloc.h"
#include "proto/spec/io_type.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	TTL_DEFAULT = 32,
	TTL_MAX = 255,
	DSCP_MAX = 63,
	SAP_INTERVAL_MAX_S = 3600,
};

/* --- inputs --- */

/* Reads src=ADDRESS, the sender of source-specific multicast. */
static int read_source(const struct field *f, const char *key,
		       const char *src, void *s, struct errmsg *error)
{
	struct input_spec *spec = s;

	(void)f, (void)key;
	if (sockaddr_parse(src, 0, &spec->source) < 0 ||
	    sockaddr_is_multicast(&spec->source))
		return errmsg_fail(error, -EINVAL,
				   "\"%.64s\" is not the address of a sender",
				   src);
	if (!sockaddr_is_multicast(&spec->local))
		return errmsg_fail(error, -EINVAL,
				   "is for multicast groups only");
	if (spec->source.sa.sa_family != spec->local.sa.sa_family)
		return errmsg_fail(error, -EINVAL,
				   "%.64s is not of the group's address "
				   "family", src);
	spec->has_source = true;
	return 0;
}

static const struct field_hook source_hook = { .schema = "string",
					       .read = read_source };

/* ts_size has no effect, because the size of packets is found in the data.
 * sync and no_sync have none, because the outputs set the pace of the
 * stream. */
#define INPUT_ROWS \
	{ "src", FIELD_BY_SPAN(&source_hook, struct input_spec, has_source, \
			       source), \
	  .flags = FIELD_OBSERVER, \
	  .help = "Only sender of the group that is received." }, \
	IO_ROWS_SOCKET, \
	{ "ts_size", .type = FIELD_NONE, .form = "integer", \
	  .help = "Accepted for compatibility; the size is detected." }, \
	{ "sync", .type = FIELD_NONE, .form = "boolean", .flags = FIELD_IDLE, \
	  .help = "Accepted for compatibility with other programs; without " \
		  "effect." }, \
	{ "no_sync", .type = FIELD_NONE, .form = "boolean", \
	  .help = "Accepted for compatibility with other programs; without " \
		  "effect." }, \
	IO_ROWS_WATCHDOG(WATCHDOG_DEFAULT_S, 0)

static const struct field udp_input_rows[] = {
	INPUT_ROWS,
	IO_ROWS_MERGE,
};
static const struct field rtp_input_rows[] = {
	INPUT_ROWS,
	IO_ROWS_RTP("merge"),
	{ "fec", IO_INPUT(rtp.fec),
	  .flags = FIELD_OBSERVER,
	  .help = "Receives error correction of SMPTE 2022-1." },
	IO_ROW_MERGE,
};
static const struct field_table udp_input_fields =
	FIELD_TABLE(struct input_spec, udp_input_rows);
static const struct field_table rtp_input_fields =
	FIELD_TABLE(struct input_spec, rtp_input_rows);

/* Reads [iface@]host[:port].  Other programs write options behind '?' and the
 * interface behind '/': the error says what to write. */
static int read_endpoint(const char *text, struct address_endpoint *ret,
			 struct errmsg *error)
{
	if (strchr(text, '?') != NULL)
		return errmsg_fail(error, -EINVAL,
				   "port: a '?' follows; options begin with "
				   "'#'");
	if (strchr(text, '/') != NULL)
		return errmsg_fail(error, -EINVAL,
				   "port: a '/' follows; write an interface "
				   "in front of an @");
	return address_endpoint(text, UDP_PORT_DEFAULT, ret, error);
}

static int read_input(const struct address *a, void *s, struct errmsg *error)
{
	struct input_spec *spec = s;
	struct address_endpoint e;
	int r = read_endpoint(a->target, &e, error);

	if (r < 0)
		return r;
	r = sockaddr_parse(e.host[0] != '\0' ? e.host : "0.0.0.0", e.port,
			   &spec->local);
	if (r < 0)
		return errmsg_fail(error, r,
				   "host: \"%s\" is not an IP address",
				   e.host);
	memcpy(spec->iface, e.iface, sizeof spec->iface);
	return 0;
}

static unsigned where_is(const void *spec)
{
	const struct input_spec *in = spec;

	return sockaddr_is_multicast(&in->local) ? 0 : WHERE_UNICAST;
}

static int finish_udp_input(const struct address *a, void *spec,
			    struct errmsg *error)
{
	return io_merge_read(a, spec, error);
}

static int judge_fec_ports(const struct sockaddr_any *media,
			   struct errmsg *error)
{
	unsigned port = sockaddr_port(media);

	if (port + RTP_FEC_PORTS > UINT16_MAX)
		return errmsg_fail(error, -EINVAL,
				   "fec: there is no port %u behind %u",
				   port + RTP_FEC_PORTS, port);
	return 0;
}

/* Completes an rtp input.  With fec= both paths have error correction, so both
 * must have the ports for it. */
static int finish_rtp_input(const struct address *a, void *s,
			    struct errmsg *error)
{
	const struct input_spec *spec = s;
	struct input_spec *second;
	int r = io_merge_read(a, s, error);

	if (r == 0 && spec->rtp.fec)
		r = judge_fec_ports(&spec->local, error);
	if (r < 0 || !spec->rtp.fec || spec->merge[0] == '\0')
		return r;
	second = xcalloc(1, sizeof *second);
	r = input_spec_parse(spec->merge, second, NULL, NULL, error);
	if (r == 0)
		r = judge_fec_ports(&second->local, error);
	if (r < 0)
		errmsg_prefix(error, "merge: ");
	free(second);
	return r;
}

const struct io_type input_udp_type = {
	.name = "udp",
	.target = "[iface@]address[:port]",
	.kind = INPUT_UDP,
	.options = &udp_input_fields,
	.read = read_input,
	.where = where_is,
	.finish = finish_udp_input,
};

const struct io_type input_rtp_type = {
	.name = "rtp",
	.target = "[iface@]address[:port]",
	.kind = INPUT_RTP,
	.options = &rtp_input_fields,
	.read = read_input,
	.where = where_is,
	.finish = finish_rtp_input,
};

/* --- outputs --- */

/* Reads [iface@]host[:port], an address to which packets can be sent. */
static int read_destination(const char *text, char *iface,
			    struct sockaddr_any *ret, struct errmsg *error)
{
	struct address_endpoint e;
	struct sockaddr_any any;
	int r = read_endpoint(text, &e, error);

	if (r < 0)
		return r;
	if (e.host[0] == '\0')
		return errmsg_fail(error, -EINVAL, "host: is missing");
	if (sockaddr_parse(e.host, e.port, ret) < 0)
		return errmsg_fail(error, -EINVAL,
				   "host: \"%s\" is not an IP address",
				   e.host);
	if ((sockaddr_parse("0.0.0.0", e.port, &any) == 0 &&
	     sockaddr_equal(&any, ret)) ||
	    (sockaddr_parse("::", e.port, &any) == 0 &&
	     sockaddr_equal(&any, ret)))
		return errmsg_fail(error, -EINVAL,
				   "host: %s is not a destination", e.host);
	memcpy(iface, e.iface, sizeof e.iface);
	return 0;
}

/* Reads the option sap or sap=GROUP. */
static int read_sap(const struct field *f, const char *key, const char *group,
		    void *s, struct errmsg *error)
{
	struct output_spec *spec = s;

	(void)f, (void)key;
	spec->sap = true;
	spec->sap_group = (struct sockaddr_any){ 0 };
	if (group[0] == '\0' ||
	    (sockaddr_parse(group, SAP_PORT, &spec->sap_group) == 0 &&
	     spec->sap_group.sa.sa_family == spec->remote.sa.sa_family &&
	     sockaddr_is_multicast(&spec->sap_group)))
		return 0;
	return errmsg_fail(error, -EINVAL, "\"%.64s\" is not a multicast group "
			   "of the IP family of the output", group);
}

/* Reads fec=COLUMNSxROWS, within the limits of SMPTE 2022-1. */
static int read_fec(const struct field *f, const char *key, const char *text,
		    void *s, struct errmsg *error)
{
	struct rtp_out_spec *rtp = &((struct output_spec *)s)->rtp;
	const char *x = strchr(text, 'x');

	(void)f, (void)key;
	if (x == NULL)
		return errmsg_fail(error, -EINVAL,
				   "\"%.32s\" is not <columns>x<rows>", text);
	if (option_number(text, (size_t)(x - text), 1, FEC_COLUMNS_MAX,
			  &rtp->fec_columns, error) < 0 ||
	    option_number(x + 1, strlen(x + 1), FEC_ROWS_MIN, FEC_ROWS_MAX,
			  &rtp->fec_rows, error) < 0)
		return -EINVAL;
	if (rtp->fec_columns * rtp->fec_rows > FEC_MATRIX_MAX)
		return errmsg_fail(error, -EINVAL,
				   "the matrix %s has more than %d "
				   "datagrams", text,
				   FEC_MATRIX_MAX);
	return 0;
}

/* Reads the second path, which has the type and options of the first path. */
static int read_path2(const struct field *f, const char *key,
		      const char *text, void *s, struct errmsg *error)
{
	struct rtp_out_spec *rtp = &((struct output_spec *)s)->rtp;
	int r;

	(void)f, (void)key;
	if (strpbrk(text, "/#") != NULL)
		return errmsg_fail(error, -EINVAL, "\"%.64s\" is not "
				   "[iface@]host[:port]: write no type and no "
				   "options, because the second path has those "
				   "of the first", text);
	r = read_destination(text, rtp->path2_iface, &rtp->path2, error);
	rtp->has_path2 = r == 0;
	return r;
}

static const struct field_hook sap_hook = { .schema = "string",
					    .read = read_sap };
static const struct field_hook fec_hook = { .schema = "string",
					    .read = read_fec };
static const struct field_hook path2_hook = { .schema = "string",
					      .read = read_path2 };

static const char *const pacings[] = {
	[PACING_TICK] = "tick",
	[PACING_AUTO] = "auto",
	[PACING_KERNEL] = "kernel",
	NULL,
};

static const char *const ts_sizes[] = {
	[TS_SIZE_188] = "188",
	[TS_SIZE_204] = "204",
	NULL,
};

#define OUTPUT_ROWS \
	IO_ROW_CBR, \
	IO_ROWS_BISS(struct output_spec), \
	{ "ttl", IO_OUTPUT(ttl), .min = 1, .max = TTL_MAX, \
	  .initial = TTL_DEFAULT, \
	  .flags = FIELD_OBSERVER, \
	  .help = "Time to live: routers that a datagram may pass." }, \
	{ "socket_size", IO_OUTPUT(socket_size), .max = IO_SOCKET_SIZE_MAX, \
	  .unit = "bytes", \
	  .flags = FIELD_OBSERVER, \
	  .help = "Send buffer of the socket; 0: the usual size." }, \
	{ "dscp", IO_OUTPUT(dscp), .max = DSCP_MAX, \
	  .flags = FIELD_OBSERVER, \
	  .help = "Class of service (RFC 2474)." }, \
	{ "burst", IO_OUTPUT(burst_ms), .min = 1, .max = BURST_MAX_MS, \
	  .unit = "ms", .flags = FIELD_OBSERVER, \
	  .help = "Longest part of the stream sent at once." }, \
	{ "join", IO_OUTPUT(join), \
	  .flags = FIELD_OBSERVER, \
	  .help = "Joins the group that it sends to." }, \
	{ "no_sync", IO_OUTPUT(no_sync), \
	  .flags = FIELD_OBSERVER, \
	  .help = "Sends packets as received, not at the stream's rate." }, \
	{ "sync", IO_OUTPUT(no_sync), \
	  .flags = FIELD_NEGATED | FIELD_ALIAS | FIELD_OBSERVER, \
	  .help = "Sends packets at the rate of the stream." }, \
	{ "pacing", IO_OUTPUT(pacing), .choices = pacings, \
	  .flags = FIELD_OBSERVER, \
	  .help = "Whether the worker or the kernel spaces datagrams." }, \
	{ "ts_size", IO_OUTPUT(ts_size), .choices = ts_sizes, \
	  .flags = FIELD_OBSERVER, \
	  .help = "Bytes of a packet: 204 for gateways to ASI." }, \
	{ "sap", FIELD_BY_SPAN(&sap_hook, struct output_spec, sap, \
			       sap_group), \
	  .flags = FIELD_OBSERVER, \
	  .help = "Announces the session by SAP, in this group." }, \
	{ "sap_interval", IO_OUTPUT(sap_interval_s), .min = 1, \
	  .max = SAP_INTERVAL_MAX_S, .initial = SAP_INTERVAL_DEFAULT_S, \
	  .unit = "s", .needs = "sap", \
	  .flags = FIELD_OBSERVER, \
	  .help = "Time between two announcements." }

static const struct field udp_output_rows[] = { OUTPUT_ROWS };
static const struct field rtp_output_rows[] = {
	OUTPUT_ROWS,
	{ "fec", FIELD_BY_SPAN(&fec_hook, struct output_spec, rtp.fec_columns,
			       rtp.fec_rows),
	  .flags = FIELD_OBSERVER,
	  .help = "Error correction of SMPTE 2022-1: COLUMNSxROWS." },
	{ "path2", FIELD_BY_SPAN(&path2_hook, struct output_spec,
				 rtp.has_path2, rtp.path2_iface),
	  .flags = FIELD_OBSERVER,
	  .help = "Second path of SMPTE 2022-7: [iface@]host[:port]." },
};
static const struct field_table udp_output_fields =
	FIELD_TABLE(struct output_spec, udp_output_rows);
static const struct field_table rtp_output_fields =
	FIELD_TABLE(struct output_spec, rtp_output_rows);

static int read_output(const struct address *a, void *s, struct errmsg *error)
{
	struct output_spec *spec = s;

	return read_destination(a->target, spec->iface, &spec->remote, error);
}

static int finish_output(const struct address *a, void *s, struct errmsg *error)
{
	const struct output_spec *spec = s;

	(void)a;
	if (spec->join && !sockaddr_is_multicast(&spec->remote))
		return errmsg_fail(error, -EINVAL,
				   "join: is for multicast groups only");
	if (spec->sap && !sockaddr_is_multicast(&spec->remote))
		return errmsg_fail(error, -EINVAL,
				   "sap: is for multicast groups only");
	if (spec->no_sync && spec->burst_ms > 0)
		return errmsg_fail(error, -EINVAL,
		                   "no_sync: cannot be combined with burst");
	if (spec->no_sync && spec->pacing != PACING_TICK)
		return errmsg_fail(error, -EINVAL,
		                   "no_sync: cannot be combined with pacing");
	if (spec->no_sync && spec->cbr_kbps > 0)
		return errmsg_fail(error, -EINVAL,
				   "no_sync: cannot be combined with cbr");
	return 0;
}

static int finish_rtp_output(const struct address *a, void *s,
			     struct errmsg *error)
{
	const struct output_spec *spec = s;
	const struct rtp_out_spec *rtp = &spec->rtp;
	int r = finish_output(a, s, error);

	if (r == 0 && rtp->has_path2 && strcmp(rtp->path2_iface,
					       spec->iface) == 0 &&
	    sockaddr_equal(&rtp->path2, &spec->remote))
		return errmsg_fail(error, -EINVAL,
				   "path2: is the output's own address");
	if (r == 0 && rtp->fec_columns > 0 && spec->ts_size == TS_SIZE_204)
		return errmsg_fail(error, -EINVAL,
				   "fec: cannot be combined with ts_size=204");
	if (r == 0 && rtp->fec_columns > 0)
		r = judge_fec_ports(&spec->remote, error);
	if (r == 0 && rtp->fec_columns > 0 && rtp->has_path2)
		r = judge_fec_ports(&rtp->path2, error);
	return r;
}

const struct io_type output_udp_type = {
	.name = "udp",
	.target = "[iface@]address[:port]",
	.kind = OUTPUT_UDP,
	.options = &udp_output_fields,
	.read = read_output,
	.finish = finish_output,
};

const struct io_type output_rtp_type = {
	.name = "rtp",
	.target = "[iface@]address[:port]",
	.kind = OUTPUT_RTP,
	.options = &rtp_output_fields,
	.read = read_output,
	.finish = finish_rtp_output,
};
