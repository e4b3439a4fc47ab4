/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * squeeze-planes.c - a deflate stream of planes: of each its runs, its single
 * bytes by a Huffman code, or the plane as it is where that takes no less.
 *
 * The numbers that are kept here are times and counts: their low bytes are
 * noise, their high ones 0, and there is little else for deflate's search of
 * what came before to find; yet that search takes most of the time.
 * The words are those of RFC 1951.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/squeeze.h"

enum {
	RUN_LEAST = 8, /* bytes: so many are seen at a glance */
	MATCH_LEAST = 3,
	MATCH_MOST = 258,
	END = 256, /* of a block */
	FIRST_LENGTH = 257,
	SYMBOLS = 286,
	CODE_MOST = 15, /* bits */
	/* What a plane is made of: bytes, END, and matches of the byte before,
	   of MATCH_LEAST … MATCH_MOST. */
	TOKENS = END + 1 + MATCH_MOST + 1,
	STORED_MOST = 65535,
};

struct code {
	uint32_t bits;
	uint8_t length;
};

struct output {
	uint8_t *at;
	uint64_t held;
	unsigned int count; /* bits that are held */
};

/* Up to 56 bits since the last one. */
static inline void flush(struct output *to)
{
	memcpy(to->at, &to->held, sizeof(to->held));
	to->at += to->count / 8;
	to->held >>= to->count & ~7u;
	to->count &= 7;
}

static inline void hold(struct output *to, uint32_t bits, unsigned int count)
{
	to->held |= (uint64_t)bits << to->count;
	to->count += count;
}

static void put(struct output *to, uint32_t bits, unsigned int count)
{
	hold(to, bits, count);
	flush(to);
}

/*
 * Tokens.
 */

struct plane {
	const uint8_t *at;
	size_t size;
	uint16_t *tokens;
	size_t count;
	uint32_t counts[TOKENS];
};

static size_t run_length(const uint8_t *at, const uint8_t *end)
{
	const uint64_t all = *at * (uint64_t)0x0101010101010101;
	const uint8_t *from = at;
	uint64_t word;

	for (; (size_t)(end - at) >= sizeof(word); at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		if (word != all)
			break;
	}
	while (at < end && *at == *from)
		at++;
	return (size_t)(at - from);
}

static inline bool run_begins(const uint8_t *at, const uint8_t *end)
{
	uint64_t word;

	if (end - at < RUN_LEAST)
		return false;
	memcpy(&word, at, sizeof(word));
	return word == *at * (uint64_t)0x0101010101010101;
}

static inline void add_token(struct plane *p, size_t token)
{
	p->tokens[p->count++] = (uint16_t)token;
	p->counts[token]++;
}

static const uint8_t *add_run(struct plane *p, const uint8_t *at,
			      const uint8_t *end)
{
	size_t left = run_length(at, end) - 1;

	add_token(p, *at);
	end = at + left + 1;
	while (left >= MATCH_LEAST) {
		size_t length = left < MATCH_MOST ? left : MATCH_MOST;

		add_token(p, END + 1 + length);
		left -= length;
	}
	while (left--)
		add_token(p, *at);
	return end;
}

static void find_tokens(struct plane *p)
{
	const uint8_t *at = p->at, *end = at + p->size;

	p->count = 0;
	memset(p->counts, 0, sizeof(p->counts));
	while (at < end)
		if (run_begins(at, end))
			at = add_run(p, at, end);
		else
			add_token(p, *at++);
	add_token(p, END);
}

/*
 * The code.
 */

struct length { /* of a match */
	uint16_t symbol;
	uint8_t extra_bits, extra;
};

static struct length length_of(unsigned int match)
{
	unsigned int from = match - MATCH_LEAST, bits = 0;

	if (match == MATCH_MOST)
		return (struct length){ .symbol = SYMBOLS - 1 };
	while (from >> bits >= 8)
		bits++;
	return (struct length){
		.symbol = (uint16_t)(FIRST_LENGTH + 4 * bits + (from >> bits)),
		.extra_bits = (uint8_t)bits,
		.extra = (uint8_t)(from & ((1u << bits) - 1)),
	};
}

static void count_symbols(const struct plane *p, uint32_t *counts)
{
	memcpy(counts, p->counts, FIRST_LENGTH * sizeof(*counts));
	memset(counts + FIRST_LENGTH, 0,
	       (SYMBOLS - FIRST_LENGTH) * sizeof(*counts));
	for (unsigned int m = MATCH_LEAST; m <= MATCH_MOST; m++)
		counts[length_of(m).symbol] += p->counts[END + 1 + m];
}

struct leaf {
	uint32_t count, symbol;
};

static int by_count(const void *x, const void *y)
{
	const struct leaf *a = x, *b = y;

	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

/*
 * Huffman's tree, of leaves by count: the two rarest of the leaves and of the
 * pairs, which are made in the order of their counts, become a pair.  Leaves
 * come first in parent[], pairs behind them; the last one is the root.
 */
static void make_tree(const struct leaf *leaves, size_t count, uint16_t *parent)
{
	uint32_t pairs[SYMBOLS];
	size_t leaf = 0, pair = 0;

	for (size_t made = 0; made < count - 1; made++) {
		pairs[made] = 0;
		for (int i = 0; i < 2; i++) {
			bool take = leaf < count &&
				    (pair == made ||
				     leaves[leaf].count <= pairs[pair]);

			pairs[made] += take ? leaves[leaf].count : pairs[pair];
			parent[take ? leaf++ : count + pair++] =
				(uint16_t)(count + made);
		}
	}
}

/* How many leaves there are of each depth, where those below come nearer. */
static void count_depths(const uint16_t *parent, size_t count,
			 uint32_t of_depth[CODE_MOST + 1])
{
	uint8_t depth[2 * SYMBOLS] = { 0 };
	uint32_t used = 0;

	memset(of_depth, 0, (CODE_MOST + 1) * sizeof(*of_depth));
	for (size_t i = 2 * count - 2; i-- > 0;) {
		depth[i] = depth[parent[i]];
		depth[i] += depth[i] < CODE_MOST;
		if (i < count)
			of_depth[depth[i]]++;
	}
	for (size_t d = 1; d <= CODE_MOST; d++)
		used += of_depth[d] << (CODE_MOST - d);
	/* Too many there: one of the deepest beside one that goes down. */
	for (; used > 1u << CODE_MOST; used--) {
		size_t d = CODE_MOST - 1;

		while (!of_depth[d])
			d--;
		of_depth[d]--;
		of_depth[d + 1] += 2;
		of_depth[CODE_MOST]--;
	}
}

/* The bits of a code stand in the stream the other way round. */
static uint32_t reversed(uint32_t bits, unsigned int count)
{
	uint32_t to = 0;

	for (; count--; bits >>= 1)
		to = to << 1 | (bits & 1);
	return to;
}

/* The rarest first: they have the longest. */
static void set_lengths(const struct leaf *leaves,
			const uint32_t of_depth[CODE_MOST + 1],
			struct code *codes)
{
	for (unsigned int d = CODE_MOST; d; d--)
		for (uint32_t i = 0; i < of_depth[d]; i++)
			codes[leaves++->symbol].length = (uint8_t)d;
}

static void set_bits(const uint32_t of_depth[CODE_MOST + 1], struct code *codes)
{
	uint32_t next[CODE_MOST + 1] = { 0 };

	for (unsigned int d = 1; d < CODE_MOST; d++)
		next[d + 1] = (next[d] + of_depth[d]) << 1;
	for (size_t i = 0; i < SYMBOLS; i++) {
		unsigned int length = codes[i].length;

		if (length)
			codes[i].bits = reversed(next[length]++, length);
	}
}

/* Of the symbols that there are: the end, and a byte at least. */
static void make_codes(const uint32_t *counts, struct code *codes)
{
	uint32_t of_depth[CODE_MOST + 1];
	struct leaf leaves[SYMBOLS];
	uint16_t parent[2 * SYMBOLS];
	size_t count = 0;

	memset(codes, 0, SYMBOLS * sizeof(*codes));
	for (uint32_t i = 0; i < SYMBOLS; i++)
		if (counts[i])
			leaves[count++] = (struct leaf){ counts[i], i };
	qsort(leaves, count, sizeof(*leaves), by_count);
	make_tree(leaves, count, parent);
	count_depths(parent, count, of_depth);
	set_lengths(leaves, of_depth, codes);
	set_bits(of_depth, codes);
}

/* With the distance behind a match: 1, the only one, a bit that is 0. */
static void code_tokens(const struct code *codes, struct code *tokens)
{
	memcpy(tokens, codes, FIRST_LENGTH * sizeof(*codes));
	for (unsigned int m = MATCH_LEAST; m <= MATCH_MOST; m++) {
		struct length length = length_of(m);
		const struct code *code = &codes[length.symbol];

		tokens[END + 1 + m] = (struct code){
			.bits = code->bits | (uint32_t)length.extra
						     << code->length,
			.length =
				(uint8_t)(code->length + length.extra_bits + 1),
		};
	}
}

static size_t size_of(const struct plane *p, const struct code *tokens)
{
	size_t bits = 0;

	for (size_t i = 0; i < TOKENS; i++)
		if (p->counts[i])
			bits += (size_t)p->counts[i] * tokens[i].length;
	return bits / 8;
}

/*
 * Blocks.
 */

/*
 * The code's lengths are written by a code of their own, which is always the
 * same: four bits for 0 … 14, five for 15 and for many zeros (18).
 */
enum {
	MANY = 18,
	MANY_LEAST = 11,
	MANY_MOST = 138,
};

static void put_length(struct output *to, unsigned int length)
{
	if (length < 15)
		put(to, reversed(length, 4), 4);
	else
		put(to, reversed(30 + (length == MANY), 5), 5);
}

static void put_lengths(struct output *to, const struct code *codes,
			size_t count)
{
	for (size_t i = 0, zeros; i < count; i += zeros ? zeros : 1) {
		for (zeros = 0; zeros < MANY_MOST && i + zeros < count &&
				!codes[i + zeros].length;)
			zeros++;
		if (zeros < MANY_LEAST) {
			zeros = 0;
			put_length(to, codes[i].length);
		} else {
			put_length(to, MANY);
			put(to, (uint32_t)(zeros - MANY_LEAST), 7);
		}
	}
}

static void put_head(struct output *to, const struct code *codes, bool last)
{
	static const uint8_t order[] = { 16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
					 11, 4,  12, 3, 13, 2, 14, 1, 15 };
	size_t count = SYMBOLS;

	while (count > FIRST_LENGTH && !codes[count - 1].length)
		count--;
	put(to, last, 1);
	put(to, 2, 2);
	put(to, (uint32_t)(count - FIRST_LENGTH), 5);
	put(to, 0, 5); /* one distance */
	put(to, sizeof(order) - 4, 4);
	for (size_t i = 0; i < sizeof(order); i++)
		put(to,
		    order[i] < 15                        ? 4
		    : order[i] == 15 || order[i] == MANY ? 5
							 : 0,
		    3);
	put_lengths(to, codes, count);
	put_length(to, 1); /* the distance's */
}

static void put_tokens(struct output *to, const struct plane *p,
		       const struct code *tokens)
{
	size_t i = 0;

	for (; i + 1 < p->count; i += 2) {
		const struct code *a = &tokens[p->tokens[i]];
		const struct code *b = &tokens[p->tokens[i + 1]];

		hold(to, a->bits, a->length);
		hold(to, b->bits, b->length);
		flush(to);
	}
	for (; i < p->count; i++)
		put(to, tokens[p->tokens[i]].bits, tokens[p->tokens[i]].length);
}

static void end_byte(struct output *to)
{
	to->at += to->count > 0;
	to->held = 0;
	to->count = 0;
}

static void put_stored(struct output *to, const struct plane *p, bool last)
{
	for (size_t from = 0; from < p->size; from += STORED_MOST) {
		size_t left = p->size - from;
		size_t n = left < STORED_MOST ? left : STORED_MOST;

		put(to, last && n == left, 3);
		end_byte(to);
		put(to, (uint32_t)n, 16);
		put(to, (uint32_t)~n & 0xffff, 16);
		memcpy(to->at, p->at + from, n);
		to->at += n;
	}
}

static void put_plane(struct output *to, struct plane *p, bool last)
{
	struct code codes[SYMBOLS], tokens[TOKENS];
	uint32_t counts[SYMBOLS];

	find_tokens(p);
	count_symbols(p, counts);
	make_codes(counts, codes);
	code_tokens(codes, tokens);
	if (size_of(p, tokens) >= p->size) {
		put_stored(to, p, last);
		return;
	}
	put_head(to, codes, last);
	put_tokens(to, p, tokens);
}

size_t squeeze_planes_most(size_t size, size_t count)
{
	/* Its head, and what stored blocks take more; flush() writes words. */
	size_t more = 192 + 5 * (size / STORED_MOST + 1);

	return count * (size + more) + 16;
}

size_t squeeze_planes(void *to, const void *from, size_t size, size_t count)
{
	struct output output = { .at = to };
	struct plane p = { .size = size,
			   .tokens = malloc((size + 1) * sizeof(*p.tokens)) };
	uint32_t sum = squeeze_sum(from, size * count);

	if (!p.tokens)
		return 0;
	put(&output, 0x0178, 16); /* the head of RFC 1950 */
	for (size_t i = 0; i < count; i++) {
		p.at = (const uint8_t *)from + i * size;
		put_plane(&output, &p, i + 1 == count);
	}
	end_byte(&output);
	put(&output, __builtin_bswap32(sum), 32);
	free(p.tokens);
	return (size_t)(output.at - (uint8_t *)to);
}
