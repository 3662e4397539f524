
// What comes with sends of kernels is left to those who read it. All of it is on the stream of the call: the place of a
// message is announced by a launch behind all that touched it, and who reads it starts behind the launches that sent.
inline void join_targets(Pending& call) {
  Departure out = {call, channel_of(call.comm), call.stream, call.stream};
  make_room();
  out.prepare_for(together(out.targets(), uses_of(out, call.work)), out.receipts());
}
inline void leave_receives(Pending& call) {
  Departure out = {call, channel_of(call.comm), call.stream, call.stream};
  for (const Message& message : call.work.receives) {
    Flight one = out.flight({out.use_of(message, true)});
    one.receipts = {out.receipt_of(message)};
    one.rest = kAwaits;
    one.awaited = {message};
    one.end = call.way.kernel;
    add_flight(std::move(one));
  }
}
