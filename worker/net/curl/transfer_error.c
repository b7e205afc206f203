/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/curl/transfer_error.h"

#include "common/base/util.h"

#include <string.h>

static const struct {
	CURLcode code;
	const char *text;
	bool detailed; /* libcurl's text follows */
} errors[] = {
	{ .code = CURLE_UNSUPPORTED_PROTOCOL,
	  .text = "only http and https are allowed" },
	{ .code = CURLE_URL_MALFORMAT,
	  .text = "the address is not a URL" },
	{ .code = CURLE_COULDNT_RESOLVE_HOST,
	  .text = "the name of the server has no address: check the "
		  "name, and DNS" },
	{ .code = CURLE_COULDNT_CONNECT,
	  .text = "connect: no connection to the server" },
	{ .code = CURLE_WEIRD_SERVER_REPLY,
	  .text = "the server does not speak HTTP" },
	{ .code = CURLE_HTTP_RETURNED_ERROR,
	  .text = "the server answers with an error" },
	{ .code = CURLE_PARTIAL_FILE,
	  .text = "the server closed the connection before the end" },
	{ .code = CURLE_GOT_NOTHING,
	  .text = "the server closed the connection without an answer" },
	{ .code = CURLE_SEND_ERROR,
	  .text = "the connection to the server broke" },
	{ .code = CURLE_RECV_ERROR,
	  .text = "the connection to the server broke" },
	{ .code = CURLE_OPERATION_TIMEDOUT,
	  .text = "the server did not answer in time" },
	{ .code = CURLE_TOO_MANY_REDIRECTS,
	  .text = "the server redirects too often" },
	{ .code = CURLE_BAD_CONTENT_ENCODING,
	  .text = "the server compresses in a way that is not known, "
		  "or wrongly" },
	{ .code = CURLE_LOGIN_DENIED,
	  .text = "the server refuses the login" },
	{ .code = CURLE_OUT_OF_MEMORY,
	  .text = "out of memory" },
	{ .code = CURLE_SSL_CONNECT_ERROR,
	  .text = "the handshake of TLS failed",
	  .detailed = true },
	{ .code = CURLE_PEER_FAILED_VERIFICATION,
	  .text = "the certificate of the server is not valid for it",
	  .detailed = true },
	{ .code = CURLE_SSL_CACERT_BADFILE,
	  .text = "ca: the file of trusted certificates cannot be "
		  "read",
	  .detailed = true },
};

void transfer_error(CURL *easy, CURLcode code, const char *detail,
		    struct errmsg *ret)
{
	const char *why = detail[0] != '\0' ? detail
					    : curl_easy_strerror(code);
	long err = 0;

	if (code == CURLE_COULDNT_CONNECT)
		(void)curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &err);
	if (err != 0) {
		errmsg_set(ret, "connect: %s", strerror((int)err));
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(errors); i++) {
		if (errors[i].code != code)
			continue;
		errmsg_set(ret, "%s%s%s", errors[i].text,
			   errors[i].detailed ? ": " : "",
			   errors[i].detailed ? why : "");
		return;
	}
	errmsg_set(ret, "the transfer failed: %s", why);
}
