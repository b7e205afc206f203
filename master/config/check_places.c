/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges the ports, groups, paths and files that the addresses of enabled
 * streams occupy: reports conflicts. */
#include "common/base/iface.h"
#include "master/config/judge.h"
#include "master/config/play_conf.h"
#include "master/config/stream_conf.h"
#include "proto/spec/io_spec.h"

#include <stdio.h>
#include <string.h>

enum {
	PLACE_KEY_MAX = IO_PATH_MAX + 256,
	PLACE_MAX = SOCKADDR_TEXT_MAX + 24,
};

/* Returns the path of the address that occupies this place (key); NULL: it is
 * free. */
static const char *find(struct judge_outputs *all, const char *key)
{
	const json_t *other = json_object_get(all->taken, key);
	const struct place_query query = { key, all->self, all->before };

	if (other != NULL)
		return json_string_value(other);
	if (all->neighbours == NULL ||
	    !stream_confs_find_place(all->neighbours, &query, all->other))
		return NULL;
	return all->other;
}

/* Occupies a place, unless it is taken; returns the path of the address that
 * has it; NULL: it was free. */
static const char *take(struct judge *j, struct judge_outputs *all,
			const char *key)
{
	const char *other = find(all, key);

	if (other == NULL)
		(void)json_object_set_new_nocheck(all->taken, key,
						  json_string_nocheck(j->path));
	return other;
}

/* Makes the key of a place of the present stream: "own make_stream[2]
 * eth0@239.1.1.1:1234". */
static void format_own(const struct judge *j, const char *where,
		       char key[PLACE_KEY_MAX])
{
	const char *dot = strrchr(j->path, '.');

	(void)snprintf(key, PLACE_KEY_MAX, "own %.*s %s",
		       dot != NULL ? (int)(dot - j->path) : 0, j->path, where);
}

/* Judges an SRT listener: only one socket can listen on a port. */
static void judge_srt(struct judge *j, const struct srt_spec *spec,
		      struct judge_outputs *all)
{
	char key[PLACE_KEY_MAX];
	const char *other;

	if (spec->mode != SRT_LISTENER)
		return;
	(void)snprintf(key, sizeof key, "srt %s@%.64s:%u", spec->iface,
		       spec->host, (unsigned)spec->port);
	other = take(j, all, key);
	if (other != NULL)
		judge_add(j, CHECK_FAULT, "is already the address of %s",
			  other);
}

/* Occupies a listening address, and warns of a conflict: the kernel binds a
 * port either on all addresses or on one address, not both. */
static void judge_listen(struct judge *j, const char *protocol,
			 const struct sockaddr_any *listen,
			 struct judge_outputs *all)
{
	char text[SOCKADDR_TEXT_MAX], port[64], own[80], rival[80];
	char holder[PLACE_HOLDER_MAX];
	bool any = sockaddr_is_any(listen);
	const char *other;

	sockaddr_format(listen, text);
	(void)snprintf(port, sizeof port, "listen %s %s %u", protocol,
		       listen->sa.sa_family == AF_INET6 ? "6" : "4",
		       (unsigned)sockaddr_port(listen));
	(void)snprintf(own, sizeof own, "%s %s", port, any ? "any" : "one");
	(void)snprintf(rival, sizeof rival, "%s %s", port, any ? "one" : "any");
	other = find(all, rival);
	if (other != NULL)
		judge_add(j, CHECK_WARNING, "%s and %s conflict: the kernel "
					    "opens a port on all addresses or "
					    "on single ones, not both",
			  other, text);
	(void)snprintf(holder, sizeof holder, "%s" PLACE_OF "%s", text,
		       j->path);
	if (find(all, own) == NULL)
		(void)json_object_set_new_nocheck(all->taken, own,
						  json_string_nocheck(holder));
}

/* Warns of a conflict with http_play_port, which is open in addition to the
 * ports of the outputs. */
static void judge_beside_play(struct judge *j,
			      const struct sockaddr_any *listen,
			      const struct judge_outputs *all)
{
	char text[SOCKADDR_TEXT_MAX], own[SOCKADDR_TEXT_MAX];
	struct play_conf play;

	play_conf_read(&play, all->settings, all->control);
	if (!play.has_port || !play_conf_collides(&play.port, listen) ||
	    sockaddr_equal(&play.port, listen))
		return;
	sockaddr_format(&play.port, text);
	sockaddr_format(listen, own);
	judge_add(j, CHECK_WARNING, "%s of settings.http_play_port and %s "
				    "conflict: the kernel opens a port on all "
				    "addresses or on single ones, not both",
		  text, own);
}

/* Judges a local port of RIST.  False: another address has it, which is
 * reported. */
static bool judge_rist_port(struct judge *j, const char *host, uint16_t port,
			    struct judge_outputs *all)
{
	const char *known = host[0] != '\0' ? host : "0.0.0.0";
	char where[RIST_HOST_MAX + 16], key[PLACE_KEY_MAX];
	struct sockaddr_any at;
	const char *other;
	int r = sockaddr_parse(known, port, &at);

	/* no conflict, because any number of sockets can join a group */
	if (r == 0 && sockaddr_is_multicast(&at))
		return true;
	if (r == 0)
		sockaddr_format(&at, where);
	else
		(void)snprintf(where, sizeof where, "%s:%u", known,
			       (unsigned)port);
	(void)snprintf(key, sizeof key, "rist %s", where);
	other = take(j, all, key);
	if (other != NULL)
		judge_add(j, CHECK_FAULT, "%s is already the address of %s",
			  where, other);
	else if (r == 0)
		judge_listen(j, "udp", &at, all);
	return other == NULL;
}

/* Judges the local ports of RIST.  The simple profile also uses the next port,
 * for RTCP. */
static void judge_rist(struct judge *j, const struct rist_spec *spec,
		       struct judge_outputs *all)
{
	for (size_t i = 0; i < spec->n_peers; i++) {
		const struct rist_peer_spec *p = &spec->peers[i];

		if (p->listens && judge_rist_port(j, p->host, p->port, all) &&
		    spec->profile == RIST_SIMPLE)
			(void)judge_rist_port(j, p->host,
					      (uint16_t)(p->port + 1), all);
	}
}

/* Writes the place with the name of the interface, if known, instead of one of
 * its addresses. */
static void format_place(const char *iface, const struct sockaddr_any *address,
			 char where[PLACE_MAX])
{
	char name[IFACE_NAME_MAX], text[SOCKADDR_TEXT_MAX];

	sockaddr_format(address, text);
	(void)snprintf(where, PLACE_MAX, "%s@%s",
		       iface_name(iface, name) < 0 ? iface : name, text);
}

void judge_input_place(struct judge *j, const struct input_spec *spec,
		       struct judge_outputs *all)
{
	char where[PLACE_MAX];
	char key[PLACE_KEY_MAX];
	const char *other;

	if (spec->kind == INPUT_SRT)
		judge_srt(j, &spec->srt, all);
	if (spec->kind == INPUT_RIST)
		judge_rist(j, &spec->rist, all);
	if (spec->kind != INPUT_UDP && spec->kind != INPUT_RTP)
		return;
	format_place(spec->iface, &spec->local, where);
	format_own(j, where, key);
	(void)take(j, all, key);
	if (sockaddr_is_multicast(&spec->local))
		return;
	(void)snprintf(key, sizeof key, "input %s", where);
	other = take(j, all, key);
	if (other != NULL)
		judge_add(j, CHECK_WARNING, "is the address of %s, too: only "
			  "one of them can receive there", other);
}

static void judge_http(struct judge *j, const struct output_spec *spec,
		       struct judge_outputs *all)
{
	const struct sockaddr_any *control = all->control;
	unsigned port = sockaddr_port(&spec->listen);
	bool same_port = control != NULL && port == sockaddr_port(control);
	char listen[SOCKADDR_TEXT_MAX];
	char key[PLACE_KEY_MAX];
	const char *other;

	if (same_port && (sockaddr_is_any(&spec->listen) ||
			  sockaddr_is_any(control) ||
			  sockaddr_equal(&spec->listen, control))) {
		judge_add(j, CHECK_FAULT,
			  "port: %u is the port of the control server", port);
		return;
	}
	if (spec->tls && json_string_length(json_object_get(
				 all->settings, "crt_chain")) == 0)
		judge_add(j, CHECK_WARNING, "https needs the certificate of "
					    "settings.crt_chain: no viewer is "
					    "served");
	if (spec->buffer_size_kib > 0 &&
	    spec->buffer_size_kib < HTTP_RING_MIN_KIB)
		judge_add(j, CHECK_WARNING, "buffer_size: %u KiB is too small: "
					    "%d KiB are used",
			  spec->buffer_size_kib,
			  HTTP_RING_MIN_KIB);
	/* skips outputs on the port of the control server: if they conflict
	 * with it, they have a fault already */
	if (!same_port) {
		judge_listen(j, "tcp", &spec->listen, all);
		judge_beside_play(j, &spec->listen, all);
	}
	sockaddr_format(&spec->listen, listen);
	(void)snprintf(key, sizeof key, "http %s %s", listen, spec->path);
	other = take(j, all, key);
	if (other != NULL)
		judge_add(j, CHECK_FAULT, "is already the address of %s",
			  other);
}

static void judge_net(struct judge *j, const struct output_spec *spec,
		      struct judge_outputs *all)
{
	char where[PLACE_MAX];
	char key[PLACE_KEY_MAX];
	const char *other;

	format_place(spec->iface, &spec->remote, where);
	format_own(j, where, key);
	if (json_object_get(all->taken, key) != NULL)
		judge_add(j, CHECK_WARNING, "is also an input of this stream, "
					    "which may receive its own "
					    "packets");
	(void)snprintf(key, sizeof key, "udp %s", where);
	other = take(j, all, key);
	if (other != NULL)
		judge_add(j, CHECK_WARNING, "has the same destination as %s",
			  other);
}

void judge_output_place(struct judge *j, const struct output_spec *spec,
			struct judge_outputs *all)
{
	char key[IO_PATH_MAX + 8];
	const char *other;

	if (spec->kind == OUTPUT_HTTP)
		judge_http(j, spec, all);
	else if (spec->kind == OUTPUT_SRT)
		judge_srt(j, &spec->srt, all);
	else if (spec->kind == OUTPUT_RIST)
		judge_rist(j, &spec->rist, all);
	else if (spec->kind == OUTPUT_UDP || spec->kind == OUTPUT_RTP)
		judge_net(j, spec, all);
	if (spec->kind != OUTPUT_FILE)
		return;
	(void)snprintf(key, sizeof key, "file %s", spec->path);
	other = take(j, all, key);
	if (other != NULL)
		judge_add(j, CHECK_FAULT, "is already the file of %s", other);
}
