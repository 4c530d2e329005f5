extension HTTPClient {
    /// Asks for a WebSocket, with the example's key of RFC 6455 and additional headers. Returns the head of the
    /// answer.
    package func openWebSocket(
        _ path: String, host: String, _ headers: [String: String] = [:]
    ) throws -> (status: Int, headers: [String: String]) {
        var all = [
            "Host": host, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        ]
        all.merge(headers) { $1 }
        let lines = ["GET \(path) HTTP/1.1"] + all.map { "\($0.key): \($0.value)" }
        send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return try head()
    }

    /// Returns a client's frame of a WebSocket. Its first byte has the flags and the opcode: 0x82 is a whole
    /// binary message. Its length has the shortest form, and its mask the 4 bytes of `key`, by default those of
    /// RFC 6455's examples.
    package static func masked(
        _ content: [UInt8], first: UInt8 = 0x82, key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    ) -> [UInt8] {
        frameHead(first, content.count, flag: 0x80) + key
            + content.enumerated().map { $0.element ^ key[$0.offset % 4] }
    }

    /// Returns a server's frame of a WebSocket. Its length has the shortest form.
    package static func unmasked(_ content: [UInt8], first: UInt8) -> [UInt8] {
        frameHead(first, content.count, flag: 0) + content
    }

    private static func frameHead(_ first: UInt8, _ count: Int, flag: UInt8) -> [UInt8] {
        let wide = (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
        switch count {
        case ..<126: return [first, flag | wide[7]]
        case ..<65_536: return [first, flag | 126] + wide.suffix(2)
        default: return [first, flag | 127] + wide
        }
    }

    /// Sends a frame of a WebSocket.
    package func sendFrame(_ content: [UInt8], first: UInt8 = 0x82) {
        send(bytes: HTTPClient.masked(content, first: first))
    }

    /// A server's frame of a WebSocket.
    package struct Frame: Hashable {
        /// The byte with the flags and the opcode.
        package let first: UInt8
        package let content: [UInt8]

        package init(_ first: UInt8, _ content: [UInt8]) {
            self.first = first
            self.content = content
        }
    }

    /// Reads the server's next frame of a WebSocket.
    package func frame() throws -> Frame {
        let start = try bytes(2)
        let extra = start[1] < 126 ? 0 : start[1] == 126 ? 2 : 8
        let length = try bytes(extra).reduce(0) { $0 << 8 | Int($1) }
        return Frame(start[0], try bytes(extra == 0 ? Int(start[1]) : length))
    }
}
