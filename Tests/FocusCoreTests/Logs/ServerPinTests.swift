import FocusCore
import TestSupport
import Testing

@Suite("The keys by which a laptop takes its server") struct ServerPinTests {
    private func key(_ byte: UInt8) throws -> Digest {
        try #require(Digest(bytes: [UInt8](repeating: byte, count: 32)))
    }

    @Test("an announced key is taken beside the present one, and becomes the pin once it was shown")
    func change() throws {
        let (first, second) = (try key(1), try key(2))
        var pin = ServerPin(first)
        #expect(pin.keys == [first])
        pin = pin.welcomed(by: first, announcing: second)
        #expect(pin.keys == [first, second])
        pin = pin.welcomed(by: first, announcing: second)
        #expect(pin.keys == [first, second])
        pin = pin.welcomed(by: second, announcing: nil)
        #expect(pin.keys == [second])
    }

    @Test("a welcome that comes late, from a key that is the pin no longer, brings it back in no way")
    func late() throws {
        let (first, second) = (try key(1), try key(2))
        let pin = ServerPin(second)
        #expect(pin.welcomed(by: first, announcing: nil) == pin)
        #expect(pin.welcomed(by: first, announcing: second) == pin)
    }

    @Test("a server announces what it will show next, and to who saw its former key the one that it has")
    func announcing() throws {
        let (first, second) = (try key(1), try key(2))
        #expect(ServerPin(first).announcement(after: first) == nil)
        #expect(ServerPin(first, next: second).announcement(after: first) == second)
        #expect(ServerPin(second).announcement(after: first) == second)
        #expect(ServerPin(second).announcement(after: second) == nil)
    }

    @Test("whenever laptops connect, and however keys change, who has been told can get in")
    func anyOrder() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var server = ServerPin(try key(0))
            var laptop = ServerPin(try key(0))
            var hasBeenTold = false
            var newest: UInt8 = 0
            for _ in 0..<40 {
                switch UInt8.random(in: 0..<4, using: &generator) {
                case 0:
                    #expect(laptop.keys.contains(server.key), "seed \(seed)")
                    laptop = laptop.welcomed(
                        by: server.key, announcing: server.announcement(after: server.key))
                    #expect(laptop == server, "seed \(seed)")
                    hasBeenTold = true
                case 1 where server.next == nil:
                    newest += 1
                    server = ServerPin(server.key, next: try key(newest))
                    hasBeenTold = false
                case 2:
                    // An operator waits until all laptops know the next key.
                    if hasBeenTold, let next = server.next { server = ServerPin(next) }
                case 3: server = ServerPin(server.key)
                default: break
                }
            }
        }
    }
}
