// What the analysis of device code asks of Clang's types and names.
#pragma once

#include "frontend/clang_headers.h"

namespace cuco::frontend {

enum class Carrier : uint8_t {
  None,     // Cannot hold an address: floats, narrow integers.
  Address,  // Pointers; types that are not known, as in a template that nothing instantiates.
  Integer,  // Wide enough for an address.
  Object,   // Classes and arrays: addresses lie at the paths inside.
};

// Of the type itself, or of what it refers to.
Carrier carrier_of(clang::QualType type, const clang::ASTContext& context);

// "ncclGin_BackendMask::put": enclosing classes and namespaces, no template arguments, no inline namespaces.
std::string qualified_name(const clang::NamedDecl* declaration);

// The name of a field as a step of a Place. Captures of a lambda go by the variable's name; empty for what has no name
// of its own, and for members of a union, which share their memory.
std::string_view step_name(const clang::FieldDecl* field);

// The field of a closure object that holds the enclosing object's address, or a copy of the object.
inline constexpr std::string_view kCapturedThis = "this";

// Whether its value has to be loaded. Before instantiation Clang calls some such expressions prvalues.
bool designates_memory(const clang::Expr* expression);

bool is_assignment(const clang::Expr* expression);

// The class that `type` is, refers to or is an array of; null for others.
const clang::RecordDecl* record_of(clang::QualType type);

}  // namespace cuco::frontend
