// Everything that depends on the version of NCCL: 2.28 and 2.30.
#pragma once

#include <nccl.h>

// Programs have variables of the name that NCCL's device headers give to a namespace of theirs.
#define nccl cuco_names_of_nccl
#include <nccl_device.h>
#undef nccl

namespace cuco::comm {

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 30, 0)
inline ncclDevCommRequirements no_requirements() { return NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER; }
inline void connect_all(ncclDevCommRequirements& needs) { needs.ginConnectionType = NCCL_GIN_CONNECTION_FULL; }
inline void require_strong_signals(ncclDevCommRequirements& needs) { needs.ginStrongSignalsRequired = true; }
using SignalAdd = ncclGin_WeakSignalAdd;            // Covers the put it rides on.
using CoveringSignalAdd = ncclGin_StrongSignalAdd;  // Covers every put before it to that peer.
#else
inline ncclDevCommRequirements no_requirements() { return {}; }
inline void connect_all(ncclDevCommRequirements&) {}
inline void require_strong_signals(ncclDevCommRequirements&) {}
using SignalAdd = ncclGin_SignalAdd;
using CoveringSignalAdd = ncclGin_SignalAdd;
#endif

}  // namespace cuco::comm
