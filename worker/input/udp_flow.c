/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/udp_flow.h"

#include "common/base/fd.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "common/base/wall.h"
#include "worker/input/input.h"
#include "worker/socket/netif.h"
#include "worker/socket/netif_watch.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	/* The most system calls of one udp_flow_read(): enough for a tick at
	 * 500 Mbit/s. */
	READS_MAX = 16,
	/* Without events of the kernel the interface is checked after this time
	 * without packets. */
	QUIET_S = 2,
	NEIGHBOURS = 224 << 16, /* 224.0.0.0/24 */
	NEIGHBOURS_SHIFT = 8,
};

void udp_flow_describe(struct udp_flow *f, const struct input_spec *spec)
{
	f->place = (struct udp_place){
		.local = spec->local,
		.has_source = spec->has_source,
		.source = spec->source,
		.socket_size = spec->socket_size,
	};
	memcpy(f->place.iface, spec->iface, sizeof f->place.iface);
	f->renew_s = spec->renew_s;
}

static bool is_group(const struct udp_flow *f)
{
	return sockaddr_is_multicast(&f->place.local);
}

/* True if switches forward the group only while a querier asks for members.
 * They forward 224.0.0.0/24 without a querier. */
static bool needs_querier(const struct udp_flow *f)
{
	const struct sockaddr_any *group = &f->place.local;
	bool neighbours = group->sa.sa_family == AF_INET &&
			  ntohl(group->in.sin_addr.s_addr) >>
					  NEIGHBOURS_SHIFT == NEIGHBOURS;

	return is_group(f) && !neighbours && f->ifindex != 0 &&
	       !netif_is_loopback(f->ifindex);
}

int udp_flow_open(struct udp_flow *f, uint64_t now_ns, struct errmsg *error)
{
	bool named = f->place.iface[0] != '\0';
	int r = 0;

	f->seconds = 0;
	f->error.text[0] = '\0';
	f->ifindex = 0;
	/* opens the watch first, so that no event is missed */
	if (named || is_group(f))
		f->netif = netif_watch_new(!named);
	if (named)
		r = netif_index(f->place.iface, &f->ifindex, error);
	else if (is_group(f) && netif_towards(&f->place.local, &f->ifindex) < 0)
		f->ifindex = 0; /* no route: the join reports this */
	if (r == 0)
		r = udp_socket_open(&f->place, f->ifindex, error);
	if (r < 0) {
		netif_watch_free(&f->netif);
		return r;
	}
	f->fd = r;
	f->large = udp_socket_is_large(r);
	f->full = false;
	f->asked_for = needs_querier(f);
	f->last_packet_ns = f->renewed_ns = now_ns;
	f->receiver = receiver_new(&r);
	if (f->receiver == NULL) {
		fd_close(&f->fd);
		netif_watch_free(&f->netif);
		return errmsg_fail(error, r, "receive memory: %s",
				   strerror(-r));
	}
	return 0;
}

void udp_flow_close(struct udp_flow *f)
{
	if (f->receiver == NULL)
		return;
	iat_in_free(&f->iat);
	f->drops_before += receiver_drops(f->receiver);
	fd_close(&f->fd);
	netif_watch_free(&f->netif);
	receiver_free(&f->receiver);
}

int udp_flow_read(struct udp_flow *f, const struct udp_reader *to,
		  uint64_t now_ns, struct errmsg *error)
{
	const struct sockaddr_any *source = receiver_source(f->receiver);
	int reads = 0;

	while (reads < READS_MAX) {
		int n = receiver_read(f->receiver, f->fd, to->on_received,
				      to->arg);

		to->on_read(to->arg);
		if (n < 0)
			return errmsg_fail(error, n, "receive: %s",
					   strerror(-n));
		if (n == 0)
			break;
		if (!sockaddr_equal(source, &f->source)) {
			f->source_changes += f->source.len > 0;
			f->before = f->source;
			f->source = *source;
		}
		reads++;
		if (n < RECEIVER_SLOTS)
			break;
	}
	f->full = reads == READS_MAX;
	if (reads > 0)
		f->last_packet_ns = now_ns;
	return reads;
}

/* Moves the flow to another interface: opens the new socket, and then closes
 * the old one.  0, or -errno with error. */
static int move_to(struct udp_flow *f, unsigned ifindex, struct errmsg *error)
{
	int fd = udp_socket_open(&f->place, ifindex, error);
	char name[IF_NAMESIZE] = "?";

	if (fd < 0)
		return fd;
	(void)if_indextoname(ifindex, name);
	if (f->place.iface[0] != '\0')
		log_info("input", "interface %s: created again: the input "
			 "receives on the new interface",
			 name);
	else
		log_info("input", "group: the route changed: joined the group "
			 "on interface %s", name);
	fd_close(&f->fd);
	f->fd = fd;
	f->large = udp_socket_is_large(fd);
	f->ifindex = ifindex;
	f->asked_for = needs_querier(f);
	receiver_moved(f->receiver);
	if (f->iat != NULL)
		udp_socket_stamp(fd, true);
	return 0;
}

static int renew(struct udp_flow *f, uint64_t now_ns, struct errmsg *error)
{
	f->renewed_ns = now_ns;
	return udp_socket_renew(f->fd, &f->place, f->ifindex,
				receiver_source(f->receiver), error);
}

/* Follows the named interface.  An interface that was created again has another
 * index, and the membership of the old one is gone.  An interface that is up
 * again needs a new membership, too.  0, or -errno with error. */
static int follow_interface(struct udp_flow *f, uint64_t now_ns,
			    struct errmsg *error)
{
	bool was_away = f->error.text[0] != '\0';
	unsigned index;

	if (netif_index(f->place.iface, &index, &f->error) < 0) {
		if (!was_away)
			log_warning("input", "%s", f->error.text);
		return 0;
	}
	f->error.text[0] = '\0';
	if (index != f->ifindex)
		return move_to(f, index, error);
	if (was_away)
		log_info("input", "interface %s: recovered",
			 f->place.iface);
	return is_group(f) ? renew(f, now_ns, error) : 0;
}

/* Which changes of interface and routes may have happened since the last call:
 * bits of enum netif_change. */
static unsigned netif_changes(const struct udp_flow *f, uint64_t now_ns)
{
	unsigned wanted = f->place.iface[0] != '\0' ? NETIF_TOUCHED
				      : NETIF_TOUCHED | NETIF_ROUTES;

	if (f->place.iface[0] == '\0' && !is_group(f))
		return 0;
	if (f->error.text[0] != '\0')
		return wanted;
	if (f->netif != NULL)
		return netif_watch_look(f->netif, f->ifindex) & wanted;
	return now_ns - f->last_packet_ns >= QUIET_S * SECOND_NS ? wanted : 0;
}

static void measure(struct udp_flow *f, uint64_t now_ns)
{
	bool was = f->iat != NULL;
	bool asked = f->asked_ns != 0 &&
		     now_ns - f->asked_ns < UDP_ASKED_S * SECOND_NS;
	bool now;

	/* measures the first second, and then every UDP_MEASURE_S; the process
	 * id spreads the workers of a host over different seconds */
	f->seconds++;
	now = asked || f->seconds == 1 ||
	      (f->seconds + (unsigned)getpid()) % UDP_MEASURE_S == 0;
	if (was) {
		iat_in_judge(f->iat, &f->iat_report);
		f->iat_report.at_ns = now_ns;
		receiver_measure(f->receiver, NULL);
		iat_in_free(&f->iat);
	}
	if (was != now)
		udp_socket_stamp(f->fd, now);
	if (!now)
		return;
	f->iat = iat_in_new(wall_ns());
	receiver_measure(f->receiver, f->iat);
}

/* Writes the text about two senders that alternate.  Their addresses are
 * sorted, so that the text does not depend on which of them sent last. */
static void name_senders(struct udp_flow *f)
{
	char a[SOCKADDR_TEXT_MAX], b[SOCKADDR_TEXT_MAX];
	uint64_t changes = f->source_changes - f->seen_changes;
	bool turned;

	f->seen_changes = f->source_changes;
	f->senders.text[0] = '\0';
	if (changes < INPUT_TWO_SENDERS)
		return;
	sockaddr_format(&f->before, a);
	sockaddr_format(&f->source, b);
	turned = strcmp(a, b) > 0;
	errmsg_set(&f->senders, "two senders: %s and %s", turned ? b : a,
		   turned ? a : b);
}

int udp_flow_every_second(struct udp_flow *f, uint64_t now_ns,
			  struct errmsg *error)
{
	unsigned changes, index;

	name_senders(f);
	receiver_trim(f->receiver);
	measure(f, now_ns);
	changes = netif_changes(f, now_ns);
	if (changes != 0 && f->place.iface[0] != '\0')
		return follow_interface(f, now_ns, error);
	/* without a named interface the route decides; without a route the
	 * membership stays */
	if (changes != 0 && netif_towards(&f->place.local, &index) == 0 &&
	    index != f->ifindex)
		return move_to(f, index, error);
	if (changes != 0)
		return changes & NETIF_TOUCHED ? renew(f, now_ns, error) : 0;
	/* rounded, because this call may come early */
	if (f->renew_s > 0 && is_group(f) &&
	    now_ns - f->renewed_ns + SECOND_NS / 2 >= f->renew_s * SECOND_NS)
		return renew(f, now_ns, error);
	return 0;
}

void udp_flow_stats(const struct udp_flow *f, struct link_stats *ret)
{
	if (udp_flow_is_open(f) && f->asked_for && !udp_flow_is_cut_off(f))
		link_stats_set(ret, LINK_INTERFACE, f->ifindex);
}

uint64_t udp_flow_drops(const struct udp_flow *f)
{
	uint64_t now = f->receiver != NULL ? receiver_drops(f->receiver) : 0;

	return f->drops_before + now;
}
