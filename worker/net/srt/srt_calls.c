/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/srt/srt_calls.h"

#include "common/base/alloc.h"
#include "common/base/ip_prefix.h"
#include "common/base/mono.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	CALLS_MAX = 32,
	/* A caller that is not connected after so long was rejected, whatever
	 * the state of its socket, because libsrt answers at once. */
	CONNECT_LIMIT_MS = 3000,
};

struct srt_call {
	struct sockaddr_any from; /* len 0: free entry */
	SRTSOCKET socket;
	uint64_t at_ms;
	const char *refused; /* why Sluice has refused the call; NULL: it has
			      * not */
};

struct srt_calls {
	pthread_mutex_t lock;
	struct srt_call calls[CALLS_MAX];
	uint64_t second_ms; /* start of the second that hosts[] counts */
	size_t n_hosts;
	struct ip_address hosts[SRT_CALLS_MAX];
};

struct srt_calls *srt_calls_new(void)
{
	struct srt_calls *c = xcalloc(1, sizeof *c);

	(void)pthread_mutex_init(&c->lock, NULL);
	return c;
}

void srt_calls_free(struct srt_calls **c)
{
	if (*c == NULL)
		return;
	(void)pthread_mutex_destroy(&(*c)->lock);
	free(*c);
	*c = NULL;
}

/* Finds the entry of the last call from this address.  add: makes an entry if
 * there is none.  NULL: there is none; with add: no entry is free.  Calls
 * without an entry are not logged, so that a flood does not fill the log. */
static struct srt_call *find(struct srt_calls *c,
			     const struct sockaddr_any *from, bool add)
{
	struct srt_call *unused = NULL;

	for (size_t i = 0; i < CALLS_MAX; i++) {
		struct srt_call *call = &c->calls[i];

		if (call->from.len == 0)
			unused = call;
		else if (sockaddr_equal(&call->from, from))
			return call;
	}
	if (add && unused != NULL)
		*unused = (struct srt_call){
			.from = *from,
			.socket = SRT_INVALID_SOCK,
			.at_ms = mono_ms(),
		};
	return add ? unused : NULL;
}

static struct sockaddr_any any_of(const struct sockaddr *sa)
{
	struct sockaddr_any any = { 0 };

	any.len = sa->sa_family == AF_INET6 ? sizeof any.in6 : sizeof any.in;
	memcpy(&any.sa, sa, any.len);
	return any;
}

bool srt_calls_admit(struct srt_calls *c, const struct sockaddr *sa,
		     uint64_t now_ms)
{
	struct sockaddr_any from = any_of(sa);
	struct ip_address address = ip_of(&from), host = ip_client(&address);
	size_t of_host = 0;
	bool admitted;

	(void)pthread_mutex_lock(&c->lock);
	if (now_ms - c->second_ms >= 1000) {
		c->second_ms = now_ms;
		c->n_hosts = 0;
	}
	for (size_t i = 0; i < c->n_hosts; i++)
		of_host += memcmp(&c->hosts[i], &host, sizeof host) == 0;
	admitted = c->n_hosts < SRT_CALLS_MAX &&
		   of_host < SRT_CALLS_OF_HOST_MAX;
	if (admitted)
		c->hosts[c->n_hosts++] = host;
	(void)pthread_mutex_unlock(&c->lock);
	return admitted;
}

void srt_calls_add(struct srt_calls *c, SRTSOCKET s, const struct sockaddr *sa,
		   const char *refused)
{
	struct sockaddr_any from = any_of(sa);
	struct srt_call *call;

	(void)pthread_mutex_lock(&c->lock);
	call = find(c, &from, true);
	if (call != NULL) {
		call->socket = s;
		call->refused = refused;
	}
	(void)pthread_mutex_unlock(&c->lock);
}

void srt_calls_connected(struct srt_calls *c, const struct sockaddr_any *from)
{
	struct srt_call *call;

	(void)pthread_mutex_lock(&c->lock);
	call = find(c, from, false);
	if (call != NULL)
		call->from.len = 0;
	(void)pthread_mutex_unlock(&c->lock);
}

/* Removes call i if it is still that of socket s.  False: the call has ended,
 * or its address has called again. */
static bool remove_call(struct srt_calls *c, size_t i, SRTSOCKET s)
{
	bool same;

	(void)pthread_mutex_lock(&c->lock);
	same = c->calls[i].from.len != 0 && c->calls[i].socket == s;
	if (same)
		c->calls[i].from.len = 0;
	(void)pthread_mutex_unlock(&c->lock);
	return same;
}

bool srt_calls_take_failed(struct srt_calls *c, struct sockaddr_any *ret_from,
			   const char **ret_error)
{
	for (size_t i = 0; i < CALLS_MAX; i++) {
		struct srt_call call;
		bool failed;

		(void)pthread_mutex_lock(&c->lock);
		call = c->calls[i];
		(void)pthread_mutex_unlock(&c->lock);
		/* The lock must not be held here: libsrt's thread takes this
		 * lock while it holds a lock of libsrt, which
		 * srt_getsockstate() needs. */
		failed = call.from.len != 0 &&
			 (call.refused != NULL ||
			  srt_getsockstate(call.socket) >= SRTS_BROKEN ||
			  mono_ms() - call.at_ms >= CONNECT_LIMIT_MS);
		if (!failed || !remove_call(c, i, call.socket))
			continue;
		*ret_from = call.from;
		*ret_error = call.refused != NULL
				     ? call.refused
				     : "passphrase or encryption differ, or "
				       "the caller disconnected at once";
		return true;
	}
	return false;
}
