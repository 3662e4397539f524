// nvcc takes whatever initialises a parameter between <<< and >>>: `<<<grid, {32, 8, 1}, 0, stream>>>`. Clang's parser
// takes expressions only. Its input is therefore a text of the same length, in which parentheses stand for those braces,
// so that every place in it is one of the user's text.
#pragma once

#include <string>
#include <vector>

namespace clang {
class Expr;
}

namespace cuco::frontend {

// `{a, b}` as an argument of a launch becomes `(a, b)`, and `{}` a number: 1 for the two shapes, else 0.
std::string without_launch_braces(std::string text);

// What stands between such braces: the operands of the comma operators that Clang has made of them. Of any other
// expression, itself.
std::vector<const clang::Expr*> braced_parts(const clang::Expr* argument);

}  // namespace cuco::frontend
