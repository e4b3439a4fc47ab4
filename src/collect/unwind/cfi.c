/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cfi.c - from the binary search table of .eh_frame_hdr to a frame's rule.
 *
 * Why not libunwind here: see doc/decisions/unwinding.md.  The tests compare
 * every step with libunwind's.
 */
#include <stddef.h>
#include <string.h>

#include "arch/dwarf.h"
#include "arch/frame.h"
#include "collect/unwind/cfi.h"
#include "collect/unwind/loaded-object.h"

enum { /* DW_EH_PE_*: how a pointer is encoded */
	PE_ABSPTR = 0x00,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_PCREL = 0x10,
	PE_DATAREL = 0x30,
	PE_OMIT = 0xff,
};

enum {
	OP_BREG0 =
		0x70 /* DW_OP_breg0 … DW_OP_breg31: a register and a number */
};

/*
 * A reader that never passes its end; through `peek` where the module may be
 * unmapped at any moment.
 */
struct bytes {
	uintptr_t at, end;
	struct safe_read *reader;
	bool bad;
};

SIGSAFE static uint64_t read_value(struct bytes *b, size_t size)
{
	const uint8_t *from = (const uint8_t *)b->at;
	uint64_t value = 0;

	if (b->end - b->at < size ||
	    (b->reader && !safe_read_copy(b->reader, &value, b->at, size))) {
		b->bad = true;
		b->at = b->end;
		return 0;
	}
	for (size_t i = 0; i < size && !b->reader; i++)
		value |= (uint64_t)from[i] << 8 * i;
	b->at += size;
	return value;
}

SIGSAFE static uint64_t take_leb(struct bytes *b, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = read_value(b, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !b->bad);
	if (is_signed && shift < 64 && byte & 0x40)
		value |= ~(uint64_t)0 << shift;
	return value;
}

#define uleb(b) take_leb((b), false)
#define sleb(b) ((int64_t)take_leb((b), true))

SIGSAFE static void skip_bytes(struct bytes *b, uint64_t size)
{
	if (b->end - b->at < size) {
		b->bad = true;
		b->at = b->end;
		return;
	}
	b->at += size;
}

/* An encoded pointer; `data` is what DW_EH_PE_datarel is relative to. */
SIGSAFE static uint64_t take_pointer(struct bytes *b, uint8_t encoding,
				     uintptr_t data)
{
	uintptr_t here = b->at;
	uint64_t value;

	switch (encoding & 0x0f) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		value = read_value(b, 8);
		break;
	case PE_UDATA4:
		value = read_value(b, 4);
		break;
	case PE_SDATA4:
		value = (uint64_t)(int64_t)(int32_t)read_value(b, 4);
		break;
	default:
		b->bad = true;
		return 0;
	}
	switch (encoding & 0x70) {
	case 0:
		return value;
	case PE_PCREL:
		return value + here;
	case PE_DATAREL:
		return value + data;
	default:
		b->bad = true;
		return 0;
	}
}

/* A CIE, as far as its FDEs need it. */
struct cie {
	struct bytes program;
	uint64_t code_align;
	int64_t data_align;
	uint8_t fde_encoding;
	bool augmented, signal_frame;
};

SIGSAFE static void read_augmentation(struct cie *cie, struct bytes *b,
				      struct bytes letters)
{
	struct bytes data = *b;
	uint64_t size;
	char letter;

	if (read_value(&letters, 1) != 'z')
		return;
	size = uleb(&data);
	cie->augmented = true;
	*b = data;
	skip_bytes(b, size);
	while ((letter = (char)read_value(&letters, 1)) && !data.bad) {
		if (letter == 'R')
			cie->fde_encoding = (uint8_t)read_value(&data, 1);
		else if (letter == 'P')
			take_pointer(&data,
				     (uint8_t)read_value(&data, 1) & 0x0f, 0);
		else if (letter == 'L')
			read_value(&data, 1);
		else if (letter == 'S')
			cie->signal_frame = true;
		else
			return;
	}
}

/* At the length that begins a record; false: no record, or a wide one. */
SIGSAFE static bool open_record(struct bytes *b, uintptr_t at,
				struct safe_read *reader)
{
	uint32_t length;

	*b = (struct bytes){ at, at + 4, reader, false };
	length = (uint32_t)read_value(b, 4);
	b->end = at + 4 + length;
	return length && length != 0xffffffff;
}

SIGSAFE static bool read_cie(struct cie *cie, uintptr_t at,
			     struct safe_read *reader)
{
	struct bytes b, letters;
	uint8_t version;

	if (!open_record(&b, at, reader) || read_value(&b, 4))
		return false;
	version = (uint8_t)read_value(&b, 1);
	letters = b;
	while (read_value(&b, 1) && !b.bad)
		;
	cie->code_align = uleb(&b);
	cie->data_align = sleb(&b);
	if (version == 1)
		read_value(&b, 1);
	else
		uleb(&b);
	cie->fde_encoding = PE_ABSPTR;
	cie->augmented = cie->signal_frame = false;
	read_augmentation(cie, &b, letters);
	cie->program = b;
	return !b.bad;
}

/* The rules of one row of the table that a CIE and an FDE describe. */
struct row {
	uint8_t cfa; /* enum cfi_cfa; CFI_NONE: not set yet */
	uint8_t cfa_register;
	bool no_return, sp_moved, data_saved[DWARF_THROWN + 1];
	int64_t cfa_offset;
	struct bytes expression;
	struct cfi_saved pc, fp, other;
};

struct machine {
	struct row row, initial, saved[4];
	unsigned int depth, other; /* other: DWARF number of that register */
	uint64_t loc, pc;
	uint64_t end; /* of the row that begins at loc */
	const struct cie *cie;
};

SIGSAFE static void set_cfa(struct row *row, uint64_t reg)
{
	row->cfa = reg == DWARF_SP   ? CFI_SP
		   : reg == DWARF_FP ? CFI_FP
		   : reg < DWARF_PC  ? CFI_REGISTER
				     : CFI_BAD;
	row->cfa_register = (uint8_t)reg;
}

/* Where a row keeps what it says of a register; NULL: nobody asks. */
SIGSAFE static struct cfi_saved *
saved_register_of_row(const struct machine *m, struct row *row, uint64_t reg)
{
	return reg == DWARF_FP       ? &row->fp
	       : reg == DWARF_RETURN ? &row->pc
	       : reg == m->other     ? &row->other
				     : NULL;
}

SIGSAFE static void set_saved(struct machine *m, uint64_t reg, uint8_t where,
			      int64_t offset)
{
	struct cfi_saved *saved = saved_register_of_row(m, &m->row, reg);

	if (reg == DWARF_SP)
		m->row.sp_moved = true;
	if (reg == DWARF_RETURN)
		m->row.no_return = false;
	if (reg <= DWARF_THROWN)
		m->row.data_saved[reg] = true;
	if (saved)
		*saved = (struct cfi_saved){ where, (int32_t)offset };
}

/* An undefined return address says that there is no caller. */
SIGSAFE static void set_undefined(struct machine *m, uint64_t reg)
{
	if (reg == DWARF_RETURN)
		m->row.no_return = true;
	else if (reg != DWARF_FP)
		set_saved(m, reg, CFI_LOST, 0);
}

SIGSAFE static void restore_register(struct machine *m, uint64_t reg)
{
	struct cfi_saved *to = saved_register_of_row(m, &m->row, reg);

	if (to)
		*to = *saved_register_of_row(m, &m->initial, reg);
	if (reg == DWARF_RETURN)
		m->row.no_return = m->initial.no_return;
}

/*
 * A register saved where an expression says: gcc writes those of a realigned
 * frame so, as "fp + offset".
 */
SIGSAFE static void set_expression(struct machine *m, struct bytes *b)
{
	uint64_t reg = uleb(b), size = uleb(b);
	struct bytes e = *b;
	int64_t offset;
	bool at_fp;

	skip_bytes(b, size);
	e.end = b->at;
	at_fp = read_value(&e, 1) == OP_BREG0 + DWARF_FP;
	offset = sleb(&e);
	at_fp &= e.at == e.end && !e.bad;
	set_saved(m, reg, at_fp ? CFI_AT_FP : CFI_LOST, offset);
}

SIGSAFE static void remember_row(struct machine *m)
{
	if (m->depth < 4)
		m->saved[m->depth] = m->row;
	m->depth++;
}

SIGSAFE static void recall_row(struct machine *m, struct bytes *b)
{
	if (!m->depth || m->depth > 4) {
		b->bad = true;
		return;
	}
	m->row = m->saved[--m->depth];
}

/* The operations that change the CFA. */
SIGSAFE static bool step_cfa(struct machine *m, struct bytes *b, uint8_t op)
{
	uint64_t size;

	switch (op) {
	case 0x0c: /* def_cfa */
		set_cfa(&m->row, uleb(b));
		m->row.cfa_offset = (int64_t)uleb(b);
		return true;
	case 0x0d: /* def_cfa_register */
		set_cfa(&m->row, uleb(b));
		return true;
	case 0x0e: /* def_cfa_offset */
		m->row.cfa_offset = (int64_t)uleb(b);
		return true;
	case 0x0f: /* def_cfa_expression */
		size = uleb(b);
		m->row.cfa = CFI_EXPRESSION;
		m->row.cfa_offset = 0;
		m->row.expression = *b;
		skip_bytes(b, size);
		m->row.expression.end = b->at;
		return true;
	case 0x12: /* def_cfa_sf */
		set_cfa(&m->row, uleb(b));
		m->row.cfa_offset = sleb(b) * m->cie->data_align;
		return true;
	case 0x13: /* def_cfa_offset_sf */
		m->row.cfa_offset = sleb(b) * m->cie->data_align;
		return true;
	default:
		return false;
	}
}

/* Signatures are not checked, so that it does not matter who has signed. */
SIGSAFE static void step_signing(struct bytes *b, uint8_t op)
{
	int operands = dwarf_signing_operands(op);

	b->bad |= operands < 0;
	while (operands-- > 0)
		uleb(b);
}

/* The operations on other registers. */
SIGSAFE static void step_register(struct machine *m, struct bytes *b,
				  uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case 0x05: /* offset_extended */
		reg = uleb(b);
		set_saved(m, reg, CFI_AT_CFA,
			  (int64_t)uleb(b) * m->cie->data_align);
		break;
	case 0x06: /* restore_extended */
		restore_register(m, uleb(b));
		break;
	case 0x07: /* undefined */
		set_undefined(m, uleb(b));
		break;
	case 0x08: /* same_value */
		set_saved(m, uleb(b), CFI_SAME, 0);
		break;
	case 0x09: /* register: as in vfork() */
		reg = uleb(b);
		set_saved(m, reg, CFI_IN_REGISTER, (int64_t)uleb(b));
		break;
	case 0x11: /* offset_extended_sf */
		reg = uleb(b);
		set_saved(m, reg, CFI_AT_CFA, sleb(b) * m->cie->data_align);
		break;
	case 0x10: /* expression */
		set_expression(m, b);
		break;
	case 0x14: /* val_offset */
		set_saved(m, uleb(b), CFI_LOST, 0);
		uleb(b);
		break;
	case 0x16: /* val_expression */
		set_saved(m, uleb(b), CFI_LOST, 0);
		skip_bytes(b, uleb(b));
		break;
	case 0x2e: /* GNU_args_size */
		uleb(b);
		break;
	case 0x00: /* nop */
		break;
	default:
		step_signing(b, op);
	}
}

/* True while the location has not passed the pc. */
SIGSAFE static bool move_to(struct machine *m, uint64_t to)
{
	if (to > m->pc) {
		m->end = to;
		return false;
	}
	m->loc = to;
	return true;
}

SIGSAFE static bool advance_location(struct machine *m, uint64_t by)
{
	return move_to(m, m->loc + by * m->cie->code_align);
}

SIGSAFE static bool run_instruction(struct machine *m, struct bytes *b)
{
	uint8_t op = (uint8_t)read_value(b, 1);
	uint8_t low = op & 0x3f;

	switch (op >> 6) {
	case 1: /* advance_loc */
		return advance_location(m, low);
	case 2: /* offset */
		set_saved(m, low, CFI_AT_CFA,
			  (int64_t)uleb(b) * m->cie->data_align);
		return true;
	case 3: /* restore */
		restore_register(m, low);
		return true;
	default:
		break;
	}
	switch (op) {
	case 0x01: /* set_loc */
		return move_to(m, take_pointer(b, m->cie->fde_encoding, 0));
	case 0x02: /* advance_loc1, 2, 4 */
		return advance_location(m, read_value(b, 1));
	case 0x03:
		return advance_location(m, read_value(b, 2));
	case 0x04:
		return advance_location(m, read_value(b, 4));
	case 0x0a:
		remember_row(m);
		return true;
	case 0x0b:
		recall_row(m, b);
		return true;
	default:
		if (!step_cfa(m, b, op))
			step_register(m, b, op);
		return true;
	}
}

SIGSAFE static void lower_saved(struct cfi_saved *saved, int32_t by)
{
	if (saved->where == CFI_AT_CFA)
		saved->offset -= by;
}

/*
 * The loader's resolver of symbols leaves out what a linkage table's first
 * entry pushes, the return address last, where calls push nothing.
 */
SIGSAFE static void raise_cfa(struct cfi_rule *rule)
{
	int32_t by = rule->pc.offset + (int32_t)sizeof(uintptr_t);

	if (FRAME_PUSHED > 0 || rule->pc.where != CFI_AT_CFA || by <= 0)
		return;
	rule->cfa_offset += by;
	lower_saved(&rule->pc, by);
	lower_saved(&rule->fp, by);
	lower_saved(&rule->other, by);
}

/* Only who jumps into a handler has to keep what it hands over; who keeps more
 * stands in front of functions with arguments. */
SIGSAFE static bool hands_over(const struct row *row)
{
	for (int i = 0; i < DWARF_THROWN; i++)
		if (!row->data_saved[i])
			return false;
	return !row->data_saved[DWARF_THROWN];
}

SIGSAFE static void finish_rule(struct cfi_rule *rule, struct row *row,
				bool bad)
{
	uint64_t size = row->expression.end - row->expression.at;

	rule->cfa = row->cfa;
	rule->cfa_register = row->cfa_register;
	rule->cfa_offset = (int32_t)row->cfa_offset;
	rule->pc = row->pc;
	rule->fp = row->fp;
	rule->other = row->other;
	rule->rewrites = hands_over(row);
	raise_cfa(rule);
	if (row->cfa == CFI_EXPRESSION && size <= CFI_EXPRESSION_MOST) {
		rule->expression_size = (uint8_t)size;
		for (uint64_t i = 0; i < size; i++)
			rule->expression[i] =
				(uint8_t)read_value(&row->expression, 1);
		bad |= row->expression.bad;
	} else if (row->cfa == CFI_EXPRESSION) {
		bad = true;
	}
	if (row->no_return)
		rule->cfa = CFI_END;
	else if (bad || row->sp_moved || row->cfa == CFI_NONE ||
		 (row->pc.where != CFI_AT_CFA &&
		  row->pc.where != CFI_IN_REGISTER))
		rule->cfa = CFI_BAD;
}

SIGSAFE static void run_cfi_program(struct cfi_rule *rule, struct machine *m,
				    struct bytes *program)
{
	struct bytes first = m->cie->program;
	uint64_t start = m->loc, end = m->end;

	m->row.pc = (struct cfi_saved)DWARF_RETURN_RULE;
	while (first.at < first.end && !first.bad)
		run_instruction(m, &first);
	m->initial = m->row;
	m->loc = start;
	m->end = end;
	while (program->at < program->end && !program->bad)
		if (!run_instruction(m, program))
			break;
	finish_rule(rule, &m->row, first.bad || program->bad);
}

SIGSAFE static int32_t table_entry(const struct bytes *table, uint64_t i)
{
	struct bytes b = *table;

	b.at += 4 * i;
	b.end = b.at + 4;
	return (int32_t)read_value(&b, 4);
}

/* The FDE whose start is the last one not above pc, or 0. */
SIGSAFE static uintptr_t search_table(uintptr_t header, uintptr_t pc,
				      struct safe_read *reader)
{
	struct bytes b = { header, header + 32, reader, false };
	uint8_t frame, count_encoding, table;
	uint64_t low = 0, high;
	int64_t wanted = (int64_t)(pc - header);

	if (read_value(&b, 1) != 1)
		return 0;
	frame = (uint8_t)read_value(&b, 1);
	count_encoding = (uint8_t)read_value(&b, 1);
	table = (uint8_t)read_value(&b, 1);
	if (count_encoding == PE_OMIT || table != (PE_DATAREL | PE_SDATA4))
		return 0;
	take_pointer(&b, frame, header);
	high = take_pointer(&b, count_encoding, header);
	if (b.bad || !high || wanted < table_entry(&b, 0))
		return 0;
	while (high - low > 1) {
		uint64_t middle = (low + high) / 2;

		if (table_entry(&b, 2 * middle) <= wanted)
			low = middle;
		else
			high = middle;
	}
	return header + (uintptr_t)(intptr_t)table_entry(&b, 2 * low + 1);
}

SIGSAFE void cfi_find(struct cfi_rule *rule, uintptr_t pc,
		      const struct loaded_object *object,
		      struct safe_read *reader, unsigned int other)
{
	uintptr_t header = object->eh_frame, at;
	struct machine m = { .pc = pc, .other = other };
	struct bytes b;
	uint32_t back;
	uint64_t size;
	struct cie cie;

	memset(rule, 0, sizeof(*rule));
	at = header ? search_table(header, pc, reader) : 0;
	if (!at || !open_record(&b, at, reader))
		return;
	back = (uint32_t)read_value(&b, 4);
	if (!back || !read_cie(&cie, at + 4 - back, reader))
		return;
	m.loc = take_pointer(&b, cie.fde_encoding, 0);
	size = take_pointer(&b, cie.fde_encoding & 0x0f, 0);
	if (b.bad || pc < m.loc || pc - m.loc >= size)
		return;
	if (cie.augmented)
		skip_bytes(&b, uleb(&b));
	m.cie = &cie;
	m.end = m.loc + size;
	rule->function = m.loc;
	if (cie.signal_frame)
		rule->cfa = CFI_SIGNAL;
	else
		run_cfi_program(rule, &m, &b);
	rule->low = m.loc;
	rule->high = m.end;
}

/* The stack machine of DWARF expressions, as far as CFAs use it. */
struct evaluation {
	uint64_t stack[8];
	unsigned int depth;
	const struct cfi_frame *frame;
	bool (*read)(void *from, uintptr_t at, uintptr_t *to);
	void *from;
	uintptr_t slot;
};

SIGSAFE static void push_value(struct evaluation *e, struct bytes *b,
			       uint64_t value)
{
	if (e->depth == 8)
		b->bad = true;
	else
		e->stack[e->depth++] = value;
}

SIGSAFE static void push_register(struct evaluation *e, struct bytes *b,
				  unsigned int reg)
{
	uint64_t offset = (uint64_t)sleb(b);

	if (reg == DWARF_FP)
		push_value(e, b, e->frame->fp + offset);
	else if (reg == DWARF_SP)
		push_value(e, b, e->frame->sp + offset);
	else if (reg == DWARF_PC)
		push_value(e, b, e->frame->pc + offset);
	else
		b->bad = true;
}

SIGSAFE static void binary_operation(struct evaluation *e, struct bytes *b,
				     uint8_t op)
{
	uint64_t x, y;

	if (e->depth < 2) {
		b->bad = true;
		return;
	}
	y = e->stack[--e->depth];
	x = e->stack[e->depth - 1];
	switch (op) {
	case 0x1a: /* and */
		x &= y;
		break;
	case 0x1c: /* minus */
		x -= y;
		break;
	case 0x22: /* plus */
		x += y;
		break;
	case 0x24: /* shl */
		x = y < 64 ? x << y : 0;
		break;
	case 0x2a: /* ge */
		x = (int64_t)x >= (int64_t)y;
		break;
	default:
		b->bad = true;
	}
	e->stack[e->depth - 1] = x;
}

SIGSAFE static void dereference_top(struct evaluation *e, struct bytes *b)
{
	uintptr_t value = 0;

	if (!e->depth || e->slot) {
		b->bad = true;
		return;
	}
	e->slot = e->stack[e->depth - 1];
	if (!e->read(e->from, e->slot, &value))
		b->bad = true;
	e->stack[e->depth - 1] = value;
}

SIGSAFE static void run_operation(struct evaluation *e, struct bytes *b,
				  uint8_t op)
{
	if (op >= 0x30 && op <= 0x4f) /* lit0 … lit31 */
		push_value(e, b, op - 0x30u);
	else if (op >= OP_BREG0 && op <= OP_BREG0 + 31)
		push_register(e, b, op - (unsigned int)OP_BREG0);
	else if (op == 0x06) /* deref */
		dereference_top(e, b);
	else if (op == 0x08) /* const1u */
		push_value(e, b, read_value(b, 1));
	else if (op == 0x23 && e->depth) /* plus_uconst */
		e->stack[e->depth - 1] += uleb(b);
	else
		binary_operation(e, b, op);
}

SIGSAFE bool cfi_evaluate(const struct cfi_rule *rule,
			  const struct cfi_frame *frame,
			  bool (*read)(void *from, uintptr_t at, uintptr_t *to),
			  void *from, uintptr_t *cfa, uintptr_t *slot)
{
	uintptr_t start = (uintptr_t)rule->expression;
	struct bytes b = { start, start + rule->expression_size, NULL, false };
	struct evaluation e = { .frame = frame, .read = read, .from = from };

	while (b.at < b.end && !b.bad)
		run_operation(&e, &b, (uint8_t)read_value(&b, 1));
	if (b.bad || e.depth != 1)
		return false;
	*cfa = e.stack[0];
	*slot = e.slot;
	return true;
}
