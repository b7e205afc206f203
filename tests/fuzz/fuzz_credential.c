/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A header Authorization, and the same text as a header Cookie. */
#include "common/account/credential.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void judge(const struct credential *c)
{
	switch (c->kind) {
	case CREDENTIAL_SESSION:
		if (strspn(c->session, "0123456789abcdef") != SECRET_TEXT - 1)
			abort();
		break;
	case CREDENTIAL_BASIC:
		if (c->login[0] == '\0' || strchr(c->login, ':') != NULL)
			abort();
		break;
	case CREDENTIAL_BAD:
		if (c->password[0] != '\0' || c->login[0] != '\0')
			abort();
		break;
	case CREDENTIAL_NONE:
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	char id[SECRET_TEXT] = "";
	struct credential c;

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	credential_read(text, &c);
	judge(&c);
	credential_wipe(&c);
	if (credential_cookie(text, id) != (strlen(id) == SECRET_TEXT - 1))
		abort();
	free(text);
	return 0;
}
