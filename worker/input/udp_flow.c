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
	/* System calls in one wake-up: the loop has other things to do, but a
	 * tick must hold what comes in it at 500 Mbit/s. */
	READS_MAX = 16,
	/* Without a packet for so long the interface is looked at again. */
	QUIET_S = 2,
	NEIGHBOURS = 224 << 16,
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

static bool is_named(const struct udp_flow *f)
{
	return f->place.iface[0] != '\0';
}

static bool is_group(const struct udp_flow *f)
{
	return sockaddr_is_multicast(&f->place.local);
}

static int find_interface(struct udp_flow *f, struct errmsg *why)
{
	f->ifindex = 0;
	if (!is_named(f) && !is_group(f))
		return 0;
	/* first: what happens from here on is heard */
	f->netif = netif_watch_new(!is_named(f));
	if (is_named(f))
		return netif_index(f->place.iface, &f->ifindex, why);
	if (netif_towards(&f->place.local, &f->ifindex) < 0)
		f->ifindex = 0; /* the kernel is to say why not */
	return 0;
}

/* Groups of 224.0.0.0/24 are for neighbours: no switch holds them back. */
static bool is_asked_for(const struct udp_flow *f)
{
	if (!is_group(f) || f->ifindex == 0 || netif_is_loopback(f->ifindex))
		return false;
	return f->place.local.sa.sa_family != AF_INET ||
	       ntohl(f->place.local.in.sin_addr.s_addr) >>
			       NEIGHBOURS_SHIFT !=
		       NEIGHBOURS;
}

int udp_flow_open(struct udp_flow *f, uint64_t now_ns, struct errmsg *why)
{
	int r;

	f->seconds = 0;
	f->trouble.text[0] = '\0';
	r = find_interface(f, why);
	if (r == 0)
		r = udp_socket_open(&f->place, f->ifindex, why);
	if (r < 0) {
		netif_watch_free(&f->netif);
		return r;
	}
	f->fd = r;
	f->asked_for = is_asked_for(f);
	f->last_packet_ns = f->renewed_ns = now_ns;
	f->receiver = receiver_new(&r);
	if (f->receiver == NULL) {
		fd_close(&f->fd);
		netif_watch_free(&f->netif);
		return errmsg_fail(why, r, "receive memory: %s", strerror(-r));
	}
	return 0;
}

void udp_flow_close(struct udp_flow *f)
{
	if (f->receiver == NULL)
		return;
	arrivals_free(&f->arrivals);
	f->drops_before += receiver_drops(f->receiver);
	fd_close(&f->fd);
	netif_watch_free(&f->netif);
	receiver_free(&f->receiver);
}

static void note_source(struct udp_flow *f)
{
	const struct sockaddr_any *source = receiver_source(f->receiver);

	if (sockaddr_equal(source, &f->source))
		return;
	f->source_changes += f->source.len > 0;
	f->before = f->source;
	f->source = *source;
}

int udp_flow_read(struct udp_flow *f, const struct udp_reader *to,
		  uint64_t now_ns, struct errmsg *why)
{
	int reads = 0;

	while (reads < READS_MAX) {
		int n = receiver_read(f->receiver, f->fd, to->on_received,
				      to->arg);

		to->on_read(to->arg);
		if (n < 0)
			return errmsg_fail(why, n, "receive: %s",
					   strerror(-n));
		if (n == 0)
			break;
		note_source(f);
		reads++;
		if (n < RECEIVER_SLOTS)
			break;
	}
	if (reads > 0)
		f->last_packet_ns = now_ns;
	return reads;
}

static void tell_move(const struct udp_flow *f, unsigned ifindex)
{
	char name[IF_NAMESIZE] = "?";

	(void)if_indextoname(ifindex, name);
	if (is_named(f))
		log_info("input", "interface %s was replaced: joined again",
			 name);
	else
		log_info("input", "the route to the group changed: joined on "
			 "interface %s", name);
}

/* The new socket is there before the old one goes. */
static int move_to(struct udp_flow *f, unsigned ifindex, struct errmsg *why)
{
	int fd = udp_socket_open(&f->place, ifindex, why);

	if (fd < 0)
		return fd;
	tell_move(f, ifindex);
	fd_close(&f->fd);
	f->fd = fd;
	f->ifindex = ifindex;
	f->asked_for = is_asked_for(f);
	receiver_moved(f->receiver);
	if (f->arrivals != NULL)
		udp_socket_stamp(fd, true);
	return 0;
}

static int renew(struct udp_flow *f, uint64_t now_ns, struct errmsg *why)
{
	f->renewed_ns = now_ns;
	return udp_socket_renew(f->fd, &f->place, f->ifindex,
				receiver_source(f->receiver), why);
}

/* An interface that was made anew has another index, and our membership
 * went with the old one; one that came back is told of it once more. */
static int follow_interface(struct udp_flow *f, uint64_t now_ns,
			    struct errmsg *why)
{
	bool was_away = f->trouble.text[0] != '\0';
	unsigned index;

	if (netif_index(f->place.iface, &index, &f->trouble) < 0) {
		if (!was_away)
			log_warning("input", "%s", f->trouble.text);
		return 0;
	}
	f->trouble.text[0] = '\0';
	if (index != f->ifindex)
		return move_to(f, index, why);
	if (was_away)
		log_info("input", "interface %s is back", f->place.iface);
	return is_group(f) ? renew(f, now_ns, why) : 0;
}

/* Where no interface is named, it is the one of the route.  Without a route
 * what was joined stays. */
static int follow_route(struct udp_flow *f, unsigned changes, uint64_t now_ns,
			struct errmsg *why)
{
	unsigned index;

	if (netif_towards(&f->place.local, &index) == 0 &&
	    index != f->ifindex)
		return move_to(f, index, why);
	return changes & NETIF_TOUCHED ? renew(f, now_ns, why) : 0;
}

/* Is there a reason to look at it?  Bits of enum netif_change. */
static unsigned look_at_netif(const struct udp_flow *f, uint64_t now_ns)
{
	unsigned wanted = is_named(f) ? NETIF_TOUCHED
				      : NETIF_TOUCHED | NETIF_ROUTES;

	if (!is_named(f) && !is_group(f))
		return 0;
	if (f->trouble.text[0] != '\0')
		return wanted;
	if (f->netif != NULL)
		return netif_watch_look(f->netif, f->ifindex) & wanted;
	return now_ns - f->last_packet_ns >= QUIET_S * SECOND_NS ? wanted : 0;
}

static void end_measuring(struct udp_flow *f, uint64_t now_ns)
{
	arrivals_judge(f->arrivals, &f->arrived);
	f->arrived.at_ns = now_ns;
	receiver_measure(f->receiver, NULL);
	arrivals_free(&f->arrivals);
}

/* Not all streams of a host in the same second, but for the first time. */
static bool is_time_to_measure(const struct udp_flow *f, uint64_t now_ns)
{
	if (f->asked_ns != 0 && now_ns - f->asked_ns < UDP_ASKED_S * SECOND_NS)
		return true;
	return f->seconds == 1 ||
	       (f->seconds + (unsigned)getpid()) % UDP_MEASURE_S == 0;
}

static void measure(struct udp_flow *f, uint64_t now_ns)
{
	bool was = f->arrivals != NULL, now;

	f->seconds++;
	now = is_time_to_measure(f, now_ns);
	if (was)
		end_measuring(f, now_ns);
	if (was != now)
		udp_socket_stamp(f->fd, now);
	if (!now)
		return;
	f->arrivals = arrivals_new(wall_ns());
	receiver_measure(f->receiver, f->arrivals);
}

const struct arrivals_report *udp_flow_arrivals(struct udp_flow *f,
						uint64_t now_ns)
{
	f->asked_ns = now_ns;
	return &f->arrived;
}

/* The same two in the same words, whoever was the last. */
static void name_senders(struct udp_flow *f)
{
	char a[SOCKADDR_TEXT_MAX], b[SOCKADDR_TEXT_MAX];
	uint64_t changes = f->source_changes - f->told_changes;
	bool turned;

	f->told_changes = f->source_changes;
	f->senders.text[0] = '\0';
	if (changes < INPUT_TWO_SENDERS)
		return;
	sockaddr_format(&f->before, a);
	sockaddr_format(&f->source, b);
	turned = strcmp(a, b) > 0;
	errmsg_set(&f->senders, "two send to it: %s and %s", turned ? b : a,
		   turned ? a : b);
}

/* A second that came later than this one is no reason to wait for the next. */
static bool is_time_to_renew(const struct udp_flow *f, uint64_t now_ns)
{
	return f->renew_s > 0 && is_group(f) &&
	       now_ns - f->renewed_ns + SECOND_NS / 2 >=
		       f->renew_s * SECOND_NS;
}

int udp_flow_second(struct udp_flow *f, uint64_t now_ns, struct errmsg *why)
{
	unsigned changes;

	name_senders(f);
	receiver_trim(f->receiver);
	measure(f, now_ns);
	changes = look_at_netif(f, now_ns);
	if (changes != 0)
		return is_named(f) ? follow_interface(f, now_ns, why)
				   : follow_route(f, changes, now_ns, why);
	if (is_time_to_renew(f, now_ns))
		return renew(f, now_ns, why);
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
