/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/setup/control_socket.h"

#include "common/base/fd.h"
#include "common/http/server.h"
#include "common/supervise/handover.h"

#include <stddef.h>
#include <string.h>

/* Takes the socket out of the handover: of several, which a crash during a
 * change of the address leaves, the one with this address.  -1: there is none.
 * *ret is its address. */
static int take(struct control_socket *c, struct handover *h,
		const struct sockaddr_any *address, struct sockaddr_any *ret)
{
	struct sockaddr_any at;
	uint64_t number;
	int fd, taken = -1;

	while ((fd = handover_take_any(h, 'h', &number)) >= 0) {
		if (sockaddr_of_listener(fd, &at) < 0 ||
		    (taken >= 0 && !sockaddr_equal(&at, address))) {
			fd_close(&fd);
			continue;
		}
		fd_close(&taken);
		taken = fd;
		c->number = number;
		*ret = at;
	}
	return taken;
}

int control_socket_open(struct control_socket *c, struct http_server *http,
			struct handover *h, struct sockaddr_any *address,
			struct errmsg *error)
{
	char text[SOCKADDR_TEXT_MAX];
	struct sockaddr_any before;
	int fd = -1, err;

	*c = (struct control_socket){ .former = -1 };
	error->text[0] = '\0';
	if (h != NULL)
		fd = take(c, h, address, &before);
	if (fd < 0)
		return http_server_listen(http, address);
	/* a trial opens no new socket: clients would connect to it, and be
	 * reset at the end of the trial */
	if (sockaddr_equal(&before, address) || handover_is_trial(h))
		return http_server_adopt(http, fd);
	err = http_server_listen_beside(http, address, fd);
	if (err == 0) {
		c->number = 0;
		c->former = fd;
	} else {
		sockaddr_format(address, text);
		errmsg_set(error, "control port %s: %s: keeping the old port",
			   text, strerror(-err));
		*address = before;
	}
	return http_server_adopt(http, fd);
}

void control_socket_settle(struct control_socket *c, struct http_server *http)
{
	http_server_retire(http, c->former);
	c->former = -1;
}

void control_socket_write(struct control_socket *c,
			  const struct http_server *http, struct handover *h)
{
	json_decref(handover_put(h, 'h', &c->number, http_server_fd(http, 0)));
}
