import Foundation
import Glibc
import IntegrationSupport
import Synchronization
import TestSupport

/// A host between browsers and a server's page. It harms some messages of devices on the way, in both
/// directions, and passes everything else on as it is.
final class Relay: Sendable {
    /// The port at which it listens.
    let port: UInt16
    private let server: UInt16
    private let listener: Int32
    private let state: Mutex<State>

    private struct State {
        var random: SeededGenerator
        /// The number of messages to harm from now on.
        var left = 0
        /// The number of messages that pass before the next one is harmed.
        var before = 0
        var harmed = 0
    }

    /// Starts to pass connections on to the page at that port.
    init(to server: UInt16, seed: UInt64) throws {
        let port = try freePort()
        guard let socket = LoopbackSocket(listeningAt: port) else {
            throw Unmet("the relay can't listen at \(port)")
        }
        self.port = port
        self.server = server
        listener = socket.release()
        state = Mutex(State(random: SeededGenerator(seed: seed)))
        Thread.detachNewThread { [self] in
            while true {
                var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
                poll(&waiting, 1, -1)
                guard let client = acceptedClient(listener) else { break }
                pass(client)
            }
            close(listener)
        }
    }

    /// Refuses further clients.
    func end() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Harms `count` messages from now on, and then none.
    func harm(_ count: Int) { state.withLock { $0.left = count } }

    /// The number of messages that were harmed.
    var harmed: Int { state.withLock(\.harmed) }

    /// Connects a client with the server until one of them ends the connection.
    private func pass(_ client: Int32) {
        guard let connection = LoopbackSocket(connectedTo: server) else {
            close(client)
            return
        }
        let upstream = connection.release()
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            pass(from: upstream, to: client, RelayedBytes(isUp: false))
            ended.signal()
        }
        Thread.detachNewThread { [self] in
            pass(from: client, to: upstream, RelayedBytes(isUp: true))
            ended.wait()
            close(client)
            close(upstream)
        }
    }

    private func pass(from source: Int32, to target: Int32, _ bytes: RelayedBytes) {
        var bytes = bytes
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(source, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            let isUp = bytes.isUp
            let passed = bytes.pass(chunk[..<count]) { harm(&$0, at: $1, isUp: isUp) }
            var rest = passed[...]
            while !rest.isEmpty {
                let sent = rest.withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard sent > 0 else { break }
                rest = rest.dropFirst(sent)
            }
            guard rest.isEmpty else { break }
        }
        for end in [source, target] { shutdown(end, Int32(SHUT_RDWR)) }
    }

    /// Changes, repeats or reorders a byte of a message, if its turn has come.
    private func harm(_ message: inout [UInt8], at places: [Int], isUp: Bool) {
        state.withLock { state in
            // Each kind of harm comes in both directions.
            let isTurn = isUp == (state.harmed / 3).isMultiple(of: 2)
            guard state.left > 0, isTurn, places.count > 1 else { return }
            guard state.before == 0 else {
                state.before -= 1
                return
            }
            let index = Int.random(in: 1..<places.count, using: &state.random)
            let (place, other) = (places[index], places[index - 1])
            switch state.harmed % 3 {
            case 0: message[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &state.random)
            case 1: message.insert(message[place], at: place)
            default:
                // Two equal bytes in another order are no harm.
                guard message[place] != message[other] else { return }
                message.swapAt(place, other)
            }
            state.harmed += 1
            state.left -= 1
            state.before = Int.random(in: 0..<20, using: &state.random)
        }
    }
}

/// The bytes of one direction of a connection through the relay.
private struct RelayedBytes {
    private enum Part { case head, messages, other }

    /// Whether they go to the server.
    let isUp: Bool
    private var part = Part.head
    private var held: [UInt8] = []
    private var records = RecordPlace()

    init(isUp: Bool) { self.isUp = isUp }

    /// Takes bytes that have arrived, and returns the bytes to pass on.
    ///
    /// - Parameter harm: It gets each whole message of a device, and its places that aren't in the header of
    ///   a TLS record: with another length there, the reader would wait for bytes that never arrive.
    mutating func pass(_ bytes: ArraySlice<UInt8>, _ harm: (inout [UInt8], [Int]) -> Void) -> [UInt8] {
        held += bytes
        var passed: [UInt8] = []
        let text = part == .head ? String(decoding: held, as: UTF8.self) : ""
        if let end = text.range(of: "\r\n\r\n")?.upperBound {
            part = text.hasPrefix(isUp ? "GET /sync " : "HTTP/1.1 101 ") ? .messages : .other
            passed += text[..<end].utf8
            held.removeFirst(passed.count)
        }
        switch part {
        case .head: break
        case .messages:
            while let frame = nextFrame() {
                var content = frame.content
                // Only binary messages are a device's.
                if frame.first & 0x0F == 2 { harm(&content, places(in: frame.content)) }
                passed +=
                    isUp
                    ? HTTPClient.masked(content, first: frame.first)
                    : HTTPClient.unmasked(content, first: frame.first)
            }
        case .other:
            passed += held
            held = []
        }
        return passed
    }

    private mutating func places(in content: [UInt8]) -> [Int] {
        content.indices.filter { index in
            let isHeader = records.isHeader
            records.pass(content[index])
            return !isHeader
        }
    }

    /// Removes the next frame of the WebSocket; nil if it hasn't arrived as a whole.
    private mutating func nextFrame() -> HTTPClient.Frame? {
        guard held.count >= 2 else { return nil }
        let short = Int(held[1] & 0x7F)
        let mask = 2 + (short < 126 ? 0 : short == 126 ? 2 : 8)
        let start = mask + (isUp ? 4 : 0)
        guard held.count >= start else { return nil }
        let length = mask == 2 ? short : held[2..<mask].reduce(0) { $0 << 8 | Int($1) }
        guard held.count >= start + length else { return nil }
        var content = Array(held[start..<start + length])
        if isUp { for index in content.indices { content[index] ^= held[mask + index % 4] } }
        defer { held.removeFirst(start + length) }
        return HTTPClient.Frame(held[0], content)
    }
}
