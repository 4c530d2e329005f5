/// A file, or standard input, read piece by piece.
package struct ByteSource {
    private let read: () throws(SystemError) -> [UInt8]

    /// - Parameter read: Gives the next bytes, none at the end.
    package init(_ read: @escaping () throws(SystemError) -> [UInt8]) { self.read = read }

    /// The next bytes; none at the end.
    package func next() throws(SystemError) -> [UInt8] { try read() }

    /// All bytes that are left.
    package func rest() throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let piece = try next()
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }
}
