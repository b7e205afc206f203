/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Datagrams of SSDP.  Descriptions end well or badly.  The table keeps its
 * bounds, leads to the sender alone, and a client that follows its reports has
 * the same table. */
#include "common/base/units.h"
#include "tests/fuzz/datagrams.h"
#include "tests/fuzz/fuzz.h"
#include "worker/scan/server_table.h"
#include "worker/scan/ssdp_message.h"

#include <stdlib.h>
#include <string.h>

enum { STEP_S = 40 };

static void judge_message(const struct fuzz_datagram *d)
{
	char host[SERVER_HOST_MAX];
	struct ssdp_message m;
	struct server_url again;
	char url[SERVER_URL_MAX];

	server_url_host(&d->sender, host);
	if (ssdp_decode(d->data, d->len, host, &m, NULL) < 0 ||
	    m.kind == SSDP_OTHER)
		return;
	if (m.uuid[0] == '\0' || memchr(m.uuid, '\0', sizeof m.uuid) == NULL)
		abort();
	if (m.kind != SSDP_ALIVE)
		return;
	if (m.life_s < SSDP_LIFE_MIN_S || m.life_s > SSDP_LIFE_MAX_S)
		abort();
	server_url_format(&m.location, host, url);
	if (server_url_parse((struct slice){ url, strlen(url) }, host, &again,
			     NULL) < 0 ||
	    again.port != m.location.port ||
	    strcmp(again.path, m.location.path) != 0)
		abort();
}

static bool is_sender(const char *host)
{
	struct sockaddr_any sender;
	char text[SERVER_HOST_MAX];
	bool is = false;

	for (size_t i = 0; i < FUZZ_HOSTS; i++) {
		if (sockaddr_parse(fuzz_hosts[i], 1, &sender) < 0)
			abort();
		server_url_host(&sender, text);
		is |= strcmp(host, text) == 0;
	}
	return is;
}

static void load(struct server_table *t, uint64_t now_ns)
{
	struct server_facts facts = { .name = "a" };
	struct server_load l;
	unsigned n = 0;

	while (server_table_next_load(t, &l)) {
		if (!is_sender(l.host) || l.ticket == 0 || n++ > SERVERS_MAX)
			abort();
		server_table_loaded(t, l.ticket,
				    l.ticket % 3 != 0 ? &facts : NULL, "no",
				    now_ns);
	}
}

static void follow(struct server_table *t, uint64_t now_ns,
		   bool known[SERVERS_MAX])
{
	struct server_report r;
	unsigned n = 0, told = 0;

	load(t, now_ns);
	while (server_table_next_report(t, now_ns, &r)) {
		if (r.number >= SERVERS_MAX || told++ > 2 * SERVERS_MAX)
			abort();
		known[r.number] = r.iface[0] != '\0';
	}
	for (size_t i = 0; i < SERVERS_MAX; i++)
		n += known[i];
	if (n != server_table_count(t) || n > FUZZ_HOSTS * SERVERS_OF_HOST_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct server_table *t = server_table_new();
	struct fuzz_datagram d;
	bool known[SERVERS_MAX] = { false };
	uint64_t now_ns = SECOND_NS;

	while (fuzz_next_datagram(&data, &size, &d)) {
		now_ns += d.steps * STEP_S * SECOND_NS;
		judge_message(&d);
		(void)!server_table_feed(t, &(struct server_packet){
			.iface = d.iface,
			.sender = &d.sender,
			.is_near = true,
			.data = d.data,
			.len = d.len,
		}, now_ns, NULL);
		if (d.steps > 0) {
			server_table_expire(t, now_ns);
			follow(t, now_ns, known);
		}
	}
	follow(t, now_ns, known);
	server_table_expire(t, now_ns + 2 * SSDP_LIFE_MAX_S * SECOND_NS);
	follow(t, now_ns, known);
	server_table_free(&t);
	return 0;
}
