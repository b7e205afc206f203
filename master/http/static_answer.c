/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/http/static_answer.h"

#include "master/http/static_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Policy of the page: nothing inline, no content of another host, connections
 * to other hosts only if they are listed, and no text that becomes markup. */
#define POLICY_TO_HOSTS                                                  \
	"Content-Security-Policy: default-src 'none'; script-src 'self'; " \
	"style-src 'self'; worker-src 'self'; connect-src 'self'"
#define POLICY_BEHIND_HOSTS                                              \
	"; img-src 'self' data:; media-src 'self' blob:; "               \
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "  \
	"require-trusted-types-for 'script'; trusted-types 'none'\r\n"   \
	"Referrer-Policy: no-referrer\r\n"                               \
	"X-Frame-Options: DENY\r\n"                                      \
	"Permissions-Policy: camera=(), geolocation=(), microphone=()\r\n"

#define EACH_POLICY "Cross-Origin-Resource-Policy: same-origin\r\n"

/* True: this element of the list has q=0. */
static bool is_refused(const char *element)
{
	const char *q = element + strcspn(element, ",;");

	if (*q != ';')
		return false;
	q += 1 + strspn(q + 1, " \t");
	return strncasecmp(q, "q=", 2) == 0 && strtod(q + 2, NULL) <= 0;
}

bool static_accepts_gzip(const char *list)
{
	while (list != NULL && *list != '\0') {
		size_t len;

		list += strspn(list, " \t,");
		len = strcspn(list, " \t,;");
		if (len == 4 && strncasecmp(list, "gzip", 4) == 0)
			return !is_refused(list);
		list += strcspn(list, ",");
	}
	return false;
}

bool static_is_known(const char *list, const char *hash)
{
	size_t len = strlen(hash);

	while (list != NULL && *list != '\0') {
		list += strspn(list, " \t,");
		if (*list == '*')
			return true;
		/* weak comparison, RFC 9110 13.1.2 */
		if (strncmp(list, "W/", 2) == 0)
			list += 2;
		if (*list == '"' && strncmp(list + 1, hash, len) == 0 &&
		    (list[1 + len] == '"' ||
		     strncmp(list + 1 + len, "-gz\"", 4) == 0))
			return true;
		list += strcspn(list, ",");
	}
	return false;
}

/* Returns the name of the file after HASH/; NULL: the hash is of another
 * version. */
static const char *behind_hash(const char *name, const char *hash)
{
	size_t len = strcspn(name, "/");

	bool is_ours = hash == NULL ||
		       (len == strlen(hash) && memcmp(name, hash, len) == 0);

	return is_ours && name[len] == '/' ? name + len + 1 : NULL;
}

/* Writes the headers.  hosts: further hosts for the page; NULL: the file is not
 * the page. */
static void add_headers(struct static_answer *ret, const char *hash,
			const char *hosts, bool is_gzip)
{
	bool is_page = hosts != NULL, has_tag = is_page && hash != NULL;

	(void)snprintf(ret->headers, sizeof ret->headers,
		       "%s%s%s%s%s%s%s%s%s%s" EACH_POLICY,
		       is_gzip ? "Content-Encoding: gzip\r\n" : "",
		       hash != NULL ? "Vary: Accept-Encoding\r\n" : "",
		       is_page ? "Vary: Cookie\r\n" : "",
		       has_tag ? "ETag: \"" : "", has_tag ? hash : "",
		       has_tag && is_gzip ? "-gz" : "",
		       has_tag ? "\"\r\n" : "",
		       is_page ? POLICY_TO_HOSTS : "", is_page ? hosts : "",
		       is_page ? POLICY_BEHIND_HOSTS : "");
	ret->http.headers = ret->headers;
}

/* Answers with a file of the folder.  False: the folder does not have it. */
static bool take_folder(const char *folder, const char *name,
			const char *hosts, struct static_answer *ret)
{
	if (static_type(name) == NULL ||
	    static_folder_read(folder, name, &ret->text) < 0)
		return false;
	ret->http = (struct http_answer){
		.status = 200,
		.content_type = static_type(name),
		.cache = "no-cache",
		.body = ret->text.data != NULL ? buf_head(&ret->text) : NULL,
		.len = buf_len(&ret->text),
	};
	if (hosts == NULL && strcmp(name, STATIC_PAGE) == 0)
		hosts = "";
	add_headers(ret, NULL, hosts, false);
	return true;
}

bool static_answer(const struct static_tree *tree,
		   const struct static_query *q, struct static_answer *ret)
{
	const char *folder = q->folder, *name = q->name;
	bool is_page = name == NULL, is_gzip;
	const char *hosts = is_page ? q->hosts : NULL;
	const struct static_file *file;

	*ret = (struct static_answer){ 0 };
	if (is_page)
		name = STATIC_PAGE;
	else
		name = behind_hash(name, folder != NULL ? NULL : tree->hash);
	if (name == NULL)
		return false;
	if (folder != NULL && take_folder(folder, name, hosts, ret))
		return true;
	file = static_find(tree, name);
	if (file == NULL)
		return false;
	is_gzip = static_accepts_gzip(
		http_request_header(q->request, "accept-encoding"));
	ret->http = (struct http_answer){
		.status = 200,
		.content_type = static_type(name),
		.cache = is_page ? "no-cache"
				 : "public, max-age=31536000, immutable",
		.body = is_gzip ? file->gzip : file->plain,
		.len = is_gzip ? file->gzip_len : file->plain_len,
		.lasting = true,
	};
	add_headers(ret, tree->hash, hosts, is_gzip);
	if (is_page && static_is_known(http_request_header(q->request,
							   "if-none-match"),
				       tree->hash)) {
		ret->http.status = 304;
		ret->http.content_type = NULL;
	}
	return true;
}

void static_answer_done(struct static_answer *a)
{
	buf_done(&a->text);
}
