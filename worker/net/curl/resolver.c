/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/curl/resolver.h"

#include "common/base/alloc.h"
#include "worker/core/hidden.h"

#include <ares.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	TRY_MS = 2000, /* wait for the answer to a query */
	TRIES = 2,     /* queries to each name server */
};

struct resolver {
	char *host;
	uint16_t port;
	ares_channel channel; /* NULL: no query is needed or was sent yet */
	bool answered;
	int status; /* status of c-ares, valid after the answer */
	struct sockaddr_any literal; /* used if host is a literal address */
	struct ares_addrinfo *info;  /* addresses of a name, once answered */
	const struct ares_addrinfo_node *next; /* borrowed from info */
};

struct resolver *resolver_new(const char *host, uint16_t port)
{
	struct resolver *n = xcalloc(1, sizeof *n);

	n->host = xstrdup(host);
	n->port = port;
	n->answered = sockaddr_parse(host, port, &n->literal) == 0;
	return n;
}

void resolver_free(struct resolver **name)
{
	struct resolver *n = *name;

	*name = NULL;
	if (n == NULL)
		return;
	if (n->info != NULL)
		ares_freeaddrinfo(n->info);
	if (n->channel != NULL)
		ares_destroy(n->channel);
	free(n->host);
	free(n);
}

static void on_answer(void *arg, int status, int timeouts,
		      struct ares_addrinfo *info)
{
	struct resolver *n = arg;

	(void)timeouts;
	if (status == ARES_EDESTRUCTION)
		return;
	n->answered = true;
	n->status = status;
	n->info = info;
	if (info != NULL)
		n->next = info->nodes;
	if (status == ARES_SUCCESS && n->next == NULL)
		n->status = ARES_ENODATA;
}

bool resolver_next(struct resolver *n, struct sockaddr_any *ret)
{
	const struct ares_addrinfo_node *node = n->next;

	if (node == NULL)
		return false;
	n->next = node->ai_next;
	*ret = (struct sockaddr_any){ .len = node->ai_addrlen };
	memcpy(&ret->sa, node->ai_addr,
	       MIN(sizeof ret->in6, (size_t)node->ai_addrlen));
	sockaddr_set_port(ret, n->port);
	return true;
}

int resolver_poll(struct resolver *n, struct sockaddr_any *ret,
		  struct errmsg *error)
{
	struct ares_options options = { .timeout = TRY_MS, .tries = TRIES };
	struct ares_addrinfo_hints hints = { .ai_family = AF_UNSPEC };
	ares_socket_t sockets[ARES_GETSOCK_MAXNUM];
	int bits;

	if (!n->answered && n->channel == NULL &&
	    hidden_names())
		return errmsg_fail(error, -EHOSTUNREACH, "host: "
				   "/etc/resolv.conf or /etc/hosts was "
				   "replaced after the start of this worker: a "
				   "new worker resolves the name within a "
				   "minute");
	if (!n->answered && n->channel == NULL) {
		n->status = ares_init_options(&n->channel, &options,
					      ARES_OPT_TIMEOUTMS |
						      ARES_OPT_TRIES);
		n->answered = n->status != ARES_SUCCESS;
		if (n->answered)
			n->channel = NULL;
		else
			ares_getaddrinfo(n->channel, n->host, NULL, &hints,
					 on_answer, n);
	} else if (!n->answered) {
		/* processes all sockets without poll(): they do not block, so
		 * a read without data is harmless */
		bits = ares_getsock(n->channel, sockets, ARES_GETSOCK_MAXNUM);
		for (unsigned i = 0; i < ARES_GETSOCK_MAXNUM; i++) {
			bool in = ARES_GETSOCK_READABLE(bits, i);
			bool out = ARES_GETSOCK_WRITABLE(bits, i);

			if (in || out)
				ares_process_fd(
					n->channel,
					in ? sockets[i] : ARES_SOCKET_BAD,
					out ? sockets[i] : ARES_SOCKET_BAD);
		}
		ares_process_fd(n->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
	}
	if (!n->answered)
		return 0;
	if (n->status != ARES_SUCCESS)
		return errmsg_fail(error, -EHOSTUNREACH, "host: %.64s: %s",
				   n->host, ares_strerror(n->status));
	if (n->info == NULL)
		*ret = n->literal;
	else
		(void)resolver_next(n, ret);
	return 1;
}
