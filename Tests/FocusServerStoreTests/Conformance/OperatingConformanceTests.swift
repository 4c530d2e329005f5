import FocusCore
import FocusServerStore
import ServerSupport
import TestSupport
import Testing

@Suite("Any server's store: what is kept of the server itself")
struct OperatingConformanceTests {
    @Test("a new store has no standing orders", arguments: StoreKind.allCases) func new(_ kind: StoreKind)
        throws
    {
        let it = try kind.make()
        try it.read { snapshot throws in
            #expect(try snapshot.orders() == StandingOrders())
            #expect(try snapshot.greatestServed() == .zero)
            #expect(try snapshot.addresses().isEmpty)
            #expect(try snapshot.announcedKey() == nil)
            #expect(try snapshot.lastBackup() == LastBackup())
            #expect(try snapshot.summaries().isEmpty)
            #expect(try snapshot.deviceSummaries().isEmpty)
            #expect(try snapshot.readableLogs().logs.isEmpty)
        }
    }

    @Test("addresses are kept in their order, and replaced as a whole", arguments: StoreKind.allCases)
    func addresses(_ kind: StoreKind) throws {
        let it = try kind.make()
        try it.write { try $0.setAddresses(["b", "a", "c"]) }
        #expect(try it.read { try $0.addresses() } == ["b", "a", "c"])
        try it.write { try $0.setAddresses(["c", "d"]) }
        #expect(try it.read { try $0.addresses() } == ["c", "d"])
    }

    @Test(
        "each revision differs from the last, and acceptances of the clock are counted",
        arguments: StoreKind.allCases)
    func orders(_ kind: StoreKind) throws {
        let it = try kind.make()
        try it.write { try $0.raiseRevision() }
        try it.write { try $0.raiseRevision() }
        for time in [9, 8] {
            try it.write { try $0.raiseGreatestServed(to: instant(time), acceptances: 0) }
            #expect(try it.read { try $0.greatestServed() } == instant(9))
        }
        try it.write { try $0.acceptClock(now: instant(5)) }
        let orders = try it.read { try $0.orders() }
        #expect(orders.revision == 2 && orders.clockAcceptances == 1)
        #expect(try it.read { try $0.greatestServed() } == instant(5))
        // A server that hasn't heard of the acceptance changes nothing.
        try it.write { try $0.raiseGreatestServed(to: instant(9), acceptances: 0) }
        #expect(try it.read { try $0.greatestServed() } == instant(5))
        try it.write { try $0.raiseGreatestServed(to: instant(6), acceptances: 1) }
        #expect(try it.read { try $0.greatestServed() } == instant(6))
    }

    @Test("an announced key is known with its time, until it is withdrawn", arguments: StoreKind.allCases)
    func announcing(_ kind: StoreKind) throws {
        let it = try kind.make()
        let before = try it.read { try $0.orders().revision }
        try it.write { try $0.announceToAll(digest(7), now: instant(3)) }
        let announced = try it.read { try $0.announcedKey() }
        #expect(try announced?.key == digest(7))
        #expect(announced?.since == instant(3))
        let orders = try it.read { try $0.orders() }
        #expect(try orders.nextKey == digest(7))
        #expect(orders.revision > before)
        try it.write { try $0.announceToAll(nil, now: instant(4)) }
        #expect(try it.read { try $0.announcedKey() } == nil)
        #expect(try it.read { try $0.orders().nextKey } == nil)
    }

    @Test(
        "the last backup is known, and the failure since",
        arguments: StoreKind.allCases)
    func backups(_ kind: StoreKind) throws {
        let it = try kind.make()
        try it.write { try $0.noteBackup("/a", at: instant(1)) }
        try it.write { try $0.noteBackup(problem: "full") }
        var last = try it.read { try $0.lastBackup() }
        #expect(last.made?.file == "/a" && last.made?.time == instant(1) && last.problem == "full")
        try it.write { try $0.noteBackup("/b", at: instant(2)) }
        last = try it.read { try $0.lastBackup() }
        #expect(last.made?.file == "/b" && last.made?.time == instant(2) && last.problem == nil)
    }
}
