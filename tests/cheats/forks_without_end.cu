// expect: text forbidden
// Starts processes until the machine gives up.
//--- step
while (fork() >= 0) {
}
