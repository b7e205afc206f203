/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/curl/transfer_error.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <string.h>

Test(transfer_error, has_a_cause_in_plain_words)
{
	static const struct {
		CURLcode code;
		const char *detail, *wanted;
	} cases[] = {
		{ CURLE_SEND_ERROR, "Send failure: Broken pipe",
		  "the connection to the server broke" },
		{ CURLE_GOT_NOTHING, "Empty reply from server",
		  "the server closed the connection without an answer" },
		{ CURLE_COULDNT_RESOLVE_HOST, "Could not resolve host: x",
		  "the name of the server has no address: check the name, and "
		  "DNS" },
		{ CURLE_OPERATION_TIMEDOUT, "Connection timed out after 5001 "
		  "milliseconds", "the server did not answer in time" },
		{ CURLE_PEER_FAILED_VERIFICATION, "certificate has expired",
		  "the certificate of the server is not valid for it: "
		  "certificate has expired" },
		{ CURLE_READ_ERROR, "read aborted",
		  "the transfer failed: read aborted" },
		{ CURLE_READ_ERROR, "", "the transfer failed: Failed to open/"
					"read local data from file/"
					"application" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CURL *easy = curl_easy_init();
		struct errmsg text;

		transfer_error(easy, cases[i].code, cases[i].detail, &text);
		cr_expect_str_eq(text.text, cases[i].wanted, "%s", text.text);
		curl_easy_cleanup(easy);
	}
}
