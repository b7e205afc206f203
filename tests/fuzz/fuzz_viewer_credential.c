/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The query of a viewer: its credential, and the form of a secure token. */
#include "master/viewers/secure_token.h"
#include "master/viewers/viewer_credential.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *query = malloc(size + 1);
	struct viewer_credential c;
	int64_t until_s = 0;

	if (query == NULL)
		abort();
	memcpy(query, data, size);
	query[size] = '\0';
	if (viewer_credential_read(query, &c)) {
		if (memchr(c.token, '\0', sizeof c.token) == NULL ||
		    (c.login[0] == '\0' && c.password[0] != '\0'))
			abort();
		if (secure_token_check(
			    &(struct secure_token_question){
				    .secret = "s", .token = c.token,
				    .stream = "a", .address = "::1",
				    .now_s = 1 },
			    &until_s) == SECURE_TOKEN_VALID &&
		    strlen(c.token) < 40)
			abort();
	}
	viewer_credential_wipe(&c);
	free(query);
	return 0;
}
