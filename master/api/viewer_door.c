/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/viewer_door.h"

#include "common/account/client_address.h"
#include "common/account/credential.h"
#include "common/account/origin.h"
#include "common/base/hash.h"
#include "common/base/mono.h"
#include "common/base/peers.h"
#include "master/api/command.h"
#include "master/api/variants.h"
#include "master/api/viewer_guide.h"
#include "master/auth/auth.h"
#include "master/config/config.h"
#include "master/config/play_conf.h"
#include "master/config/playlist.h"
#include "master/config/variant.h"
#include "master/setup/options.h"
#include "master/streams/deliver_proc.h"
#include "master/streams/epg_proc.h"
#include "master/streams/reconciler.h"
#include "master/viewers/viewers.h"
#include "proto/ipc/msg.h"
#include "proto/wire/http_target.h"

#include <stdio.h>
#include <string.h>

enum { PREVIEW_QUERY_MAX = 6 + VIEWER_PREVIEW_TOKEN };

static void refuse(struct http_conn *conn, int status, const char *text,
		   const char *headers)
{
	http_respond(conn, &(struct http_answer){
		.status = status,
		.content_type = "text/plain",
		.headers = headers,
		.body = text,
		.len = strlen(text),
	});
}

/* A client that asks for the list of streams. */
struct list_client {
	const char *path;
	struct ip_address address;
	bool secure;
	const char *host;  /* header Host; NULL: none */
	const char *query;
};

/* The status of an answer, and, if it is 200, its Content-Type. */
struct list_answer {
	int status;
	const char *type;
};

/* Copies the parameters token and auth from a query: they authorize a viewer,
 * and each address in the list repeats them. */
static void keep_query(const char *from, char query[PLAYLIST_QUERY_MAX])
{
	static const char *const keys[] = { "token", "auth" };
	char value[512];

	query[0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (http_query_get(from, keys[i], value, sizeof value))
			playlist_query_add(query, keys[i], value);
}

static bool may_watch(const json_t *stream, void *arg)
{
	return viewer_guest_may(arg, stream);
}

static void ignore_guest(struct viewer_guest *guest, void *arg)
{
	(void)guest, (void)arg;
}

static bool may_have(struct api *api, const struct list_client *client)
{
	char group[PLAY_PATH_MAX];
	enum playlist_kind kind =
		variant_group_of(client->path, group, sizeof group)
			? PLAYLIST_MASTER
		: viewer_guide_is_path(client->path) ? PLAYLIST_GUIDE
						     : PLAYLIST_STREAMS;

	return playlist_limit_pass(&api->playlists, kind, &client->address,
				   mono_ms());
}

static bool is_list(const char *path)
{
	char group[PLAY_PATH_MAX];

	return strcmp(path, "/playlist.m3u8") == 0 ||
	       strcmp(path, "/playlist.xspf") == 0 ||
	       variant_group_of(path, group, sizeof group);
}

static struct list_answer write_variants(struct api *api, const char *group,
					 const struct viewer_guest *guest,
					 const char *query, struct buf *text)
{
	const struct play_conf *play = reconciler_play(api->cfg.reconciler);
	int status = play->hls
		? variants_write(api, group, guest, query, text) : 404;

	return (struct list_answer){ status, "application/vnd.apple.mpegurl" };
}

/* True: the guest is identified.  False: its password is still being checked,
 * or cannot be checked. */
static bool is_identified(const struct viewer_guest *guest)
{
	return viewer_guest_is_ready(guest) &&
	       !viewer_guest_is_unchecked(guest);
}

/* Appends the list for this guest; returns status and type. */
static struct list_answer write_for(struct api *api,
				    const struct list_client *client,
				    struct viewer_guest *guest,
				    const char *base, struct buf *text)
{
	bool xspf = strcmp(client->path, "/playlist.xspf") == 0;
	char query[PLAYLIST_QUERY_MAX], group[PLAY_PATH_MAX];

	if (!is_identified(guest))
		return (struct list_answer){ 503, "" };
	if (variant_group_of(client->path, group, sizeof group))
		return write_variants(api, group, guest, client->query, text);
	keep_query(client->query, query);
	playlist_write(text, config_document(api->cfg.config),
		       &(struct playlist_request){
			       .format = xspf ? PLAYLIST_XSPF : PLAYLIST_M3U8,
			       .play = reconciler_play(api->cfg.reconciler),
			       .base = base,
			       .query = query,
			       .guide = epg_proc_is_on(
				       reconciler_epg(api->cfg.reconciler)),
			       .may_watch = may_watch,
			       .arg = guest,
		       });
	return (struct list_answer){ 200,
		xspf ? "application/xspf+xml"
		     : "audio/x-mpegurl; charset=utf-8" };
}

/* Judges the request and appends the list; returns status and type. */
static struct list_answer write_list(struct api *api,
				     const struct list_client *client,
				     struct viewer_guest *guest,
				     struct buf *text)
{
	char base[PLAYLIST_BASE_MAX];

	if (api->cfg.viewers == NULL)
		return (struct list_answer){ 403, "" };
	if (!playlist_base(base, client->host, client->secure,
			   reconciler_play(api->cfg.reconciler)))
		return (struct list_answer){ 400, "" }; /* wrong Host */
	if (!may_have(api, client))
		return (struct list_answer){ 503, "" };
	return write_for(api, client, guest, base, text);
}

/* True: the client requests the guide and may have it; the worker must write it
 * first.  False: the client gets another answer. */
static bool may_have_guide(struct api *api, const struct list_client *client,
			   const struct viewer_guest *guest)
{
	return viewer_guide_is_path(client->path) && may_have(api, client) &&
	       is_identified(guest);
}

void viewer_door_list(struct list_question *q, struct viewer_guest *guest,
		      void *arg)
{
	const struct msg_deliver_playlist *m = list_question_client(q);
	struct msg_deliver_page page = MSG_NO_PAGE(503);
	struct api *api = arg;
	struct list_client client = {
		.path = m->path,
		.secure = m->secure,
		.host = m->host,
		.query = m->query,
	};
	bool known = ip_parse(m->peer, &client.address) == 0;
	struct buf text = { 0 };
	struct list_answer a;

	if (known && may_have_guide(api, &client, guest)) {
		viewer_guide_answer(api, q, guest);
		return;
	}
	if (known && is_list(m->path)) {
		a = write_list(api, &client, guest, &text);
		page.status = (uint32_t)a.status;
		page.type = a.status == 200 ? a.type : "";
	}
	list_question_answer(q, &page, &text);
	buf_done(&text);
}

/* Answers a playlist of streams while no deliver worker does, for instance
 * because no stream is enabled.  If the check of a password takes longer, the
 * answer is 503, and the result of the check is kept for a minute. */
static void answer_list(struct api *api, struct http_conn *conn,
			const struct http_request *request)
{
	struct list_client client = {
		.path = http_request_path(request),
		.secure = http_conn_is_secure(conn),
		.host = http_request_header(request, "host"),
		.query = http_request_query(request),
	};
	char peer[IP_TEXT_MAX];
	struct viewer_guest *guest;
	struct buf text = { 0 };
	struct list_answer a = { 503, "" };

	viewer_address(config_document(api->cfg.config), http_conn_peer(conn),
		       http_request_header(request, "x-real-ip"),
		       &client.address);
	ip_format(&client.address, peer);
	if (api->cfg.viewers != NULL) {
		guest = viewers_guest_new(api->cfg.viewers, client.query, peer,
					  ignore_guest, NULL);
		a = write_list(api, &client, guest, &text);
		viewer_guest_free(&guest);
	}
	if (a.status == 200)
		http_respond(conn, &(struct http_answer){
			.status = 200,
			.content_type = a.type,
			.headers = "Access-Control-Allow-Origin: *\r\n",
			.body = buf_head(&text),
			.len = buf_len(&text),
		});
	else
		refuse(conn, a.status, "there is no playlist\n",
		       a.status == 503 ? "Retry-After: 1\r\n" : NULL);
	buf_done(&text);
}

static bool is_plain(const char *text)
{
	for (; *text != '\0'; text++)
		if (*text < 0x20 || *text > 0x7e)
			return false;
	return true;
}

/* Makes the query with which a user of the web interface, who is logged in by
 * the session cookie, previews a stream.  False: the request is no such
 * preview.  Playlists do not repeat this query, because the page sends the
 * cookie with the request for each segment as well. */
static bool preview_query(struct api *api, const struct http_request *request,
			  char query[PREVIEW_QUERY_MAX])
{
	const struct origin origin = {
		.fetch_site = http_request_header(request, "sec-fetch-site"),
		.origin = http_request_header(request, "origin"),
		.host = http_request_header(request, "host"),
	};
	char token[VIEWER_PREVIEW_TOKEN], id[SECRET_TEXT];
	struct caller caller;

	if (api->cfg.auth == NULL || api->cfg.options->no_web_auth ||
	    origin_is_foreign(&origin) ||
	    !credential_cookie(http_request_header(request, "cookie"), id) ||
	    !auth_enter_session(api->cfg.auth, id, &caller) ||
	    !viewers_preview_token(api->cfg.viewers, caller.login, token))
		return false;
	(void)snprintf(query, PREVIEW_QUERY_MAX, "token=%s", token);
	return true;
}

/* Writes the head of the request that deliver gets.  False: path or query have
 * bytes that no viewer sends, or the head is too long. */
static bool write_head(struct buf *head, const struct http_request *request,
		       const char *path, const char *query)
{
	static const char *const kept[] = {
		"host", "user-agent", "range", "if-range", "if-none-match",
		"if-modified-since", "x-real-ip",
	};

	if (strspn(path, "/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			 "0123456789_.-") != strlen(path) || !is_plain(query))
		return false;
	buf_printf(head, "%s %s%s%s HTTP/1.1\r\n",
		   http_request_method(request), path,
		   query[0] != '\0' ? "?" : "", query);
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		const char *value = http_request_header(request, kept[i]);

		if (value != NULL && is_plain(value))
			buf_printf(head, "%s: %s\r\n", kept[i], value);
	}
	/* closes, because the next request may be for the control port */
	buf_printf(head, "Connection: close\r\n\r\n");
	buf_append(head, "", 1);
	return buf_len(head) <= MSG_HEAD_MAX;
}

static bool is_known(struct api *api, const char *path)
{
	struct stream_proc_info info;
	char id[PLAY_PATH_MAX];
	size_t len = strcspn(path, "/");
	bool known;

	if (len == 0 || len >= sizeof id)
		return false;
	memcpy(id, path, len);
	id[len] = '\0';
	known = reconciler_get_stream(api->cfg.reconciler, id, &info);
	/* a picture, ID.jpg */
	if (!known && len > 4 && strcmp(path + len - 4, ".jpg") == 0) {
		id[len - 4] = '\0';
		known = reconciler_get_stream(api->cfg.reconciler, id, &info);
	}
	return known;
}

/* Passes the connection to deliver, or answers 404 or 503.  path: "/play/…", or
 * the path of a list or of the guide. */
static void hand_over(struct api *api, struct http_conn *conn,
		      const struct http_request *request, const char *path)
{
	struct deliver_proc *deliver = reconciler_deliver(api->cfg.reconciler);
	bool list = is_list(path) || viewer_guide_is_path(path);
	const char *name = list ? path : path + strlen("/play/");
	const char *query = http_request_query(request);
	struct buf head = { 0 }, rest = { 0 };
	char peer[SOCKADDR_TEXT_MAX], preview[PREVIEW_QUERY_MAX];
	struct peer *from;
	bool secure = http_conn_is_secure(conn);
	uint64_t place = 0;
	int fd;

	if (!list && preview_query(api, request, preview))
		query = preview;
	if ((!list && !is_known(api, name)) ||
	    !write_head(&head, request, path, query)) {
		refuse(conn, 404, "Not Found\n", NULL);
	} else if (!deliver_proc_takes_viewers(deliver)) {
		refuse(conn, 503, "Service Unavailable\n",
		       "Retry-After: 1\r\n");
	} else {
		(void)snprintf(peer, sizeof peer, "%s", http_conn_peer(conn));
		/* a client of HLS opens a connection for each request: the same
		 * worker serves all */
		if (!list && strchr(name, '/') != NULL)
			place = hash_add(HASH_INIT, peer, strlen(peer));
		fd = http_conn_take_socket(conn, &rest, &from);
		peer_leave(&from);
		deliver_proc_give_viewer(deliver,
					 &(struct msg_deliver_viewer){
						 peer, secure,
						 (char *)buf_head(&head) },
					 fd, place);
	}
	buf_done(&head);
	buf_done(&rest);
}

/* Returns the part of path that is "/play/…" or the path of a list or of the
 * guide; NULL: path has no such part.  Below control_path only "/play/…"
 * exists, for previews and pictures of the web interface. */
static const char *viewer_path(const struct api *api, const char *path)
{
	size_t len = strlen(api->prefix);
	bool below = len > 1 && strncmp(path, api->prefix, len) == 0;
	const char *own = below ? path + len - 1 : path;

	if (strncmp(own, "/play/", 6) == 0 ||
	    (!below && (is_list(own) || viewer_guide_is_path(own))))
		return own;
	return NULL;
}

bool viewer_door_take(struct api *api, struct http_conn *conn,
		      const struct http_request *request)
{
	const struct play_conf *play = reconciler_play(api->cfg.reconciler);
	const char *path = viewer_path(api, http_request_path(request));
	const char *method = http_request_method(request);

	if ((!play->ts && !play->hls) || path == NULL)
		return false;
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		refuse(conn, 405, "Method Not Allowed\n",
		       "Allow: GET, HEAD\r\n");
	else if (is_list(path) &&
		 !deliver_proc_takes_viewers(
			 reconciler_deliver(api->cfg.reconciler)))
		answer_list(api, conn, request);
	else
		hand_over(api, conn, request, path);
	return true;
}
