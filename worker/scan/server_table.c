/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/server_table.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/scan/ssdp_message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum load {
	LOAD_WAITS,
	LOAD_RUNS,
	LOAD_DONE,
	LOAD_FAILED,
};

struct server {
	char iface[16];
	char host[SERVER_HOST_MAX];
	char uuid[SSDP_UUID_MAX];
	struct server_url location;
	uint64_t end_ns;      /* expiry time of the last announcement */
	uint64_t received_ns;
	uint64_t reported_ns; /* 0: not yet */
	bool changed;         /* changed since the last report */
	enum load load;
	uint64_t turn;        /* LOAD_WAITS: the lowest value is loaded first */
	uint32_t ticket;      /* LOAD_RUNS: ticket of the load */
	uint64_t loaded_ns;   /* end time of the last load */
	bool described;       /* facts were loaded at least once */
	struct server_facts facts;
	struct errmsg note;
};

struct server_table {
	unsigned n;
	unsigned next; /* index of the entry that is checked first for the next
			* report */
	uint32_t tickets;
	uint64_t turns;
	struct server *places[SERVERS_MAX]; /* NULL: free */
	/* the removal of a server with this number is to be reported */
	bool ended[SERVERS_MAX];
};

struct server_table *server_table_new(void)
{
	return xcalloc(1, sizeof(struct server_table));
}

void server_table_free(struct server_table **tp)
{
	struct server_table *t = *tp;

	*tp = NULL;
	if (t == NULL)
		return;
	for (size_t i = 0; i < SERVERS_MAX; i++)
		free(t->places[i]);
	free(t);
}

unsigned server_table_count(const struct server_table *t)
{
	return t->n;
}

static void remove_server(struct server_table *t, size_t place)
{
	/* the removal of an earlier server with this number may still be to be
	 * reported */
	t->ended[place] |= t->places[place]->reported_ns != 0;
	free(t->places[place]);
	t->places[place] = NULL;
	t->n--;
}

/* --- announcements --- */

static bool is_at(const struct server *s, const char *host)
{
	return s != NULL && strcmp(s->host, host) == 0;
}

/* The index of a server; SERVERS_MAX: it is not in the table. */
static size_t find(const struct server_table *t, const char *iface,
		   const char *host, const char *uuid)
{
	size_t i = 0;

	while (i < SERVERS_MAX &&
	       !(is_at(t->places[i], host) &&
		 strcmp(t->places[i]->iface, iface) == 0 &&
		 strcmp(t->places[i]->uuid, uuid) == 0))
		i++;
	return i;
}

/* Among the servers whose description was never loaded, the one with the oldest
 * announcement.  host: only servers of this host; NULL: all.  SERVERS_MAX:
 * there is none. */
static size_t find_failed(const struct server_table *t, const char *host)
{
	size_t oldest = SERVERS_MAX;

	for (size_t i = 0; i < SERVERS_MAX; i++) {
		const struct server *s = t->places[i];

		if (s == NULL || s->load != LOAD_FAILED || s->described ||
		    (host != NULL && !is_at(s, host)))
			continue;
		if (oldest == SERVERS_MAX ||
		    s->received_ns < t->places[oldest]->received_ns)
			oldest = i;
	}
	return oldest;
}

/* The index of a free entry for another server of the host; may remove a server
 * without a description.  SERVERS_MAX: there is no free entry. */
static size_t find_place(struct server_table *t, const char *host)
{
	size_t free_place = SERVERS_MAX, place;
	unsigned n = 0;

	for (size_t i = 0; i < SERVERS_MAX; i++) {
		n += is_at(t->places[i], host);
		if (t->places[i] == NULL && free_place == SERVERS_MAX)
			free_place = i;
	}
	if (n < SERVERS_OF_HOST_MAX && free_place < SERVERS_MAX)
		return free_place;
	place = find_failed(t, n < SERVERS_OF_HOST_MAX ? NULL : host);
	if (place < SERVERS_MAX)
		remove_server(t, place);
	return place;
}

static void queue_load(struct server_table *t, struct server *s)
{
	s->load = LOAD_WAITS;
	s->turn = t->turns++;
}

static struct server *add(struct server_table *t, const char *iface,
			  const char *host, const char *uuid)
{
	size_t place = find_place(t, host);
	struct server *s;

	if (place == SERVERS_MAX)
		return NULL;
	s = t->places[place] = xcalloc(1, sizeof *s);
	t->n++;
	(void)snprintf(s->iface, sizeof s->iface, "%s", iface);
	(void)snprintf(s->host, sizeof s->host, "%s", host);
	(void)snprintf(s->uuid, sizeof s->uuid, "%s", uuid);
	queue_load(t, s);
	return s;
}

/* Must the description be loaded again because of this announcement? */
static bool is_stale(const struct server *s, const struct server_url *location,
		     uint64_t now_ns)
{
	uint64_t age_ns = now_ns - s->loaded_ns;

	if (s->load == LOAD_WAITS || s->load == LOAD_RUNS)
		return false;
	return s->location.port != location->port ||
	       strcmp(s->location.path, location->path) != 0 ||
	       age_ns >= (s->load == LOAD_FAILED ? SERVER_RETRY_S
						 : SERVER_FRESH_S) * SECOND_NS;
}

static int take_alive(struct server_table *t, const char *iface,
		      const char *host, const struct ssdp_message *m,
		      uint64_t now_ns, struct errmsg *error)
{
	size_t place = find(t, iface, host, m->uuid);
	struct server *s;

	s = place < SERVERS_MAX ? t->places[place]
				: add(t, iface, host, m->uuid);
	if (s == NULL)
		return errmsg_fail(error, -ENOSPC, "table full: more than %d "
				   "servers, or %d at one address",
				   SERVERS_MAX, SERVERS_OF_HOST_MAX);
	if (is_stale(s, &m->location, now_ns))
		queue_load(t, s);
	/* a running load belongs to the previous location */
	if (s->load != LOAD_RUNS)
		s->location = m->location;
	s->received_ns = now_ns;
	s->end_ns = now_ns + m->life_s * SECOND_NS;
	return 0;
}

int server_table_feed(struct server_table *t, const struct server_packet *p,
		      uint64_t now_ns, struct errmsg *error)
{
	char host[SERVER_HOST_MAX];
	struct ssdp_message m;
	size_t place;
	int r;

	server_url_host(p->sender, host);
	r = ssdp_decode(p->data, p->len, host, &m, error);
	if (r < 0 || m.kind == SSDP_OTHER)
		return r;
	if (!p->is_near)
		return errmsg_fail(error, -EINVAL, "the address of the sender "
				   "is in no network of the interface");
	if (m.kind == SSDP_ALIVE)
		return take_alive(t, p->iface, host, &m, now_ns, error);
	place = find(t, p->iface, host, m.uuid);
	if (place < SERVERS_MAX)
		remove_server(t, place);
	return 0;
}

void server_table_expire(struct server_table *t, uint64_t now_ns)
{
	for (size_t i = 0; i < SERVERS_MAX; i++)
		if (t->places[i] != NULL && now_ns >= t->places[i]->end_ns)
			remove_server(t, i);
}

/* --- descriptions --- */

/* Returns the server that has waited longest, so that new servers cannot delay
 * the others. */
bool server_table_next_load(struct server_table *t, struct server_load *ret)
{
	struct server *first = NULL;

	for (size_t i = 0; i < SERVERS_MAX; i++) {
		struct server *s = t->places[i];

		if (s != NULL && s->load == LOAD_WAITS &&
		    (first == NULL || s->turn < first->turn))
			first = s;
	}
	if (first == NULL)
		return false;
	if (++t->tickets == 0)
		t->tickets = 1;
	first->load = LOAD_RUNS;
	first->ticket = t->tickets;
	ret->ticket = first->ticket;
	memcpy(ret->host, first->host, sizeof ret->host);
	ret->url = first->location;
	return true;
}

void server_table_loaded(struct server_table *t, uint32_t ticket,
			 const struct server_facts *facts, const char *note,
			 uint64_t now_ns)
{
	struct server *s = NULL;

	for (size_t i = 0; i < SERVERS_MAX && s == NULL; i++)
		if (t->places[i] != NULL && t->places[i]->load == LOAD_RUNS &&
		    t->places[i]->ticket == ticket)
			s = t->places[i];
	if (s == NULL)
		return;
	s->load = facts != NULL ? LOAD_DONE : LOAD_FAILED;
	s->loaded_ns = now_ns;
	s->changed = true;
	if (facts != NULL) {
		s->facts = *facts;
		s->described = true;
	}
	errmsg_set(&s->note, "%s", facts != NULL ? "" : note);
}

/* --- reports --- */

bool server_table_next_report(struct server_table *t, uint64_t now_ns,
			      struct server_report *ret)
{
	static const struct server_facts none;
	const uint64_t report_ns = SERVER_REPORT_S * SECOND_NS;

	for (size_t i = 0; i < SERVERS_MAX; i++) {
		unsigned number = (t->next + (unsigned)i) % SERVERS_MAX;
		struct server *s = t->places[number];
		bool due = s != NULL &&
			   (s->changed ||
			    (s->reported_ns != 0 &&
			     s->received_ns > s->reported_ns &&
			     now_ns - s->reported_ns >= report_ns));

		/* the removal of the previous server with this number is
		 * reported first */
		if (!t->ended[number] && !due)
			continue;
		*ret = (struct server_report){ number, "", "", "", &none, "" };
		if (t->ended[number]) {
			t->ended[number] = false;
			t->next = number;
			return true;
		}
		t->next = number + 1;
		s->changed = false;
		s->reported_ns = now_ns;
		ret->iface = s->iface;
		ret->host = s->host;
		ret->uuid = s->uuid;
		ret->facts = &s->facts;
		ret->note = s->note.text;
		return true;
	}
	return false;
}
