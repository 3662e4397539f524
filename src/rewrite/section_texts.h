// The files of sections/ as they are, built into cuco by CMake.
#pragma once

#include <string>

namespace cuco::rewrite::texts {

extern const std::string kKnobs, kTypes, kWindows, kMessages, kCollectives, kReductions, kReduceCalls, kOrder, kExact;
extern const std::string kSlices, kPacking, kReduceParts, kReduceStaged, kReduceLoaded, kParts, kPacked, kSubmitParts,
    kRelays, kTracedNumbers, kTracedSlices, kChunks;
extern const std::string kFused, kSubmitFused, kFusedBlocks, kFusedStores, kFusedNetwork, kFusedHybrid, kFusedKernel;
extern const std::string kFusedGrid, kFusedExchange, kReduceRows, kReducing, kSubmitReducing, kReducingParts,
    kReducingLoads, kReducingNetwork, kReducingHybrid, kReducingKernel;
extern const std::string kBlockCounts, kCopyRuns, kSending, kSubmitSending, kSendingBlocks, kSendingStores,
    kSendingNetwork, kSendingHybrid, kSendingKernel, kSendingFlights;
extern const std::string kSpecialised, kSubmitSpecialised, kSpecialisedKernel, kSpecialisedHybrid;
extern const std::string kConsume, kConsumeChunks, kConsumeKernel;
extern const std::string kPieces, kDirect, kLanes, kFlights, kMoveFlights, kReduceFlights, kBeside;
extern const std::string kPlaces, kLsa, kGin, kHybrid, kExchange, kReduce, kWarmUp, kHostDeclared, kHostDefined;

}  // namespace cuco::rewrite::texts
