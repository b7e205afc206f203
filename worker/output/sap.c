/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/sap.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/output/announcement.h"
#include "worker/socket/send_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>

enum {
	/* The first QUICK announcements are at most QUICK_S seconds apart,
	 * because an announcement may be lost. */
	QUICK = 3,
	QUICK_S = 5,
};

struct sap {
	struct output_spec spec; /* of the socket that sends to the SAP
				  * group */
	size_t n;
	struct announcement list[2]; /* the plain and the full description */
	char *name;
	int fd;           /* socket of the announcements, or -1 */
	unsigned sent;    /* how often `list' has been announced */
	uint64_t next_ns;
	struct errmsg error; /* the error that was logged last; "": none */
};

/* The group that gets the announcements: the highest address of the IPv4 scope
 * (RFC 2974 3), or for IPv6 the same number in the scope of the destination. */
static struct sockaddr_any default_group(const struct sockaddr_any *remote)
{
	struct sockaddr_any group;
	char text[] = "ff0e::2:7ffe";
	bool v6 = remote->sa.sa_family == AF_INET6;

	if (v6 && sockaddr_is_multicast(remote))
		text[3] = "0123456789abcdef"[remote->in6.sin6_addr.s6_addr[1] &
					     15];
	(void)!sockaddr_parse(v6 ? text : "239.255.255.255", SAP_PORT, &group);
	return group;
}

static void add(struct sap *s, struct announcement what)
{
	char text[SOCKADDR_TEXT_MAX];
	uint64_t hash;

	/* a hash, so that the session has the same number after a restart */
	sockaddr_format(&what.remote, text);
	hash = hash_add(HASH_INIT, text, strlen(text));
	hash = hash_add(hash, what.name, strlen(what.name));
	what.session = (hash >> 1) + what.full;
	s->list[s->n++] = what;
}

struct sap *sap_new(const struct output_spec *spec, const char *name)
{
	struct sap *s = xcalloc(1, sizeof *s);
	struct announcement what;

	s->fd = -1;
	s->name = xstrdup(name);
	s->spec = *spec;
	s->spec.remote = spec->sap_group.len > 0
				 ? spec->sap_group
				 : default_group(&spec->remote);
	s->spec.join = false;
	s->spec.socket_size = 0;
	what = (struct announcement){
		.name = s->name,
		.remote = spec->remote,
		.ttl = spec->ttl,
		.rtp = spec->kind == OUTPUT_RTP,
		.streams = spec->rtp,
		.version = (uint64_t)time(NULL),
	};
	add(s, what);
	what.full = announcement_has_full(&what);
	if (what.full)
		add(s, what);
	return s;
}

static int open_socket(struct sap *s, struct errmsg *error)
{
	struct sockaddr_any origin = { .len = sizeof origin.in6 };
	int err;

	s->fd = udp_output_socket(&s->spec, error);
	if (s->fd < 0)
		return s->fd;
	if (getsockname(s->fd, &origin.sa, &origin.len) == 0) {
		for (size_t i = 0; i < s->n; i++)
			s->list[i].origin = origin;
		return 0;
	}
	err = -errno;
	fd_close(&s->fd);
	return errmsg_fail(error, err, "%s", strerror(-err));
}

static int announce(struct sap *s, bool deletion, struct errmsg *error)
{
	uint8_t packet[ANNOUNCEMENT_MAX];
	int err = s->fd < 0 ? open_socket(s, error) : 0;

	for (size_t i = 0; err == 0 && i < s->n; i++) {
		ssize_t len = announcement_make(&s->list[i], deletion, packet);

		if (len < 0)
			return errmsg_fail(error, (int)len, "the announcement "
					   "exceeds %d bytes: shorten the name",
					   ANNOUNCEMENT_MAX);
		if (send(s->fd, packet, (size_t)len,
			 MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
			continue;
		err = -errno;
		fd_close(&s->fd);
		(void)errmsg_fail(error, err, "%s", strerror(-err));
	}
	return err;
}

void sap_every_second(struct sap *s, uint64_t now_ns)
{
	uint64_t pause_ns = s->spec.sap_interval_s * SECOND_NS;
	uint64_t random = 0;
	struct errmsg error = { 0 };

	if (now_ns < s->next_ns)
		return;
	if (announce(s, false, &error) == 0)
		s->sent++;
	if (s->sent < QUICK)
		pause_ns = MIN(pause_ns, QUICK_S * SECOND_NS);
	/* up to a third more or less, so that announcers do not send at once
	 * (RFC 2974 3.1) */
	(void)!getrandom(&random, sizeof random, 0);
	s->next_ns = now_ns + pause_ns * 2 / 3 + random % (pause_ns * 2 / 3);
	if (strcmp(error.text, s->error.text) == 0)
		return;
	s->error = error;
	if (error.text[0] != '\0')
		log_warning("stream", "%s: cannot announce: %s", s->name,
			    error.text);
}

void sap_follow(struct sap *s)
{
	struct errmsg error;
	int fd = udp_output_socket(&s->spec, &error);
	bool same = fd >= 0 && s->fd >= 0 &&
		    udp_output_same_source(fd, s->fd);

	fd_close(&fd);
	if (same)
		return;
	fd_close(&s->fd);
	s->sent = 0;
	s->next_ns = 0;
}

void sap_free(struct sap **sap)
{
	struct sap *s = *sap;
	struct errmsg error;

	*sap = NULL;
	if (s == NULL)
		return;
	if (s->sent > 0)
		(void)!announce(s, true, &error);
	fd_close(&s->fd);
	free(s->name);
	free(s);
}
