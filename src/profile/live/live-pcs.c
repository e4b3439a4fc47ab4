/* SPDX-License-Identifier: BSD-3-Clause */
/* live-pcs.c - what a live profile has of samples of kernels, read. */
#include <string.h>

#include "profile/live/live-reader.h"

enum {
	WORD = sizeof(uint64_t),
	CUBIN_MOST = 64 << 20, /* more is damage */
};

static void take_live_pc(struct reader *r, uint32_t unused, const void *at)
{
	struct profile *p = r->p;
	struct profile_pc *to;
	struct live_pc pc;

	(void)unused;
	memcpy(&pc, at, sizeof(pc));
	if (pc.name >= p->name_count) {
		r->damaged++;
		return;
	}
	if (!reader_grow(r, &p->pcs, p->pc_count, sizeof(*p->pcs)))
		return;
	to = &p->pcs[p->pc_count++];
	*to = (struct profile_pc){ .name = pc.name,
				   .function = pc.function,
				   .cubin = pc.cubin,
				   .pc = pc.pc,
				   .unissued = pc.unissued };
	memcpy(to->stalls, pc.stalls, sizeof(to->stalls));
}

/* Of one that has not all its pieces nothing is left. */
static void drop_part(struct reader *r)
{
	struct reader_cubin *c = &r->cubin;
	struct profile *p = r->p;

	if (c->have < c->all) {
		p->cubin_count--;
		p->cubin_word_count = c->first;
	}
	*c = (struct reader_cubin){ 0 };
}

static bool begin_cubin(struct reader *r, const struct live_cubin *piece)
{
	struct profile *p = r->p;

	drop_part(r);
	if (!reader_grow(r, &p->cubins, p->cubin_count, sizeof(*p->cubins)))
		return false;
	p->cubins[p->cubin_count++] =
		(struct profile_cubin){ piece->cubin, piece->all };
	r->cubin = (struct reader_cubin){ .all = piece->all,
					  .first = p->cubin_word_count };
	return true;
}

static bool is_next_cubin_piece(const struct reader *r,
				const struct live_cubin *piece)
{
	const struct reader_cubin *c = &r->cubin;

	return piece->at == c->have && piece->all == c->all &&
	       r->p->cubin_count &&
	       r->p->cubins[r->p->cubin_count - 1].cubin == piece->cubin;
}

static void add_words(struct reader *r, const struct live_cubin *piece)
{
	struct profile *p = r->p;

	for (uint32_t i = 0; i < piece->size; i += WORD) {
		uint64_t word = 0;
		uint32_t rest = piece->size - i;

		memcpy(&word, piece->bytes + i, rest < WORD ? rest : WORD);
		if (!reader_grow(r, &p->cubin_words, p->cubin_word_count,
				 sizeof(*p->cubin_words)))
			return;
		p->cubin_words[p->cubin_word_count++].word = word;
	}
	r->cubin.have += piece->size;
}

static void take_cubin(struct reader *r, uint32_t unused, const void *at)
{
	struct live_cubin piece;

	(void)unused;
	memcpy(&piece, at, sizeof(piece));
	if (!piece.size || piece.size > sizeof(piece.bytes) ||
	    piece.all > CUBIN_MOST || piece.at > piece.all ||
	    piece.size > piece.all - piece.at ||
	    (piece.size % WORD && piece.at + piece.size != piece.all)) {
		r->damaged++;
		return;
	}
	if (!piece.at && !begin_cubin(r, &piece))
		return;
	if (is_next_cubin_piece(r, &piece))
		add_words(r, &piece);
	else
		r->damaged++;
}

static void read_pcs(struct reader *r)
{
	const struct live_gpu_lists *lists = &r->header.gpu_lists;
	struct profile *p = r->p;

	reader_chunks(r, lists->pcs, sizeof(struct live_pc), 0, take_live_pc);
	r->cubin = (struct reader_cubin){ 0 };
	reader_chunks(r, lists->cubins, sizeof(struct live_cubin), 0,
		      take_cubin);
	drop_part(r);
	if (lists->sampling_calls &&
	    reader_grow(r, &p->sampling, 0, sizeof(*p->sampling))) {
		p->sampling[0] =
			(struct profile_sampling){ lists->sampling_calls,
						   lists->sampling_ns };
		p->sampling_count = 1;
	}
}

const struct live_section section_pcs = { .tables = read_pcs };
