import WASILibc

/// The program's standard input.
struct StandardInput {
    private var unread: [UInt8] = []

    /// Removes the next line and returns it without its end; nil if there is none.
    mutating func line() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard readMore() else { return nil }
        }
    }

    /// Removes all bytes that are left, and returns them.
    mutating func rest() -> [UInt8] {
        while readMore() {}
        defer { unread = [] }
        return unread
    }

    /// Waits for more bytes. Returns false at the end.
    private mutating func readMore() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        unread += buffer.prefix(max(0, count))
        return count > 0
    }
}
