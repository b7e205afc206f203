/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The content of an srt:// address, of an input or an output. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	SRT_HOST_MAX = 253,
	SRT_PASSPHRASE_MIN = 10, /* limits of SRT, bytes */
	SRT_PASSPHRASE_MAX = 79,
	SRT_STREAMID_MAX = 512,
	SRT_FILTER_MAX = 127,
	SRT_LATENCY_DEFAULT_MS = 120,
	SRT_TIMEOUT_DEFAULT_S = 5,
};

enum srt_mode { SRT_CALLER, SRT_LISTENER, SRT_RENDEZVOUS };

struct srt_spec {
	unsigned mode; /* enum srt_mode */
	char iface[16];
	char host[SRT_HOST_MAX + 1]; /* "" for a listener on all addresses */
	uint16_t port;
	unsigned latency_ms;
	unsigned timeout_s;
	unsigned overhead_percent; /* oheadbw: bandwidth of retransmissions, in
				    * percent of the stream; 0: not bounded */
	unsigned key_bytes;        /* pbkeylen; 0: libsrt chooses */
	unsigned send_buffer;      /* bytes; 0: libsrt chooses */
	unsigned receive_buffer;   /* bytes; 0: libsrt chooses */
	bool no_timed_delivery;    /* option no_tsbpdmode */
	char passphrase[SRT_PASSPHRASE_MAX + 1]; /* "" = not encrypted */
	char streamid[SRT_STREAMID_MAX + 1];
	char packetfilter[SRT_FILTER_MAX + 1];
};

/* Does the listener accept callers only on a named interface? */
static inline bool srt_is_on_interface(const struct srt_spec *s)
{
	return s->mode == SRT_LISTENER && s->iface[0] != '\0';
}
