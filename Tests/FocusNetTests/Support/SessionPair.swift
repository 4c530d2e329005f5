import Testing

@testable import FocusNet

/// A session with its own output, for tests without sockets.
final class SessionEnd {
    let session: TLSSession
    private let output = ByteBuffer()

    init(_ role: TLSSession.Role, _ context: TLSContext) throws {
        session = try TLSSession(role, context: context, output: output)
    }

    /// Returns the output since the last call.
    func takeOutput() -> [UInt8] {
        defer { output.removeAll() }
        return Array(output.bytes)
    }

    /// Gives the session `bytes` during `body`, which must consume all of them.
    func with<Result>(_ bytes: [UInt8], _ body: (TLSSession) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes { input in
            session.input = input
            defer {
                #expect(session.input.isEmpty)
                session.input = UnsafeRawBufferPointer(start: nil, count: 0)
            }
            return try body(session)
        }
    }

    /// Decrypts `bytes` as far as they go.
    func opened(_ bytes: [UInt8], room: Int = 64 * 1024) throws -> (
        plain: [UInt8], end: TLSSession.Opened.End
    ) {
        try with(bytes) { session in
            var plain: [UInt8] = []
            let target = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
            defer { target.deallocate() }
            while true {
                let opened = try session.open(into: target)
                plain += target.prefix(opened.count)
                if opened.end != .full { return (plain, opened.end) }
            }
        }
    }

    /// Encrypts bytes for the other side.
    func sealed(_ plain: [UInt8]) throws -> [UInt8] {
        try plain.withUnsafeBytes { try session.seal($0) }
        return takeOutput()
    }
}

/// Runs the handshake of two sessions, and returns whether both completed it.
func shakeHands(client: SessionEnd, server: SessionEnd, piece: Int = .max) throws -> Bool {
    var isClientDone = false
    var isServerDone = false
    var toClient: [UInt8] = []
    for _ in 0..<10 {
        if !isClientDone { isClientDone = try inPieces(toClient, piece, client) }
        let toServer = client.takeOutput()
        if !isServerDone { isServerDone = try inPieces(toServer, piece, server) }
        toClient = server.takeOutput()
        if isClientDone && isServerDone { return toClient.isEmpty }
    }
    return false
}

/// Feeds a handshake `piece` bytes at a time.
private func inPieces(_ bytes: [UInt8], _ piece: Int, _ end: SessionEnd) throws -> Bool {
    var isDone = try end.with([]) { try $0.handshake() }
    var rest = bytes[...]
    while !rest.isEmpty {
        isDone = try end.with(Array(rest.prefix(piece))) { try $0.handshake() }
        rest = rest.dropFirst(piece)
    }
    return isDone
}

extension SessionEnd {
    /// Runs the handshake with a foreign client, and returns whether this server completed it.
    func shakeHands(with peer: RawTLSPeer) throws -> Bool {
        var toServer = peer.exchange([])
        var isDone = false
        for _ in 0..<5 where !isDone {
            isDone = try session.withInput(toServer) { try $0.handshake() }
            toServer = peer.exchange(takeOutput())
        }
        return isDone
    }
}

extension TLSSession {
    /// Gives the session `bytes` during `body`, which needn't consume all of them.
    func withInput<Result>(_ bytes: [UInt8], _ body: (TLSSession) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes { input in
            self.input = input
            defer { self.input = UnsafeRawBufferPointer(start: nil, count: 0) }
            return try body(self)
        }
    }
}
