/* SPDX-License-Identifier: BSD-3-Clause */
/* brief.c - long names in few words. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/paths/brief.h"
#include "tests/lib/test.h"

static bool is(const char *name, const char *wanted)
{
	char *text = brief_name(name);
	bool same = text && !strcmp(text, wanted);

	if (!same)
		fprintf(stderr, "# %s: %s\n", name, text);
	free(text);
	return same;
}

TEST(arguments_are_left_out_and_scopes_are_not)
{
	CHECK(is("solve", "solve"));
	CHECK(is("mesh::smooth(double*, int)", "mesh::smooth"));
	CHECK(is("at::native::(anonymous namespace)::f", "at::native::f"));
	CHECK(is("(anonymous namespace)::f(int)::{lambda(int)#2}::operator()",
		 "f::{lambda#2}"));
	CHECK(is("call::{lambda}::operator()", "call::{lambda}"));
	CHECK(is("main.(*Server).serve", "main.(*Server).serve"));
	CHECK(is("(no call path)", "(no call path)"));
	CHECK(is("", ""));
}

TEST(functions_of_c_are_what_their_callers_know)
{
	static const char *const names[][2] = {
		{ "__exp_fma", "exp" },
		{ "__ieee754_pow_fma", "pow" },
		{ "__memcpy_avx_unaligned_erms", "memcpy" },
		{ "__vfprintf_internal", "vfprintf" },
		{ "_int_malloc", "_int_malloc" },
		{ "__", "__" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *text = brief_c_name(names[i][0]);

		CHECK(text);
		CHECK(text, ==, names[i][1]);
		free(text);
	}
}

TEST(functions_of_fortran_have_no_underscore_behind)
{
	CHECK(is("zgemm_", "zgemm"));
	CHECK(is("MPI_", "MPI_"));
	CHECK(is("_exit_", "_exit_"));
	CHECK(is("a::b_", "a::b_"));
}

TEST(operators_keep_their_brackets)
{
	CHECK(is("Sum::operator()", "Sum::operator()"));
	CHECK(is("Sum::operator()(int) const", "Sum::operator() const"));
	CHECK(is("operator<< <int>(A<int>)", "operator<< <int>"));
	CHECK(is("A<int>::operator->()", "A<int>::operator->"));
	CHECK(is("A::operator>", "A::operator>"));
	CHECK(is("A::operator[](int)", "A::operator[]"));
}

TEST(types_of_functions_stay_in_template_arguments)
{
	CHECK(is("std::function<double (double)>::operator()",
		 "function<double (double)>::operator()"));
}

TEST(containers_are_what_their_programmer_wrote)
{
	CHECK(is("std::vector<double, std::allocator<double> >::push_back",
		 "vector<double>::push_back"));
	CHECK(is("std::_Rb_tree<int, std::pair<int const, std::vector<double, "
		 "std::allocator<double> > >, std::_Select1st<std::pair<int "
		 "const, std::vector<double, std::allocator<double> > > >, "
		 "std::less<int>, std::allocator<std::pair<int const, "
		 "std::vector<double, std::allocator<double> > > > >::_M_copy",
		 "map<int, vector<double>>::_M_copy"));
	CHECK(is("std::_Rb_tree<long, long, std::_Identity<long>, "
		 "std::less<long>, std::allocator<long> >::_M_erase",
		 "set<long>::_M_erase"));
	CHECK(is("std::_Hashtable<std::__cxx11::basic_string<char, std::"
		 "char_traits<char>, std::allocator<char> >, std::pair<std::"
		 "__cxx11::basic_string<char, std::char_traits<char>, std::"
		 "allocator<char> > const, int>, std::allocator<int> >::clear",
		 "unordered_map<string, int>::clear"));
	CHECK(is("std::__cxx11::basic_string<char, std::char_traits<char>, "
		 "std::allocator<char> >::_M_append",
		 "string::_M_append"));
	CHECK(is("Table<std::allocator<int> >::get",
		 "Table<std::allocator<int>>::get"));
	CHECK(is("std::sort<int*>", "std::sort<int*>"));
}

TEST(long_names_lose_what_says_least)
{
	CHECK(is("std::_Function_handler<double (double), at::native::call("
		 "double, long)::{lambda(double)#2}>::_M_invoke",
		 "std::_Function_handler<…>::_M_invoke"));
	CHECK(is("at::native::vectorized_elementwise_kernel<4, at::native::"
		 "FillFunctor<float>, std::array<char*, 1ul> >",
		 "at::native::vectorized_elementwise_kernel<4, at::"
		 "native::F…>"));
	CHECK(is("sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_"
		 "warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
		 "sm90_xmma_gemm_f32f32_tf32f32…egment_k_off_kernel__5x_"
		 "cublas"));
}

TEST(any_bytes_are_taken)
{
	const char bytes[] = "(<{[)>}]:operator-";
	char name[80];

	for (unsigned int i = 0; i < 100000; i++) {
		unsigned int x = i * 2654435761u;
		size_t size = i % (sizeof(name) - 1);
		char *text;

		for (size_t c = 0; c < size; c++, x = x * 1664525 + 1013904223)
			name[c] = bytes[(x >> 16) % (sizeof(bytes) - 1)];
		name[size] = 0;
		text = brief_name(name);
		CHECK(text);
		CHECK(strlen(text), <=, 64);
		free(text);
	}
}
