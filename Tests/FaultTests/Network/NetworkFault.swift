/// The fault that a bad network applies to the bytes that pass.
enum NetworkFault: Hashable, Sendable {
    case none
    /// Cuts `connections` connections, each within the next `within` bytes.
    case cut(connections: Int, within: Int)
    /// Flips one bit in each of `connections` connections, within the next `within` bytes.
    case corrupt(connections: Int, within: Int)
}
