import ClientSupport
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import FocusClient
@testable import SystemKit

@Suite("The desktop's bus")
struct SessionBusTests {
    private let home = TemporaryHome()

    private func ask(_ address: String) -> SessionBus.Answer {
        SessionBus(Environment(["DBUS_SESSION_BUS_ADDRESS": address])).query()
    }

    private static let service = "org.freedesktop.Notifications"

    @Test(
        "a program on the bus, or one that it can start, shows notifications", .ends(within: .seconds(60)),
        arguments: [
            (false, ["org.example.Other"], .noDaemon), (true, [], .daemon),
            (false, [SessionBusTests.service], .daemon), (nil, [], .noAnswer),
        ] as [(Bool?, [String], SessionBus.Answer)])
    func daemons(isOwned: Bool?, names: [String], answer: SessionBus.Answer) throws {
        try FileManager.default.createDirectory(atPath: home.path, withIntermediateDirectories: true)
        let bus = try PlayedBus(at: "\(home.path)/bus", isOwned: isOwned, names: names)
        #expect(ask("unix:path=\(home.path)/bus,guid=1") == answer)
        withExtendedLifetime(bus) {}
    }

    @Test("a missing, an unsupported and an unanswered address are told apart")
    func addresses() throws {
        #expect(SessionBus(Environment([:])).query() == .noBus)
        #expect(SessionBus(Environment(["XDG_RUNTIME_DIR": home.path])).query() == .noBus)
        #expect(ask("tcp:host=127.0.0.1,port=1") == .notAsked)
        #expect(ask("unix:abstract=/tmp/x") == .notAsked)
        #expect(ask("unix:path=\(home.path)/bus,guid=1") == .noAnswer)
    }
}

/// A bus that the test plays for one connection. It answers as `dbus-daemon` does.
private final class PlayedBus {
    private let listener: Int32

    /// - Parameters:
    ///   - isOwned: The answer to `NameHasOwner`; an error if nil.
    ///   - names: The names of services that the bus says it can start.
    init(at path: String, isOwned: Bool?, names: [String]) throws {
        listener = socket(AF_UNIX, streamSocket, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) }
        }
        try #require(bound == 0 && listen(listener, 1) == 0)
        let answers: [(String, [[UInt8]])] = [
            ("AUTH EXTERNAL", [Array("OK 1234\r\n".utf8)]),
            (
                "Hello",
                [PlayedBus.message(2, PlayedBus.text(":1.0")), PlayedBus.message(4, PlayedBus.text(":1.0"))]
            ),
            (
                "NameHasOwner",
                [isOwned.map { PlayedBus.message(2, [$0 ? 1 : 0, 0, 0, 0]) } ?? PlayedBus.message(3, [])]
            ),
            ("ListActivatableNames", [PlayedBus.message(2, names.flatMap { PlayedBus.text($0) })]),
        ]
        let number = listener
        Thread.detachNewThread { PlayedBus.play(answers, to: accept(number, nil, nil)) }
    }

    deinit { close(listener) }

    private static func play(_ answers: [(String, [[UInt8]])], to peer: Int32) {
        defer { close(peer) }
        var heard: [UInt8] = []
        for (call, replies) in answers {
            while !heard.contains(Array(call.utf8)) {
                var chunk = [UInt8](repeating: 0, count: 4096)
                let count = recv(peer, &chunk, chunk.count, 0)
                guard count > 0 else { return }
                heard += chunk[..<count]
            }
            for reply in replies { _ = send(peer, reply, reply.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    /// Returns a message of this kind: its header, the serial that it answers as the only field, and its
    /// body.
    private static func message(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
        let field: [UInt8] = [5, 1, UInt8(ascii: "u"), 0, 1, 0, 0, 0]
        return [UInt8(ascii: "l"), kind, 1, 1] + word(body.count) + word(1) + word(field.count) + field + body
    }

    private static func text(_ text: String) -> [UInt8] { word(text.utf8.count) + Array(text.utf8) + [0] }

    private static func word(_ number: Int) -> [UInt8] { [UInt8(number & 0xFF), UInt8(number >> 8), 0, 0] }
}
