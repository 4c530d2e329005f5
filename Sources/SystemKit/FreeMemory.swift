/// Gives memory that was freed, and that the C library keeps for later, back to the system. Where the library gives all back
/// by itself, or can't be asked, nothing is done.
///
/// Takes a millisecond or so where there is much of it.
package func returnFreeMemory() {
    // Not in the headers that Swift reads: malloc_trim(3).
    guard let trim = dlsym(nil, "malloc_trim") else { return }
    typealias Trim = @convention(c) (Int) -> Int32
    _ = unsafeBitCast(trim, to: Trim.self)(0)
}
