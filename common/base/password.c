/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/password.h"

#include "common/base/alloc.h"

#include <crypt.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)PASSWORD_HASH_MAX == CRYPT_OUTPUT_SIZE,
	       "the room for a hash");
_Static_assert((int)PASSWORD_INPUT_MAX == CRYPT_MAX_PASSPHRASE_SIZE - 1,
	       "the room for a password");

static const char yescrypt[] = "$y$";

/* Hashes password with setting; 0 or -errno. */
static int run_crypt(const char *password, const char *setting,
		     char ret[PASSWORD_HASH_MAX])
{
	struct crypt_data *data = xcalloc(1, sizeof *data);
	const char *hash;
	int err = 0;

	errno = 0;
	hash = crypt_rn(password, setting, data, (int)sizeof *data);
	if (hash == NULL)
		err = errno > 0 ? -errno : -EINVAL;
	else
		memcpy(ret, hash, strlen(hash) + 1);
	explicit_bzero(data, sizeof *data);
	free(data);
	return err;
}

int password_hash(const char *password, char ret[PASSWORD_HASH_MAX])
{
	char setting[CRYPT_GENSALT_OUTPUT_SIZE];

	if (crypt_gensalt_rn(yescrypt, 0, NULL, 0, setting,
			     sizeof setting) == NULL)
		return errno > 0 ? -errno : -EINVAL;
	return run_crypt(password, setting, ret);
}

bool password_verify(const char *password, const char *hash)
{
	char mine[PASSWORD_HASH_MAX];
	size_t len = strlen(hash);
	unsigned char diff = 0;

	if (run_crypt(password, hash, mine) < 0)
		return false;
	/* takes the same time for any position of the first difference */
	if (strlen(mine) != len)
		diff = 1;
	else
		for (size_t i = 0; i < len; i++)
			diff |= (unsigned char)(mine[i] ^ hash[i]);
	explicit_bzero(mine, sizeof mine);
	return diff == 0;
}
