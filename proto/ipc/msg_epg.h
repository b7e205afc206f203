/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages of epg; a part of msg.h. */
#pragma once

#include "proto/spec/epg_export.h"
#include "proto/spec/own_services.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	EPG_SERVICES_MAX = 10000,
	EPG_DAYS_MAX = 14,
	EPG_ERRORS_MAX = EPG_SOURCES_MAX + 1,
	EPG_MEMORY_MAX_MIB = 256,
	/* Bytes of a reply in JSON. */
	EPG_REPLY_MAX = 1 << 20,
	EPG_SAVED_MAX = 2 * EPG_MEMORY_MAX_MIB << 20,
	/* bytes of the events of a stream for EIT */
	EPG_EIT_MAX = 16 << 20,
	/* bytes of the list of channels for XMLTV */
	EPG_CHANNELS_MAX = 8 << 20,
};

struct msg_epg_start {
	unsigned services, days, memory_mib; /* limits of the guide */
	bool saved;              /* a descriptor of the saved guide follows */
	/* then a descriptor of the file epg_dictionary with so many bytes
	 * (proto/si/text_dictionary.h); 0: none */
	uint32_t dictionary;
	/* addresses of XMLTV (proto/spec/epg_source.h) */
	size_t n_sources;
	const char *sources[EPG_SOURCES_MAX];
	/* addresses of exports (proto/spec/epg_export.h) */
	size_t n_exports;
	const char *exports[EPG_EXPORTS_MAX];
};

struct msg_epg_stream {
	const char *stream;      /* "": all streams have been sent */
	const char *was;         /* its former id; "": it is the same */
	const char *channel;     /* its id in XMLTV; "": that of the stream */
	unsigned codepage;       /* enum text_table of texts without one */
	bool ring;               /* false: the stream has no ring any more */
	bool removed;            /* the stream is not configured any more */
	struct own_services own; /* the services whose EIT is made from this
				  * guide */
	unsigned own_other;      /* enum eit_other: the same of EIT other */
};

struct msg_epg_ask {
	const char *stream;      /* "": all events of all streams */
	uint64_t from_s, to_s;   /* Unix times, at most UINT32_MAX */
	uint32_t pnr;            /* of this service only; 0: of all */
	uint32_t max;            /* events of a service */
};

/* The form of the events is that of an own EIT. */
struct msg_epg_eit {
	const char *stream;
	unsigned textcode;       /* enum text_table of the texts */
	const char *country;     /* of the rating: three letters, or "" */
	bool events;             /* false: the services without them */
};

struct msg_epg_stale {
	const char *stream;
};

/* What a document is beside plain XMLTV. */
enum epg_form { EPG_FORM_GZIP = 1, EPG_FORM_JSON = 2, EPG_FORMS = 4 };

/* Two descriptors: the channels in JSON, and the memory for the document. */
struct msg_epg_xmltv {
	uint32_t form;           /* enum epg_form */
};

/* One descriptor: memory with a document. */
struct msg_epg_post {
	uint32_t export;         /* its place in epg.start */
	uint32_t form;           /* enum epg_form */
	uint32_t len;            /* bytes of the document */
};

struct msg_epg_result {
	uint32_t len;            /* bytes in the memory; 0: none */
	uint64_t hash;           /* of a document; 0: another reply */
	const char *error;       /* why there are none; "": no error */
};

struct msg_epg_watch {
	bool wanted;             /* epg.present, from now on */
};

struct msg_epg_present {
	const char *stream;
	uint32_t pnr;            /* of the service */
	/* {"now", "next"}: events as in the answer to epg.ask, without details;
	 * an absent one: none */
	const json_t *events;
};

struct msg_epg_status {
	uint32_t streams;        /* streams whose tables are read */
	uint32_t services, events;
	uint64_t bytes;
	bool loaded;             /* it has its limits and its saved events */
	/* since the start */
	uint64_t changes;        /* sections that changed events */
	uint64_t replaced;       /* events that overlapped a newer one */
	uint64_t undefined;      /* events without start or duration */
	uint64_t dropped;        /* events beyond a limit */
	uint64_t broken;         /* sections and texts that were cut */
	uint64_t compressed;     /* texts that the dictionary cannot read */
	uint64_t lost;           /* packets that the role read too late */
	uint64_t imports;        /* documents of the sources */
	/* programmes of those documents: with impossible dates, with an end
	 * behind the begin of the next one, without an end, and with a gap
	 * behind them */
	uint64_t refused, overlaps, endless, gaps;
	/* errors of settings: each begins with its setting, as in
	 * "epg_sources[1]: " */
	size_t n_errors;
	const char *errors[EPG_ERRORS_MAX];
};
