// What the virtual cluster does not offer, in words that help: which names belong to libraries it stands in for, and
// what to use instead.
#pragma once

#include <string>
#include <string_view>

namespace cuco::lowering {

// A function, type or macro of CUDA, NCCL, MPI or one of NVIDIA's other libraries, by its name.
bool is_library_name(std::string_view name);

// "NAME is not supported on the virtual cluster: what to use instead".
std::string refusal_of(std::string_view name);

// The same for a PTX instruction, named by its text.
std::string ptx_refusal(std::string_view instruction);

// Clang's message about a name it does not know, as a refusal when the name is a library's; else unchanged.
std::string reworded(std::string message);

}  // namespace cuco::lowering
