/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the address of an input or an output into a struct.  The master checks
 * a configuration with it, and the stream worker opens the result, so that
 * both programs read an address in the same way.
 *
 * Options that a type does not know stay in the configuration.  They, and
 * options without effect, are reported through remark (may be NULL), once per
 * option; they are never an error.
 *
 * Returns 0, -EINVAL, or -ENOTSUP for a type that this version does not run
 * (rtsp://).  The sentence begins with the field: "port: 70000 is not a port".
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

/* In front of the id of an adapter where the id of a stream may stand, too: no
 * such id has a colon. */
#define IO_ADAPTER "dvb://"

enum {
	IO_PATH_MAX = 1024,
	IO_ID_MAX = 64,
	/* with the position of an input: the stream that receives it alone */
	IO_FEED_MAX = IO_ID_MAX + 3,
	IO_LINK_MAX = sizeof IO_ADAPTER - 1 + IO_ID_MAX,
	IO_INNER_MAX = 255, /* bytes of an address in an option */
	IO_MERGE_DELAY_DEFAULT_MS = 500,
	IO_MERGE_DELAY_MIN_MS = 20,
	IO_MERGE_DELAY_MAX_MS = 1000,
	UDP_PORT_DEFAULT = 1234,
	UDP_RECEIVE_BUFFER = 2 * 1024 * 1024, /* bytes */
	CC_LIMIT_NONE = 0,
	CC_LIMIT_MAX = 1000000,
	CC_LIMIT_DEFAULT = CC_LIMIT_MAX + 1, /* the stream's */
	CBR_MIN_KBPS = 100,
	CBR_MAX_KBPS = 1000000,
	BURST_MAX_MS = 10, /* maximum and default */
	WATCHDOG_DEFAULT_S = 5,
	FILE_MIN_FREE_DEFAULT_MIB = 256,
	SAP_PORT = 9875, /* RFC 2974 */
	SAP_INTERVAL_DEFAULT_S = 300, /* RFC 2974 3.1 */
	HTTP_RING_MIN_KIB = 16384, /* ring of viewers; also the default */
};

/* text: "option \"foo\" is not known" */
typedef void io_remark_fn(const char *text, void *arg);

/*
 * The types of inputs, one row each.  PLAIN: of every worker; NET: needs a
 * library, so only sluice-worker-net has it.  A row (KIND, name) names
 *	INPUT_KIND,
 *	input_name_type in proto/spec, what its addresses may say,
 *	name_input_open() in worker/input or worker/net, its opener.
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

/* Whether inputs of a kind read a ring that the master keeps. */
bool input_kind_is_link(enum input_kind);

/* Does the name of a stream, with the position of an input, mean its feed? */
static inline bool io_is_feed(const char *stream)
{
	return strchr(stream, '/') != NULL;
}

/* Does a kind of inputs need libraries that only sluice-worker-net has? */
bool input_kind_is_net(enum input_kind);

struct input_spec {
	enum input_kind kind;
	char id[IO_ID_MAX + 1]; /* option id; "" when absent */

	/* udp, rtp */
	char iface[16];               /* "" = the kernel's choice */
	struct sockaddr_any local;    /* group or address to bind */
	bool has_source;              /* src=: source-specific multicast */
	struct sockaddr_any source;
	unsigned renew_s;             /* 0 = never */
	unsigned socket_size;         /* bytes; 0 = our default */

	struct rtp_spec rtp;
	char merge[IO_INNER_MAX + 1]; /* address of a second path; "" = none */
	unsigned merge_delay_ms;      /* packets are kept to be compared */

	/* file */
	char path[IO_PATH_MAX];
	bool loop;
	bool list; /* the file is a list of files */

	/* sdp: path and iface, the options of udp and rtp, and this */
	unsigned sdp_media; /* number of the m= line; 0: first usable */

	struct srt_spec srt;
	struct rist_spec rist;
	struct http_spec http;

	/* stream: its id; dvb: IO_ADAPTER and the id of the adapter */
	char stream[IO_LINK_MAX + 1];
	int ring; /* read-only descriptor of that stream's ring; -1: none.  The
		   * worker sets it; it is not part of the address */
	uint64_t ring_from; /* where to start in it; 0: with the newest packet.
			     * The worker sets it, too */

	/* general, used by the analyzer */
	unsigned cc_limit; /* errors per second; CC_LIMIT_NONE, _DEFAULT */
	unsigned bitrate_limit_kbps;  /* 0 = the default of the content */
	bool no_analyze;

	/* T2-MI: the stream is that of a PLP */
	bool t2mi;
	unsigned t2mi_pid;
	unsigned plp; /* T2MI_FIRST_PLP: the one of the first frame */

	struct biss_spec biss;
	struct cam_list cams;  /* softcams; n 0: none */
	uint16_t ecm_pid;      /* 0: as the tables say */
	unsigned shift_ms;     /* before the descrambler; CAM_SHIFT_DEFAULT */

	/* a PID of another stream that is inserted */
	char mux[IO_INNER_MAX + 1]; /* address of that stream; "" = none */
	uint16_t mux_pid;           /* PID in that stream */
	uint16_t mux_to;            /* PID in the output; 0: mux_pid, or a
				     * free PID if that is in use */

	/* Silence after which the input is opened again, seconds; 0: never,
	 * the default of protocols with a timeout of their own. */
	unsigned watchdog_s;
	bool no_reload;      /* true has the effect of watchdog_s 0 */
	struct remux_options remux; /* without the options of the stream */
};

/* where: the stream of the input, for options without effect there (bits of
 * enum where, field_idle.h). */
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

/* The clock that spaces datagrams. */
enum output_pacing {
	PACING_TICK,   /* the wake-ups of the worker */
	PACING_AUTO,   /* the kernel, where its queue can */
	PACING_KERNEL, /* the kernel; reported where it cannot */
};

/* 204: 16 bytes of zero follow each packet. */
enum output_ts_size { TS_SIZE_188, TS_SIZE_204 };

struct output_spec {
	enum output_kind kind;
	unsigned cbr_kbps; /* constant rate; 0: as received */

	/* udp, rtp */
	struct biss_spec biss;
	char iface[16];
	struct sockaddr_any remote;
	unsigned ttl;         /* default 32 */
	unsigned dscp;        /* class of service, RFC 2474; 0 to 63 */
	bool join;            /* the output also joins the group */
	unsigned burst_ms;    /* longest part of the stream sent at once */
	bool no_sync;         /* as received, not at the pace of the stream */
	enum output_pacing pacing;
	enum output_ts_size ts_size;
	bool sap;             /* SAP announces the stream */
	struct sockaddr_any sap_group; /* group of SAP; len 0: by the scope */
	unsigned sap_interval_s;
	unsigned socket_size; /* bytes; 0 = our default */
	struct rtp_out_spec rtp;

	/* http, srt, rist: viewers and callers need no permission */
	bool no_auth;

	/* http, https */
	bool tls;
	struct sockaddr_any listen; /* 0.0.0.0 for an empty host or "*" */
	char path[IO_PATH_MAX];     /* starts with '/', already decoded */
	unsigned buffer_size_kib;   /* wanted ring size; 0 = our default */
	unsigned buffer_fill_kib;   /* a new viewer gets so much at once */
	bool hls;                   /* path is that of a playlist */
	unsigned hls_duration_s, hls_quantity, hls_part_ms;
	unsigned hls_segment;       /* 0: MPEG-TS, 1: fMP4 */

	/* file: path, and these */
	struct {
		bool m2ts;             /* packets of 192 bytes */
		unsigned rotate_s;     /* 0: never */
		unsigned rotate_mib;
		unsigned min_free_mib; /* less free space stops recording */
	} file;

	struct srt_spec srt;
	struct rist_spec rist;
	struct http_spec http; /* np */
};

int output_spec_parse(const char *text, struct output_spec *ret,
		      io_remark_fn *remark, void *arg,
		      struct errmsg *error) MUST_CHECK;
