/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/stream/cas_stage.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/hash.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "proto/spec/stream_spec.h"
#include "worker/csa/core_choice.h"
#include "worker/stream/ca_inserter.h"
#include "worker/stream/cas_systems.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
	/* Limits of the interval at which an ECM is sent, which its ECM
	 * generator chooses. */
	REPETITION_MIN_MS = 20,
	REPETITION_MAX_MS = 1000,
	REPETITION_MS = 100, /* interval if the generator has not chosen one */
	/* random bits of a control word without checksums */
	WORD_FULL = 64,
};

struct cas_stage {
	struct cas_list list;
	bool full; /* words have 64 random bits */
	struct crypto_periods periods;
	struct cas_systems *systems;
	struct scrambler *scrambler;
	struct ca_inserter *inserter;
	/* when the ECM of each system is sent next */
	uint64_t due_ns[CAS_LIST_MAX];
	uint64_t emms_dropped;
};

/* Makes a random control word.  Bytes 4 and 8 are the checksums of the three
 * bytes before them (ETSI TS 100 289), because receivers expect these
 * checksums; a full word has 64 random bits instead. */
static void make_word(uint8_t word[CSA_CONTROL_WORD], void *arg)
{
	const struct cas_stage *s = arg;

	/* without random bytes the word could be guessed: the worker ends */
	if (getrandom(word, CSA_CONTROL_WORD, 0) != CSA_CONTROL_WORD)
		abort();
	for (size_t i = 3; i < CSA_CONTROL_WORD && !s->full; i += 4)
		word[i] = (uint8_t)(word[i - 3] + word[i - 2] + word[i - 1]);
}

static void apply(struct cas_stage *s)
{
	static const enum scrambler_mode modes[] = {
		[CRYPTO_SCRAMBLED] = SCRAMBLER_ON,
		[CRYPTO_CLEAR] = SCRAMBLER_CLEAR,
		[CRYPTO_STOPPED] = SCRAMBLER_STOP,
	};

	scrambler_set_word(s->scrambler, crypto_word(&s->periods),
			   crypto_is_odd(&s->periods));
	scrambler_set_mode(s->scrambler, modes[crypto_mode(&s->periods)]);
}

static void on_emm(size_t system, struct ts_run run, void *arg)
{
	struct cas_stage *s = arg;
	uint16_t pid = s->list.list[system].entry.emm_pid;

	if (pid != TS_PID_NULL && !ca_inserter_emm(s->inserter, pid, run))
		s->emms_dropped += run.n;
}

static struct crypto_config crypto_config(struct cas_stage *s,
					  const struct cas_stage_config *cfg)
{
	static const enum crypto_mode modes[] = {
		[CAS_LOST_KEEP] = CRYPTO_SCRAMBLED,
		[CAS_LOST_CLEAR] = CRYPTO_CLEAR,
		[CAS_LOST_STOP] = CRYPTO_STOPPED,
	};
	struct crypto_config c = {
		.n = s->list.n,
		.period_ms = cas_list_period_s(&s->list) * 1000,
		.memory = cfg->memory,
		.make_word = make_word,
		.arg = s,
		.now_ns = cfg->now_ns,
	};

	for (size_t i = 0; i < c.n; i++) {
		const struct cas_spec *spec = &s->list.list[i];

		c.systems[i] = (struct crypto_system_config){
			.system = hash_add(HASH_INIT, spec->link.id,
					   strlen(spec->link.id)),
			.criteria = (uint32_t)hash_add(HASH_INIT,
						       spec->link.ac.bytes,
						       spec->link.ac.len),
			.lost = modes[spec->entry.lost],
			.lost_after_s = spec->entry.lost_after_s,
		};
	}
	return c;
}

struct cas_stage *cas_stage_new(const struct cas_stage_config *cfg)
{
	static const enum pid_class of_component[CAS_COMPONENTS] = {
		[CAS_VIDEO] = PID_VIDEO,
		[CAS_AUDIO] = PID_AUDIO,
		[CAS_SUBTITLE] = PID_SUBTITLE,
		[CAS_TELETEXT] = PID_TELETEXT,
		[CAS_OTHER] = PID_OTHER,
	};
	struct crypto_config crypto;
	struct cas_stage *s;
	unsigned classes = 0; /* to scramble: bits by enum pid_class */

	if (cfg->start->n_cas == 0) {
		/* without a system the control words of the last worker are of
		 * no use */
		if (cfg->memory->magic != 0)
			explicit_bzero(cfg->memory, sizeof *cfg->memory);
		return NULL;
	}
	s = xcalloc(1, sizeof *s);
	cas_list_read(cfg->start->cas, cfg->start->n_cas, &s->list);
	s->full = true;
	for (size_t i = 0; i < s->list.n; i++)
		s->full &= s->list.list[i].entry.entropy == WORD_FULL;
	crypto = crypto_config(s, cfg);
	crypto_init(&s->periods, &crypto);
	s->inserter = ca_inserter_new(cfg->out, cfg->arg);
	s->scrambler = scrambler_new(csa_choose(cfg->csa),
				     crypto_word(&s->periods), cfg->pids);
	/* bits by enum cas_component; 0: all */
	for (size_t i = 0; i < CAS_COMPONENTS; i++)
		if (cfg->components == 0 || cfg->components >> i & 1)
			classes |= 1u << of_component[i];
	scrambler_set_classes(s->scrambler, classes);
	s->systems = cas_systems_new(&(struct cas_systems_config){
		.loop = cfg->loop,
		.list = &s->list,
		.periods = &s->periods,
		.on_emm = on_emm,
		.arg = s,
	});
	(void)crypto_turn(&s->periods, cfg->now_ns);
	apply(s);
	return s;
}

void cas_stage_free(struct cas_stage **ps)
{
	struct cas_stage *s = *ps;

	*ps = NULL;
	if (s == NULL)
		return;
	cas_systems_free(&s->systems);
	scrambler_free(&s->scrambler);
	ca_inserter_free(&s->inserter);
	explicit_bzero(s, sizeof *s);
	free(s);
}

const struct cas_list *cas_stage_list(const struct cas_stage *s)
{
	return s != NULL ? &s->list : NULL;
}

void cas_stage_set_psi(struct cas_stage *s, const struct psi *psi)
{
	scrambler_set_psi(s->scrambler, psi);
}

void cas_stage_link(struct cas_stage *s, unsigned place, int fd)
{
	if (s != NULL && place < s->list.n)
		cas_systems_link(s->systems, place, fd);
	else
		fd_close(&fd);
}

static void insert(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct cas_stage *s = arg;

	ca_inserter_feed(s->inserter, runs, n_runs);
}

void cas_stage_feed(struct cas_stage *s, const struct ts_run *runs,
		    size_t n_runs, uint64_t now_ns)
{
	if (crypto_turn(&s->periods, now_ns))
		apply(s);
	cas_systems_ask(s->systems);
	/* Queues the ECMs that are due.  A new ECM is due at once and replaces
	 * the ECM of its system that waits.  An ECM that has ended is removed
	 * from the queue. */
	for (size_t i = 0; i < s->list.n; i++) {
		uint16_t pid = s->list.list[i].link.ecm_pid;
		struct ts_run ecm = crypto_on_air(&s->periods, i);
		bool is_new = crypto_take_news(&s->periods, i);
		unsigned ms = s->periods.systems[i].terms.repetition_ms;

		if (is_new)
			ca_inserter_drop_ecm(s->inserter, pid);
		if (ecm.n == 0 || (now_ns < s->due_ns[i] && !is_new))
			continue;
		if (!ca_inserter_has(s->inserter, pid))
			(void)ca_inserter_ecm(s->inserter, pid, ecm);
		if (ms == 0)
			ms = REPETITION_MS;
		ms = MIN(ms, (unsigned)REPETITION_MAX_MS);
		ms = MAX(ms, (unsigned)REPETITION_MIN_MS);
		s->due_ns[i] = now_ns + ms * MS;
	}
	scrambler_feed(s->scrambler, runs, n_runs, now_ns, insert, s);
}

unsigned cas_stage_linked(const struct cas_stage *s)
{
	return cas_systems_linked(s->systems);
}

const char *cas_stage_second(struct cas_stage *s, uint64_t now_ns)
{
	if (s->emms_dropped > 0)
		log_warning("stream", "EMMs exceed the rate at which the "
			    "stream sends them: %llu EMM packets dropped",
			    (unsigned long long)s->emms_dropped);
	s->emms_dropped = 0;
	return cas_systems_second(s->systems, now_ns);
}
