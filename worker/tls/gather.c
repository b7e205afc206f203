/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tls/gather.h"

#include "common/base/alloc.h"
#include "common/base/util.h"

#include <stdlib.h>
#include <string.h>

static int on_write(BIO *bio, const char *data, size_t len, size_t *ret_len)
{
	struct gather *g = BIO_get_data(bio);
	size_t n = MIN(len, g->size - g->len);

	BIO_clear_retry_flags(bio);
	if (n == 0) {
		BIO_set_retry_write(bio);
		return 0;
	}
	memcpy(g->data + g->len, data, n);
	g->len += n;
	*ret_len = n;
	return 1;
}

static long on_ctrl(BIO *bio, int cmd, long number, void *data)
{
	(void)bio, (void)number, (void)data;
	return cmd == BIO_CTRL_FLUSH ? 1 : 0;
}

static int on_create(BIO *bio)
{
	BIO_set_init(bio, 1);
	return 1;
}

struct gather *gather_new(size_t size)
{
	struct gather *g = xcalloc(1, sizeof *g);

	g->size = size;
	g->data = xcalloc(1, size);
	g->method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK,
				 "gather");
	if (g->method == NULL ||
	    BIO_meth_set_write_ex(g->method, on_write) != 1 ||
	    BIO_meth_set_ctrl(g->method, on_ctrl) != 1 ||
	    BIO_meth_set_create(g->method, on_create) != 1)
		gather_free(&g);
	return g;
}

void gather_free(struct gather **g)
{
	if (*g == NULL)
		return;
	BIO_meth_free((*g)->method);
	free((*g)->data);
	free(*g);
	*g = NULL;
}

BIO *gather_bio(struct gather *g)
{
	BIO *bio = BIO_new(g->method);

	if (bio != NULL)
		BIO_set_data(bio, g);
	return bio;
}
