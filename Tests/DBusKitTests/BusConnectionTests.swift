import FocusNet
import Foundation
import Glibc
import TestSupport
import TestTraits
import Testing

@testable import DBusKit

@Suite("A connection to a bus", .ends(within: .seconds(120)))
struct BusConnectionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.file("bus") }

    /// An object that sends its arguments back, and emits a signal with them.
    final class Echo: BusObject {
        weak var bus: BusConnection?
        let interfaces = [
            BusInterface(
                "org.example.Echo",
                methods: [
                    .init("Echo", ["a{sv}", "a(iay)", "a{ss}"], returns: ["a{sv}", "a(iay)", "a{ss}"]),
                    .init("Nest", returns: ["v"]), .init("Fail"),
                ])
        ]

        func answer(_ member: String, of interface: String, _ arguments: [BusValue], from sender: String)
            throws(BusRefusal) -> [BusValue]
        {
            switch member {
            case "Echo":
                bus?.emit(
                    BusSignal(
                        path: "/echo", interface: interface, member: "Echoed", arguments: [.string("heard")]))
                return arguments
            case "Nest": return [(0..<12).reduce(BusValue.byte(1)) { value, _ in .variant(value) }]
            default: throw BusRefusal("org.example.Refused", "no")
            }
        }

        func value(of property: String, in interface: String) -> BusValue? { nil }
    }

    private static let arguments: [BusValue] = [
        .dictionary([
            "text": .string("ü"), "bytes": .bytes([0, 255]), "empty": .bytes([]), "number": .uint64(.max),
            "path": .path("/a/b"), "deep": .variant(.strings(["x"])), "real": .double(0.5),
        ]),
        .array([.structure([.int32(-1), .bytes([1, 2])])], of: "(iay)"),
        .array([.structure([.string("k"), .string("v")])], of: "{ss}"),
    ]

    /// Exports an echo on a connection of its own, under the name `org.example.Echo`.
    private func serve(_ address: BusAddress, _ loop: BusLoop) throws {
        loop.run { loop, report in
            let bus = BusConnection(address, on: loop)
            let echo = Echo()
            echo.bus = bus
            bus.export(echo, at: "/echo")
            bus.own("org.example.Echo") { report("owns \($0)") }
            return [bus, echo]
        }
        #expect(try loop.next() == "owns true")
    }

    private static func echo(_ member: String, _ arguments: [BusValue] = []) -> BusCall {
        BusCall(to: "org.example.Echo", at: "/echo", "org.example.Echo", member, arguments)
    }

    private static func text(_ result: Result<[BusValue], BusError>) -> String {
        switch result {
        case .success(let values): "\(values == arguments ? "the same" : "\(values)")"
        case .failure(.refused(let name, _)): name
        case .failure(.noLibrary(let reason)): reason
        case .failure(let error): "\(error)"
        }
    }

    @Test("calls, answers and signals arrive whole")
    func calls() throws {
        let daemon = try BusDaemon(at: path)
        let loop = try BusLoop()
        try serve(daemon.address, loop)
        let address = daemon.address
        loop.run { loop, report in
            let bus = BusConnection(address, on: loop)
            let match = BusMatch(from: "org.example.Echo", "org.example.Echo", "Echoed")
            _ = bus.subscribe(match) { report($0.arguments.first?.text ?? "") }
            _ = bus.followOwner(of: "org.example.Echo") { owner in
                guard owner != nil else { return }
                bus.call(Self.echo("Echo", Self.arguments), within: .seconds(60)) { report(Self.text($0)) }
            }
            return [bus]
        }
        #expect(try Set(loop.next(2)) == ["heard", "the same"])
        loop.run { loop, report in
            let bus = BusConnection(address, on: loop)
            for member in ["Fail", "Other"] {
                bus.call(Self.echo(member), within: .seconds(60)) { report(Self.text($0)) }
            }
            bus.call(Self.echo("Nest"), within: .seconds(60)) { answer in
                report(answer == .failure(.malformed) ? "too deep" : "deep")
            }
            bus.own("org.example.Echo") { report("owns \($0)") }
            return [bus]
        }
        let rest = try loop.next(4)
        #expect(
            Set(rest) == [
                "org.example.Refused", "org.freedesktop.DBus.Error.UnknownMethod", "deep", "owns false",
            ])
        withExtendedLifetime(daemon) {}
    }

    @Test("a signal by another connection than the expected sender is ignored")
    func forgery() throws {
        let daemon = try BusDaemon(at: path)
        let loop = try BusLoop()
        try serve(daemon.address, loop)
        let address = daemon.address
        loop.run { loop, report in
            let (bus, forger) = (BusConnection(address, on: loop), BusConnection(address, on: loop))
            let match = { BusMatch(from: $0, "org.example.Echo", "Echoed") }
            _ = bus.subscribe(match("org.example.Echo")) { report($0.arguments.first?.text ?? "") }
            _ = forger.followConnection { isConnected in
                guard isConnected, let name = forger.uniqueName else { return }
                // When this subscription gets the signal, the other one has had its turn.
                _ = bus.subscribe(match(name)) { _ in
                    bus.call(Self.echo("Echo", Self.arguments), within: .seconds(60)) { _ in }
                }
                bus.call(
                    BusCall(to: BusNames.bus, at: BusNames.busPath, BusNames.bus, "GetId"),
                    within: .seconds(60)
                ) { _ in
                    forger.emit(
                        BusSignal(
                            path: "/echo", interface: "org.example.Echo", member: "Echoed",
                            arguments: [.string("forged")]))
                }
            }
            return [bus, forger]
        }
        #expect(try loop.next() == "heard")
        withExtendedLifetime(daemon) {}
    }

    @Test("a bus that dies ends the calls, and everything is registered at the next one")
    func death() throws {
        let daemon = try BusDaemon(at: path)
        let loop = try BusLoop()
        let address = daemon.address
        loop.run { loop, report in
            let bus = BusConnection(address, on: loop)
            bus.own("org.example.Lamp") { report("owns \($0)") }
            _ = bus.followConnection { report($0 ? "connected" : "lost") }
            _ = bus.followOwner(of: "org.example.Lamp") { report($0 == nil ? "without owner" : "with owner") }
            return [bus]
        }
        let first = try loop.next(3)
        #expect(Set(first) == ["owns true", "connected", "with owner"])
        daemon.kill()
        #expect(try loop.next() == "without owner")
        #expect(try loop.next() == "lost")
        let successor = try BusDaemon(at: path)
        let second = try loop.next(4)
        #expect(Set(second) == ["without owner", "owns true", "connected", "with owner"])
        withExtendedLifetime(successor) {}
    }

    @Test("a bus that begins later is found, but a library that is missing isn't tried again")
    func laterBus() throws {
        let loop = try BusLoop()
        let address = try BusDaemon.address(path)
        let daemon = try BusDaemon(at: path)
        loop.run { loop, report in
            var lookups = 0
            func present() -> BusAddress? {
                lookups += 1
                return lookups == 1 ? nil : address
            }
            let bus = BusConnection(present(), on: loop)
            _ = bus.followConnection { report("connected: \($0), after \(lookups) lookups") }
            return [bus]
        }
        #expect(try loop.next() == "connected: true, after 2 lookups")
        #expect(BusError.noBus.mayPass && !BusError.noLibrary("no file").mayPass)
        withExtendedLifetime(daemon) {}
    }

    @Test("without a bus a call fails, at a silent one it times out, and too many calls are refused")
    func silence() throws {
        let loop = try BusLoop()
        let missing = try BusDaemon.address(path)
        let call = BusCall(to: BusNames.bus, at: BusNames.busPath, BusNames.bus, "GetId")
        loop.run { loop, report in
            let (none, absent) = (BusConnection(nil, on: loop), BusConnection(missing, on: loop))
            for bus in [none, absent] {
                bus.call(call, within: .seconds(60)) { report($0 == .failure(.noBus) ? "no bus" : "other") }
            }
            return [none, absent]
        }
        #expect(try loop.next(2) == ["no bus", "no bus"])
        // A socket at which nobody answers.
        let listener = try SilentListener(at: path)
        loop.run { loop, report in
            let bus = BusConnection(missing, on: loop)
            bus.call(BusCall(to: "not a name", at: "/", "a.b", "c"), within: .seconds(60)) {
                report($0 == .failure(.malformed) ? "malformed" : "other")
            }
            bus.call(call, within: .milliseconds(20)) { answer in
                report(answer == .failure(.timedOut) ? "timed out" : "other")
                bus.call(call, within: .seconds(60)) {
                    report($0 == .failure(.disconnected) ? "disconnected" : "other")
                }
                var isFull = false
                for _ in 0..<BusLimits.calls {
                    bus.call(call, within: .seconds(60)) { answer in
                        guard answer == .failure(.overflow), !isFull else { return }
                        isFull = true
                        report("full")
                        bus.close()
                    }
                }
            }
            return [bus]
        }
        #expect(try loop.next(2) == ["malformed", "timed out"])
        #expect(try loop.next(2) == ["full", "disconnected"])
        withExtendedLifetime(listener) {}
    }

    @Test("values that D-Bus doesn't allow, or that are above a limit, aren't sent")
    func unsendable() throws {
        let daemon = try BusDaemon(at: path)
        let loop = try BusLoop()
        let address = daemon.address
        let values: [BusValue] = [
            .path("no path"), .type("no type"), .structure([]), .array([.string("a")], of: "i"),
            .array([.string("a")], of: "{ss}"), .array([], of: ""),
            .string(String(repeating: "a", count: 2 << 20)),
            .bytes(Array(repeating: 0, count: 2 << 20)),
            (0..<40).reduce(BusValue.byte(1)) { value, _ in .variant(value) },
        ]
        loop.run { loop, report in
            let bus = BusConnection(address, on: loop)
            for value in values {
                bus.call(Self.echo("Echo", [value]), within: .seconds(60)) {
                    report($0 == .failure(.malformed) ? "malformed" : Self.text($0))
                }
            }
            return [bus]
        }
        for value in values { #expect(try loop.next() == "malformed", "\(value.signature)") }
        withExtendedLifetime(daemon) {}
    }
}

/// A socket that accepts no connection.
private final class SilentListener {
    private let descriptor: Int32

    init(at path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        try #require(bound == 0 && listen(descriptor, 1) == 0)
    }

    deinit { close(descriptor) }
}
