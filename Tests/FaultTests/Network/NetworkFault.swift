/// What a bad network does to the bytes that pass.
enum NetworkFault: Hashable, Sendable {
    case none
    /// So many connections are cut, each after so many bytes at most from now on.
    case cut(connections: Int, within: Int)
    /// In so many connections one bit of one byte is flipped, after so many bytes at most from now on.
    case corrupt(connections: Int, within: Int)
}
