/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any text as the address of an input and of an output. */
#include "proto/spec/io_spec.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static void count(const char *key, void *arg)
{
	expect(key[0] != '\0');
	++*(size_t *)arg;
}

static void try_remux(const struct remux_options *o)
{
	expect(o->n_maps <= REMUX_MAPS_MAX && o->n_order <= REMUX_ORDER_MAX &&
	       o->n_languages <= REMUX_LANGUAGES_MAX);
	for (size_t i = 0; i < o->n_maps; i++)
		expect(o->maps[i].pid >= MAP_PID_MIN &&
		       o->maps[i].pid <= MAP_PID_MAX);
	expect(!pid_set_has(&o->drop, 0) && !pid_set_has(&o->keep, 0x1fff));
}

static void try_rist(const struct rist_spec *s)
{
	expect(s->n_peers >= 1 && s->n_peers <= RIST_PEERS_MAX);
	for (size_t i = 0; i < s->n_peers; i++) {
		expect(s->peers[i].port != 0);
		expect(strlen(s->peers[i].host) <= RIST_HOST_MAX);
		expect(s->peers[i].listens || s->peers[i].host[0] != '\0');
		expect(s->profile == RIST_MAIN || s->peers[i].port % 2 == 0);
	}
	expect(s->key_bits == 128 || s->key_bits == 256);
	expect(strlen(s->secret) <= RIST_SECRET_MAX);
}

static void try_recording(const struct output_spec *s)
{
	expect(s->path[0] == '/' && strlen(s->path) < IO_PATH_MAX);
	expect(s->path[strlen(s->path) - 1] != '/');
}

static void try_input(const char *text)
{
	struct input_spec s;
	struct errmsg why = { 0 };
	size_t unknown = 0;
	int r = input_spec_parse(text, &s, count, &unknown, &why);

	expect(unknown <= ADDRESS_TEXT_MAX);
	if (r < 0) {
		expect(why.text[0] != '\0');
		return;
	}
	expect(strlen(s.id) <= IO_ID_MAX);
	try_remux(&s.remux);
	if (s.kind == INPUT_FILE || s.kind == INPUT_SDP) {
		expect(s.path[0] != '\0' && strlen(s.path) < IO_PATH_MAX);
		return;
	}
	if (s.kind == INPUT_SRT) {
		expect(s.srt.port != 0);
		expect(strlen(s.srt.host) <= SRT_HOST_MAX);
		expect(s.srt.mode <= SRT_RENDEZVOUS);
		expect(strlen(s.srt.packetfilter) <= SRT_FILTER_MAX);
		return;
	}
	if (s.kind == INPUT_RIST)
		try_rist(&s.rist);
	if (s.kind != INPUT_UDP && s.kind != INPUT_RTP)
		return;
	expect(strlen(s.iface) < sizeof s.iface);
	expect(sockaddr_port(&s.local) != 0);
	expect(!s.has_source || (sockaddr_is_multicast(&s.local) &&
				 s.source.sa.sa_family ==
					 s.local.sa.sa_family));
}

static void try_output(const char *text)
{
	struct output_spec s;
	struct errmsg why = { 0 };
	size_t unknown = 0;
	int r = output_spec_parse(text, &s, count, &unknown, &why);

	expect(unknown <= ADDRESS_TEXT_MAX);
	if (r < 0) {
		expect(why.text[0] != '\0');
		return;
	}
	if (s.kind == OUTPUT_SRT) {
		expect(s.srt.port != 0);
		return;
	}
	if (s.kind == OUTPUT_RIST)
		try_rist(&s.rist);
	if (s.kind == OUTPUT_FILE)
		try_recording(&s);
	if (s.kind == OUTPUT_UDP || s.kind == OUTPUT_RTP) {
		expect(sockaddr_port(&s.remote) != 0);
		expect(s.ttl >= 1 && s.ttl <= 255);
		expect(s.sap_group.len == 0 ||
		       s.sap_group.sa.sa_family == s.remote.sa.sa_family);
	}
	if (s.kind != OUTPUT_HTTP)
		return;
	expect(sockaddr_port(&s.listen) != 0);
	expect(!sockaddr_is_multicast(&s.listen));
	expect(s.path[0] == '/' && s.path[1] != '\0');
	expect(strstr(s.path, "//") == NULL &&
	       strstr(s.path, "/../") == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	try_input(text);
	try_output(text);
	free(text);
	return 0;
}
