/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/merge/merge_count.h"

#include "common/base/alloc.h"
#include "common/base/hash.h"
#include "common/base/util.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* A packet missing here and surplus there was moved. */
	MOVED_MAX = 1000,
};

/* Packets one after another. */
struct row {
	const uint8_t (*packet)[TS_PACKET];
	size_t n;
	size_t *at; /* which of them */
	uint64_t *hash;
	size_t *peer; /* in the other row; SIZE_MAX: none */
};

/* Selects packets: of one PID, with or without a payload. */
struct part {
	uint16_t pid;
	bool payload;
};

struct place {
	uint64_t hash;
	size_t i;
};

/* A position in one row and one in the other. */
struct pair {
	size_t a, b;
};

static struct row row_with_room(const uint8_t (*packet)[TS_PACKET], size_t n)
{
	return (struct row){
		.packet = packet,
		.at = xcalloc(n + 1, sizeof(size_t)),
		.hash = xcalloc(n + 1, sizeof(uint64_t)),
		.peer = xcalloc(n + 1, sizeof(size_t)),
	};
}

static void row_add(struct row *r, size_t at, uint64_t hash)
{
	r->at[r->n] = at;
	r->hash[r->n] = hash;
	r->peer[r->n++] = SIZE_MAX;
}

/* came: NULL: all. */
static struct row row_new(const uint8_t (*packet)[TS_PACKET], size_t n,
			  const bool *came)
{
	struct row r = row_with_room(packet, n);

	for (size_t i = 0; i < n; i++)
		if (came == NULL || came[i])
			row_add(&r, i, hash_add(HASH_INIT, packet[i],
						TS_PACKET));
	return r;
}

static bool is_part(const struct row *r, size_t i, struct part p)
{
	const uint8_t *packet = r->packet[r->at[i]];

	return ts_pid(packet) == p.pid && ts_has_payload(packet) == p.payload;
}

static struct row row_part(const struct row *all, struct part part)
{
	size_t n = 0;
	struct row r;

	for (size_t i = 0; i < all->n; i++)
		n += is_part(all, i, part);
	r = row_with_room(all->packet, n);
	for (size_t i = 0; r.n < n; i++)
		if (is_part(all, i, part))
			row_add(&r, all->at[i], all->hash[i]);
	return r;
}

static void row_done(struct row *r)
{
	free(r->at);
	free(r->hash);
	free(r->peer);
}

static int by_hash(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

static struct place *sorted(const struct row *r)
{
	struct place *p = xcalloc(r->n + 1, sizeof *p);

	for (size_t i = 0; i < r->n; i++)
		p[i] = (struct place){ r->hash[i], i };
	qsort(p, r->n, sizeof *p, by_hash);
	return p;
}

/* For each of b that is there once in either row its place in a, in the order
 * of b. */
static size_t pair_single(const struct row *a, const struct row *b,
			  struct pair *pairs)
{
	struct place *x = sorted(a), *y = sorted(b);
	size_t *peer = xcalloc(b->n + 1, sizeof *peer), n = 0;

	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		uint64_t h = x[i].hash;
		size_t i0 = i, k0 = k;

		while (k < b->n && y[k].hash < h)
			k0 = ++k;
		while (i < a->n && x[i].hash == h)
			i++;
		while (k < b->n && y[k].hash == h)
			k++;
		if (i == i0 + 1 && k == k0 + 1)
			peer[y[k0].i] = x[i0].i + 1;
	}
	for (size_t k = 0; k < b->n; k++)
		if (peer[k] > 0)
			pairs[n++] = (struct pair){ peer[k] - 1, k };
	free(x);
	free(y);
	free(peer);
	return n;
}

/* The longest row of pairs that ascends in both becomes peers. */
static void keep_ascending(struct row *a, struct row *b,
			   const struct pair *pairs, size_t n)
{
	size_t *top = xcalloc(n + 1, sizeof *top);
	size_t *before = xcalloc(n + 1, sizeof *before), len = 0;

	for (size_t i = 0; i < n; i++) {
		size_t low = 0, high = len;

		while (low < high) {
			size_t mid = (low + high) / 2;

			if (pairs[top[mid]].a < pairs[i].a)
				low = mid + 1;
			else
				high = mid;
		}
		before[i] = low > 0 ? top[low - 1] : n;
		top[low] = i;
		len = MAX(len, low + 1);
	}
	for (size_t i = len > 0 ? top[len - 1] : n; i < n; i = before[i]) {
		a->peer[pairs[i].a] = pairs[i].b;
		b->peer[pairs[i].b] = pairs[i].a;
	}
	free(top);
	free(before);
}

static void join(struct row *a, struct row *b, size_t i, size_t k)
{
	a->peer[i] = k;
	b->peer[k] = i;
}

/* From i to i_end and k to k_end: the longest common subsequence. */
static void lay(struct row *a, struct row *b, size_t i, size_t i_end, size_t k,
		size_t k_end)
{
	size_t wide, *best;

	for (; i < i_end && k < k_end && a->hash[i] == b->hash[k]; i++, k++)
		join(a, b, i, k);
	for (; i < i_end && k < k_end &&
	       a->hash[i_end - 1] == b->hash[k_end - 1]; i_end--, k_end--)
		join(a, b, i_end - 1, k_end - 1);
	if (i == i_end || k == k_end)
		return;
	wide = k_end - k + 1;
	best = xcalloc((i_end - i + 1) * wide, sizeof *best);
	for (size_t y = i_end - i; y-- > 0;)
		for (size_t x = k_end - k; x-- > 0;) {
			size_t *to = &best[y * wide + x];

			*to = a->hash[i + y] == b->hash[k + x]
				? 1 + to[wide + 1] : MAX(to[1], to[wide]);
		}
	for (size_t y = 0, x = 0; y < i_end - i && x < k_end - k;) {
		const size_t *at = &best[y * wide + x];

		if (a->hash[i + y] == b->hash[k + x])
			join(a, b, i + y++, k + x++);
		else if (at[wide] >= at[1])
			y++;
		else
			x++;
	}
	free(best);
}

/* Lays b beside a. */
static void compare(struct row *a, struct row *b)
{
	struct pair *pairs;
	size_t i = 0, k = 0;

	if (a->n == b->n &&
	    memcmp(a->hash, b->hash, a->n * sizeof *a->hash) == 0) {
		for (; i < a->n; i++)
			join(a, b, i, i);
		return;
	}
	pairs = xcalloc(b->n + 1, sizeof *pairs);
	keep_ascending(a, b, pairs, pair_single(a, b, pairs));
	for (size_t next = 0; next <= a->n; next++) {
		size_t to = next < a->n ? a->peer[next] : b->n;

		if (to == SIZE_MAX)
			continue;
		/* below next only packets that lay() has joined */
		lay(a, b, i, next, k, to);
		i = next + 1;
		k = to + 1;
	}
	free(pairs);
}

/* --- packets without a peer --- */

static size_t apart(size_t a, size_t b)
{
	return a < b ? b - a : a - b;
}

/* A packet of a without a peer that is the same and near. */
static size_t find_moved(const struct row *a, uint64_t hash, size_t near)
{
	size_t from = near > MOVED_MAX ? near - MOVED_MAX : 0;
	size_t best = a->n;

	for (size_t i = from; i < MIN(a->n, near + MOVED_MAX); i++)
		if (a->peer[i] == SIZE_MAX && a->hash[i] == hash &&
		    (best == a->n || apart(i, near) < apart(best, near)))
			best = i;
	return best;
}

static bool is_null(const uint8_t *packet)
{
	return ts_pid(packet) == TS_PID_NULL;
}

/* Filler, or sent twice. */
static bool is_alike(const struct row *r, size_t i)
{
	return sim_is_filler(r->packet[r->at[i]]) ||
	       (i > 0 && r->hash[i - 1] == r->hash[i]) ||
	       (i + 1 < r->n && r->hash[i + 1] == r->hash[i]);
}

struct sums {
	size_t moved, null_moved;
	struct merge_faults f;
};

static void sum_missing(const struct row *a, struct sums *s)
{
	for (size_t i = 0; i < a->n; i++) {
		if (a->peer[i] != SIZE_MAX)
			continue;
		if (is_null(a->packet[a->at[i]]))
			s->f.null_missing++;
		else if (is_alike(a, i))
			s->f.alike_missing++;
		else
			s->f.missing++;
	}
}

static void sum_doubled(struct row *a, struct row *b, struct sums *s)
{
	size_t near = 0;

	for (size_t k = 0; k < b->n; k++) {
		bool null = is_null(b->packet[b->at[k]]);
		size_t i;

		if (b->peer[k] != SIZE_MAX) {
			near = b->peer[k] + 1;
			continue;
		}
		if (!null && is_alike(b, k)) {
			s->f.alike_doubled++;
			continue;
		}
		i = find_moved(a, b->hash[k], near);
		if (i < a->n)
			a->peer[i] = k;
		s->f.null_doubled += null && i == a->n;
		s->f.doubled += !null && i == a->n;
		s->null_moved += null && i < a->n;
		s->moved += !null && i < a->n;
	}
}

static struct sums sum_up(struct row *a, struct row *b)
{
	struct sums s = { 0 };

	compare(a, b);
	sum_doubled(a, b, &s);
	sum_missing(a, &s);
	return s;
}

static size_t count_moved(const struct row *all_a, const struct row *all_b,
			  struct part part)
{
	struct row a = row_part(all_a, part), b = row_part(all_b, part);
	size_t moved = sum_up(&a, &b).moved;

	row_done(&a);
	row_done(&b);
	return moved;
}

static void add(struct merge_faults *to, const struct merge_faults *f)
{
	to->missing += f->missing;
	to->doubled += f->doubled;
	to->alike_missing += f->alike_missing;
	to->alike_doubled += f->alike_doubled;
	to->null_missing += f->null_missing;
	to->null_doubled += f->null_doubled;
}

void merge_count(const struct sim *sim, struct merge_faults *f)
{
	struct row a = row_new(sim->packet, sim->n, sim->came);
	struct row b = row_new(sim->out, sim->n_out, NULL);
	struct sums all = sum_up(&a, &b);

	add(f, &all.f);
	f->crossed += all.moved;
	f->null_misplaced += all.null_moved;
	for (unsigned k = 0; k <= SIM_PIDS; k++)
		f->disordered += count_moved(&a, &b, (struct part){
			k < SIM_PIDS ? sim_pid(k) : SIM_PID_PCR, k < SIM_PIDS,
		});
	row_done(&a);
	row_done(&b);
}
