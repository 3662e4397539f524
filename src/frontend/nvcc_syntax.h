// What nvcc takes and Clang's parser does not. The parser's input is a text of the same length in which something that it
// takes stands for it, so that every place in it is one of the user's text.
//   <<<grid, {32, 8, 1}, 0, stream>>>   whatever initialises a parameter; Clang takes expressions only
//   __shared__ alignas(16) float t[8]   alignas behind an attribute; Clang takes it before all specifiers only
#pragma once

#include <string>
#include <vector>

namespace clang {
class Expr;
}

namespace cuco::frontend {

// `{a, b}` as an argument of a launch becomes `(a, b)`, and `{}` a number: 1 for the two shapes, else 0. Where alignas
// stands behind an attribute, blanks do.
std::string as_clang_parses(std::string text);

// For code that is compiled: alignas behind an attribute in C's spelling, which is taken anywhere among the specifiers.
std::string with_alignas_of_c(const std::string& text);

// What stands between such braces: the operands of the comma operators that Clang has made of them. Of any other
// expression, itself.
std::vector<const clang::Expr*> braced_parts(const clang::Expr* argument);

}  // namespace cuco::frontend
