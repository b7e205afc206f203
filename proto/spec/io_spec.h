/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the address of an input or an output into a struct.  The master checks
 * a configuration with it, and the stream worker opens the result, so that
 * both programs read an address in the same way.
 *
 * An option that the type does not know, or that has no effect, is never an
 * error.  It stays in the configuration and is reported once through remark,
 * which may be NULL.
 *
 * The functions return 0, -EINVAL, or -ENOTSUP for a type that this version
 * does not run (rtsp://).  The sentence of an error begins with the field:
 * "port: 70000 is not a port".
 */
#pragma once

#include "common/base/address.h"
#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"
#include "proto/spec/biss.h"
#include "proto/spec/cam_spec.h"
#include "proto/spec/http_spec.h"
#include "proto/spec/remux_options.h"
#include "proto/spec/rist_spec.h"
#include "proto/spec/rtp_spec.h"
#include "proto/spec/srt_spec.h"
#include "proto/spec/t2mi_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Where a text may name a stream or an adapter, this prefix marks the id of an
 * adapter.  The id of a stream has no colon. */
#define IO_ADAPTER "dvb://"

enum {
	IO_PATH_MAX = 1024,
	IO_ID_MAX = 64,
	/* name of a feed: id of an mpts, '/' and the position of an input */
	IO_FEED_MAX = IO_ID_MAX + 3,
	IO_LINK_MAX = sizeof IO_ADAPTER - 1 + IO_ID_MAX,
	IO_INNER_MAX = 255, /* bytes of an address in an option */
	IO_MERGE_DELAY_DEFAULT_MS = 500,
	IO_MERGE_DELAY_MIN_MS = 20,
	IO_MERGE_DELAY_MAX_MS = 1000,
	UDP_PORT_DEFAULT = 1234,
	UDP_RECEIVE_BUFFER = 2 * 1024 * 1024, /* bytes; the default */
	CC_LIMIT_NONE = 0,
	CC_LIMIT_MAX = 1000000,
	CC_LIMIT_DEFAULT = CC_LIMIT_MAX + 1, /* the key cc_limit of the stream
					      * applies */
	CBR_MIN_KBPS = 100,
	CBR_MAX_KBPS = 1000000,
	BURST_MAX_MS = 10, /* maximum and default of the option burst */
	WATCHDOG_DEFAULT_S = 5,
	FILE_MIN_FREE_DEFAULT_MIB = 256,
	SAP_PORT = 9875, /* RFC 2974 */
	SAP_INTERVAL_DEFAULT_S = 300, /* RFC 2974 3.1 */
	HTTP_RING_MIN_KIB = 16384, /* least and default size of the ring that
				    * viewers read */
};

/* Reports a remark, such as "option \"foo\" is not known". */
typedef void io_remark_fn(const char *text, void *arg);

/*
 * The types of inputs, one row each.  PLAIN: every worker can open it; NET: it
 * needs a library, so only sluice-worker-net can.  A row (KIND, name) means
 *	INPUT_KIND, the enumerator,
 *	input_name_type in proto/spec, the reader of its addresses,
 *	name_input_open() in worker/input or worker/net, which opens it.
 */
#define INPUT_TYPES(PLAIN, NET) \
	PLAIN(UDP, udp) \
	PLAIN(RTP, rtp) \
	PLAIN(FILE, file) \
	PLAIN(SDP, sdp) \
	NET(SRT, srt) \
	NET(RIST, rist) \
	NET(HTTP, http) \
	PLAIN(STREAM, stream) \
	PLAIN(DVB, dvb)

#define INPUT_KIND(KIND, name) INPUT_##KIND,
enum input_kind { INPUT_TYPES(INPUT_KIND, INPUT_KIND) INPUT_KINDS };
#undef INPUT_KIND

/* Do inputs of this kind read the ring of a stream or an adapter? */
bool input_kind_is_link(enum input_kind);

/* Is the name that of a feed, "mpts/3": the internal stream that receives an
 * input of an mpts? */
static inline bool io_is_feed(const char *stream)
{
	return strchr(stream, '/') != NULL;
}

/* Does a kind of inputs need libraries that only sluice-worker-net has? */
bool input_kind_is_net(enum input_kind);

struct input_spec {
	enum input_kind kind;
	char id[IO_ID_MAX + 1]; /* option id; "" when absent */

	/* for udp and rtp */
	char iface[16];               /* "": the kernel chooses it */
	struct sockaddr_any local;    /* group or address to bind */
	bool has_source;              /* src=: source-specific multicast */
	struct sockaddr_any source;
	unsigned renew_s;             /* between two joins; 0: joined once */
	unsigned socket_size;         /* receive buffer, bytes; 0: default */

	struct rtp_spec rtp;
	char merge[IO_INNER_MAX + 1]; /* address of a second path; "": none */
	unsigned merge_delay_ms;      /* packets are kept so long, to compare
				       * them with those of the other path */

	/* for file */
	char path[IO_PATH_MAX];
	bool loop;
	bool list; /* the file is a list of files */

	/* sdp; also path and iface, and the options of udp and rtp */
	unsigned sdp_media; /* number of the m= line, from 1; 0: the first one
			     * that can be received */

	struct srt_spec srt;
	struct rist_spec rist;
	struct http_spec http;

	/* stream: its id; dvb: IO_ADAPTER and the id of the adapter */
	char stream[IO_LINK_MAX + 1];
	/* The next two members are not in the address: the worker sets them. */
	int ring; /* read-only descriptor of the ring of `stream'; -1: none */
	uint64_t ring_from; /* position in the ring at which the input starts;
			     * 0: with the newest packet */

	/* every type; for the analyzer */
	unsigned cc_limit; /* continuity errors a second that take the input off
			    * air; or CC_LIMIT_NONE, CC_LIMIT_DEFAULT */
	unsigned bitrate_limit_kbps;  /* off air below this rate; 0: a default
				       * that depends on the content */
	bool no_analyze;

	/* the input carries T2-MI, and its stream is that in a PLP */
	bool t2mi;
	unsigned t2mi_pid;
	unsigned plp; /* T2MI_FIRST_PLP: that of the first baseband frame */

	struct biss_spec biss;
	struct cam_list cams;  /* softcams; n 0: none */
	uint16_t ecm_pid;      /* 0: the PIDs that the tables name */
	unsigned shift_ms;     /* delay in front of the descrambler; or
				* CAM_SHIFT_DEFAULT */

	/* option mux: one PID of another stream is inserted */
	char mux[IO_INNER_MAX + 1]; /* address of the other stream; "": none */
	uint16_t mux_pid;           /* PID in the other stream */
	uint16_t mux_to;            /* PID in the output; 0: mux_pid, or a
				     * free PID if that is in use */

	/* Seconds of silence after which the input is opened again (longer
	 * after each attempt); 0: never, which is the default of protocols with
	 * a timeout of their own. */
	unsigned watchdog_s;
	bool no_reload;      /* true has the effect of watchdog_s 0 */
	struct remux_options remux; /* those of the address, without the keys of
				     * the stream */
};

/* Reads the address of an input.  where: bits of enum where (field_idle.h) for
 * the stream of the input; options without effect there are reported. */
int input_spec_judge(const char *text, unsigned where, struct input_spec *ret,
		     io_remark_fn *remark, void *arg,
		     struct errmsg *error) MUST_CHECK;

/* Reads an address as input_spec_judge() does, without a stream: where is 0. */
int input_spec_parse(const char *text, struct input_spec *ret,
		     io_remark_fn *remark, void *arg,
		     struct errmsg *error) MUST_CHECK;

/* Defaults of HLS outputs. */
enum { HLS_DURATION_S = 3, HLS_QUANTITY = 4 };

enum output_kind { OUTPUT_UDP, OUTPUT_RTP, OUTPUT_HTTP, OUTPUT_SRT,
		   OUTPUT_RIST, OUTPUT_FILE, OUTPUT_NP, OUTPUT_KINDS };

bool output_kind_is_net(enum output_kind);

/* The clock by which an output sends its datagrams. */
enum output_pacing {
	PACING_TICK,   /* the wake-ups of the worker */
	PACING_AUTO,   /* the kernel, if its queue supports send times;
			* otherwise the wake-ups of the worker */
	PACING_KERNEL, /* as PACING_AUTO, but logs if the kernel cannot */
};

/* Bytes of a packet in the output.  204: 16 bytes of zero follow each packet of
 * 188 bytes. */
enum output_ts_size { TS_SIZE_188, TS_SIZE_204 };

struct output_spec {
	enum output_kind kind;
	unsigned cbr_kbps; /* constant rate; 0: the rate of the stream */

	/* for udp and rtp; biss also for srt */
	struct biss_spec biss;
	char iface[16];
	struct sockaddr_any remote;
	unsigned ttl;         /* default 32 */
	unsigned dscp;        /* class of service, RFC 2474; 0 to 63 */
	bool join;            /* the output also joins the group */
	unsigned burst_ms;    /* longest part of the stream sent at once */
	bool no_sync;         /* packets are sent as received, and not at the
			       * rate of the stream */
	enum output_pacing pacing;
	enum output_ts_size ts_size;
	bool sap;             /* SAP announces the stream */
	struct sockaddr_any sap_group; /* group of SAP; len 0: that which
					* RFC 2974 assigns to the scope */
	unsigned sap_interval_s; /* between two announcements */
	unsigned socket_size; /* send buffer, bytes; 0: default */
	struct rtp_out_spec rtp;

	/* http, srt, rist: viewers and callers need no permission */
	bool no_auth;

	/* for http and https */
	bool tls;
	struct sockaddr_any listen; /* 0.0.0.0 for an empty host or "*" */
	char path[IO_PATH_MAX];     /* begins with '/'; %-escapes are decoded */
	unsigned buffer_size_kib;   /* wanted size of the ring; 0: default */
	unsigned buffer_fill_kib;   /* a new viewer gets so much at once; 0:
				     * from the last random access point */
	bool hls;                   /* path is that of a playlist */
	unsigned hls_duration_s, hls_quantity, hls_part_ms;
	unsigned hls_segment;       /* format: 0: MPEG-TS, 1: fMP4 */

	/* for file, which also has path */
	struct {
		bool m2ts;             /* packets of 192 bytes */
		/* the next file begins at the next multiple of rotate_s (UTC),
		 * or at the size rotate_mib; 0: no limit */
		unsigned rotate_s;
		unsigned rotate_mib;
		unsigned min_free_mib; /* less free space stops recording */
	} file;

	struct srt_spec srt;
	struct rist_spec rist;
	struct http_spec http; /* for np */
};

int output_spec_parse(const char *text, struct output_spec *ret,
		      io_remark_fn *remark, void *arg,
		      struct errmsg *error) MUST_CHECK;
