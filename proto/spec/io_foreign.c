/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/io_foreign.h"

#include "common/base/util.h"
#include "proto/spec/option_value.h"
#include "proto/spec/stream_spec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CONVERT "convert it: ffmpeg -i ADDRESS -c copy -f mpegts " \
		"udp://127.0.0.1:PORT"
#define PUBLISH "ffmpeg can read an http output and publish it"
#define TUNER "a program that has the tuner can send udp, rtp or http"
#define GROUP "write udp://GROUP:PORT or udp://INTERFACE@GROUP:PORT"

/* The types of other programs, separated by blanks, and what to write
 * instead. */
struct spelling {
	const char *types;
	const char *input, *output; /* remedies; NULL: none is known */
};

static const struct spelling spellings[] = {
	{ "hls hlss hls2 hlsvariant m3u8 m3u applehttp",
	  "write http://HOST/NAME.m3u8 or https://HOST/NAME.m3u8",
	  "write http://:PORT/NAME.m3u8" },
	{ "tshttp httpts httpstream http-ts icy shoutcast",
	  "write http://HOST/PATH", "write http://:PORT/PATH" },
	{ "tshttps httpsts https-ts",
	  "write https://HOST/PATH", "write https://:PORT/PATH" },
	{ "igmp mcast multicast mpegts ts udp4 udp6 udplite udpstream", GROUP,
	  GROUP },
	{ "rtp4 rtp6 rtpts rtpu", "write rtp://GROUP:PORT",
	  "write rtp://GROUP:PORT" },
	{ "srt-caller srt-listener srt-rendezvous srtc srtl srtsink srtsrc",
	  "write srt://HOST:PORT, or srt://:PORT to wait for a caller",
	  "write srt://HOST:PORT, or srt://:PORT to wait for callers" },
	{ "publish", "write srt://:PORT: a publisher calls it", NULL },
	{ "copy", "write stream://ID", NULL },
	{ "concat playlist", "write file:///PATH#list", NULL },
	{ "sap", "write sdp:///PATH of a description, or the address that "
	  "sluicectl announcements prints", "write udp://GROUP:PORT#sap" },
	{ "satip", "write http://SERVER/?src=1&freq=... if the server streams "
	  "by HTTP", NULL },
	{ "asi atsc ci dvb dvb-c dvb-c2 dvb-s dvb-s2 dvb-t dvb-t2 dvbc dvbs "
	  "dvbt isdb-c isdb-s isdb-t it950x qam resi t2mi tbs", TUNER, NULL },
	{ "rtmp rtmps rtmpt rtsp rtsp2 rtsps rtspt rtspu mms mmsh mmst webrtc "
	  "whep whip ws wss m4f m4s", CONVERT, PUBLISH },
	{ "tcp", "write http:// or srt://: tcp:// cannot be resumed",
	  "write http:// or srt://: tcp:// cannot be resumed" },
	{ "exec fd pipe stdin stdout",
	  "let the program send to udp://127.0.0.1:PORT",
	  "let the program read an http output" },
	{ "ftp ftps nfs sftp smb", "mount or copy it, and write file:///PATH",
	  "mount it, and write file:///PATH" },
};

/* Types that this version does not run, but whose addresses a configuration may
 * contain. */
static const char stored[] = "asi ci dvb hls it950x pipe reload resi rtmp rtsp "
			     "stop t2mi tbs webrtc";

struct other_option {
	const char *keys, *types; /* types "": all types have these keys */
	bool of_inputs, of_outputs;
	const char *remedy;
};

static const struct other_option options[] = {
	{ "adapter iface ifname interface localaddr localif miface",
	  "udp rtp srt", true, true, "write the interface in front of an @" },
	{ "buffer_size fifo_size rcvbuf recv_buffer_size sndbuf", "udp rtp",
	  true, true, "write socket_size" },
	{ "source sources", "udp rtp", true, false, "write src" },
	{ "payload_size pkt_size", "udp rtp srt", false, true,
	  "a datagram has up to 7 packets" },
	{ "bitrate muxrate", "udp rtp srt", false, true,
	  "write cbr, in kbit/s" },
	{ "dscp_class tos", "udp rtp", false, true, "write dscp, 0 to 63" },
	{ "user-agent user_agent useragent", "http https np", true, true,
	  "write ua" },
	{ "header headers", "http https np", true, true,
	  "write header.NAME=VALUE" },
	{ "program program_id service_id sid", "", true, false, "write pnr" },
};

static bool has_word(const char *words, const char *word, size_t len)
{
	for (const char *w = words; *w != '\0'; w += strspn(w, " ")) {
		size_t n = strcspn(w, " ");

		if (n == len && strncmp(w, word, len) == 0)
			return true;
		w += n;
	}
	return false;
}

static const struct io_type *const *types_of(bool input)
{
	return input ? io_input_types : io_output_types;
}

/* The remedy for a type.  A type such as "hls+https" is split at '+': the
 * remedy for a playlist part precedes that for a transport part. */
static const char *remedy_of(const char *type, bool input,
			     struct errmsg *memory)
{
	const char *playlist = NULL, *known = NULL, *other = NULL;

	for (const char *p = type; *p != '\0'; p += *p == '+') {
		size_t len = strcspn(p, "+");
		char name[16] = "";

		if (len < sizeof name)
			memcpy(name, p, len);
		p += len;
		for (size_t i = 0; i < ARRAY_LEN(spellings); i++) {
			const struct spelling *s = &spellings[i];
			const char **at = i == 0 ? &playlist : &other;

			if (len < sizeof name && has_word(s->types, name, len))
				*at = input ? s->input : s->output;
		}
		if (io_type_find(types_of(input), name) == NULL)
			continue;
		errmsg_set(memory, "write %s://", name);
		known = memory->text;
	}
	return playlist != NULL ? playlist : known != NULL ? known : other;
}

int io_foreign_type(const char *type, bool input, struct errmsg *error)
{
	bool may_stay = has_word(stored, type, strlen(type));
	const struct io_type *const *types = types_of(input);
	const char *list[32];
	char names[OPTION_WORDS_TEXT];
	size_t n = 0;
	struct errmsg memory;
	const char *remedy = remedy_of(type, input, &memory);
	/* the remedy "write ..." names an address that is supported */
	bool has_name = remedy != NULL && strncmp(remedy, "write", 5) == 0;

	if (remedy == NULL && io_type_find(types_of(!input), type) != NULL)
		remedy = input ? "it is a type of outputs"
			       : "it is a type of inputs";
	if (remedy == NULL && !may_stay) {
		for (; types[n] != NULL && n < ARRAY_LEN(list); n++)
			list[n] = types[n]->name;
		option_words(list, n, names);
		return errmsg_fail(error, -EINVAL, "type \"%.32s\" is not %s",
				   type, names);
	}
	return errmsg_fail(error, may_stay ? -ENOTSUP : -EINVAL,
			   "type \"%.32s\" is not %s%s%s", type,
			   may_stay && !has_name ? "supported by this version"
						 : "known",
			   remedy != NULL ? "; " : "",
			   remedy != NULL ? remedy : "");
}

void io_foreign_untyped(const char *text, struct errmsg *error)
{
	size_t len = strcspn(text, ":");
	const char *remedy = NULL;
	char name[16] = "";

	if (error == NULL || strstr(text, "://") != NULL)
		return;
	if (len < sizeof name)
		memcpy(name, text, len);
	if (text[0] == '/' || strncmp(text, "file:/", 6) == 0)
		remedy = "write file:///PATH";
	else if (text[0] == '@' || text[0] == '[' ||
		 (text[0] >= '0' && text[0] <= '9'))
		remedy = GROUP;
	if (remedy != NULL)
		errmsg_set(error, "\"%.64s\" is not type://target; %s", text,
			   remedy);
	else if (io_type_find(io_input_types, name) != NULL ||
		 io_type_find(io_output_types, name) != NULL)
		errmsg_set(error, "\"%.64s\" is not type://target; write "
			   "%s://", text, name);
}

const char *io_foreign_option(const struct io_type *type, bool input,
			      const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		const struct other_option *o = &options[i];

		if ((input ? o->of_inputs : o->of_outputs) &&
		    has_word(o->keys, key, strlen(key)) &&
		    (o->types[0] == '\0' ||
		     has_word(o->types, type->name, strlen(type->name))))
			return o->remedy;
	}
	return NULL;
}

/* Lists the types that have the option, "udp, rtp"; false: none has it. */
static bool list_types(const struct io_type *const *types, const char *key,
		       struct errmsg *ret)
{
	size_t len = 0;

	ret->text[0] = '\0';
	for (; *types != NULL; types++) {
		const struct field *f = field_find((*types)->options, key);

		if (f == NULL || f->flags & FIELD_IDLE ||
		    len >= sizeof ret->text)
			continue;
		len += (size_t)snprintf(ret->text + len,
					sizeof ret->text - len, "%s%s",
					len > 0 ? ", " : "", (*types)->name);
	}
	return len > 0;
}

bool io_foreign_place(const struct io_type *type, bool input, const char *key,
		      struct errmsg *ret)
{
	bool of_inputs = field_find(&io_input_fields, key) != NULL ||
			 field_find(&remux_fields, key) != NULL;
	struct errmsg list;

	if (list_types(types_of(input), key, &list))
		errmsg_set(ret, "is for %s, not for %s", list.text,
			   type->name);
	else if (!input && of_inputs)
		errmsg_set(ret, "is for inputs");
	else if (list_types(types_of(!input), key, &list))
		errmsg_set(ret, "is for %s (%s)", input ? "outputs" : "inputs",
			   list.text);
	else if (field_find(&stream_option_fields, key) != NULL)
		errmsg_set(ret, "is a key of the stream");
	else
		return false;
	return true;
}
