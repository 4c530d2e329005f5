/// Gives freed memory, which the C library keeps for later use, back to the system. Does nothing if the
/// library gives it back by itself or has no such function. Takes about a millisecond if there is much
/// memory.
package func returnFreeMemory() {
    // malloc_trim(3) isn't in the headers that Swift reads.
    guard let trim = dlsym(nil, "malloc_trim") else { return }
    typealias Trim = @convention(c) (Int) -> Int32
    _ = unsafeBitCast(trim, to: Trim.self)(0)
}
