import FocusCore
import FocusServerStore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@Suite("Any server's store: transactions, and what is kept of the server itself")
struct TransactionConformanceTests {
    @Test(
        "writes are there for others once the transaction has ended, and after a restart",
        arguments: StoreKind.allCases)
    func committed(_ kind: StoreKind) throws {
        let it = try kind.make()
        let other = try it.connect()
        try it.write { transaction throws in
            try transaction.setAddresses(["one"])
            #expect(try transaction.addresses() == ["one"])
            #expect(try other.read { try $0.addresses() }.isEmpty)
        }
        #expect(try other.read { try $0.addresses() } == ["one"])
        try it.reopen()
        #expect(try it.read { try $0.addresses() } == ["one"])
    }

    @Test("a snapshot shows one moment, whatever others write meanwhile", arguments: StoreKind.allCases)
    func moment(_ kind: StoreKind) throws {
        let it = try kind.make()
        let other = try it.connect()
        try it.read { snapshot throws in
            #expect(try snapshot.addresses().isEmpty)
            try other.write { try $0.setAddresses(["one"]) }
            #expect(try snapshot.addresses().isEmpty)
        }
        #expect(try it.read { try $0.addresses() } == ["one"])
    }

    @Test(
        "a write that contradicts a row fails only its part, and the rest is kept",
        arguments: StoreKind.allCases)
    func contradiction(_ kind: StoreKind) throws {
        let it = try kind.make()
        let group = try it.addGroup(1)
        var author = Author(1)
        let (segment, head) = try author.segment(3)
        try it.write { transaction throws in
            try transaction.putDevice(digest(1), inGroup: group, now: 1)
            do {
                try transaction.withSavepoint {
                    _ = try transaction.addGroup(GroupID(high: 0, low: 1), now: 2)
                }
                Issue.record("a group was added twice")
            } catch {
                #expect(transaction.concernsOnlyRequestedRows(error), "\(error)")
                #expect(StoreFailure(error) == .unwritable)
            }
            #expect(transaction.concernsOnlyRequestedRows(Undone()))
            // A segment that leaves no room for another one contradicts it.
            try transaction.addSegment(segment, through: head, group: group)
            do {
                try transaction.withSavepoint {
                    try transaction.addSegment(segment, through: head, group: group)
                }
                Issue.record("a segment was added twice")
            } catch {
                #expect(transaction.concernsOnlyRequestedRows(error), "\(error)")
            }
            try transaction.putDevice(digest(2), inGroup: group, now: 1)
        }
        #expect(try it.read { try $0.devices() }.map(\.key) == [digest(1), digest(2)])
        #expect(try it.read { try $0.groupNumbers() }.count == 1)
        #expect(try it.read { try $0.lastSeq(of: author.replica, in: group) } == 3)
    }

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
        try it.write { try $0.announceNextKey(digest(7), now: instant(3)) }
        let announced = try it.read { try $0.announcedKey() }
        #expect(try announced?.key == digest(7))
        #expect(announced?.since == instant(3))
        let orders = try it.read { try $0.orders() }
        #expect(try orders.nextKey == digest(7))
        #expect(orders.revision > before)
        try it.write { try $0.announceNextKey(nil, now: instant(4)) }
        #expect(try it.read { try $0.announcedKey() } == nil)
        #expect(try it.read { try $0.orders().nextKey } == nil)
    }

    @Test("the last backup is known, and the failure since", arguments: StoreKind.allCases)
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
