import FocusCore
import FocusServerStore
import FocusSync
import ServerSupport
import TestSupport
import Testing

@Suite("Any server's store: transactions")
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

    @Test(
        "a transaction that throws is rolled back, and the next one goes on",
        arguments: StoreKind.allCases)
    func thrown(_ kind: StoreKind) throws {
        let it = try kind.make()
        #expect(throws: Undone.self) {
            try it.write { transaction throws in
                try transaction.setAddresses(["one"])
                _ = try transaction.addGroup(GroupID(high: 0, low: 1), now: 1)
                throw Undone()
            }
        }
        #expect(try it.read { try $0.addresses() }.isEmpty)
        #expect(try it.read { try $0.groupNumbers() }.isEmpty)
        try it.write { try $0.setAddresses(["two"]) }
        #expect(try it.read { try $0.addresses() } == ["two"])
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

    @Test("a part that throws is rolled back by itself", arguments: StoreKind.allCases)
    func part(_ kind: StoreKind) throws {
        let it = try kind.make()
        let first = try it.addGroup(1)
        try it.write { transaction throws in
            try transaction.setAddresses(["one"])
            do {
                try transaction.part { () throws -> Void in
                    try transaction.setAddresses(["two"])
                    try transaction.putDevice(digest(1), inGroup: first, now: 1)
                    throw Undone()
                }
                Issue.record("it didn't throw")
            } catch let error as Undone {
                #expect(error == Undone())
            }
            #expect(try transaction.addresses() == ["one"])
            try transaction.part { try transaction.putDevice(digest(2), inGroup: first, now: 1) }
        }
        #expect(try it.read { try $0.addresses() } == ["one"])
        #expect(try it.read { try $0.devices() }.map(\.key) == [digest(2)])
    }

    @Test(
        "a write that contradicts a row fails only its part, and the rest is kept",
        arguments: StoreKind.allCases)
    func contradiction(_ kind: StoreKind) throws {
        let it = try kind.make()
        let group = try it.addGroup(1)
        try it.write { transaction throws in
            try transaction.putDevice(digest(1), inGroup: group, now: 1)
            do {
                try transaction.part { _ = try transaction.addGroup(GroupID(high: 0, low: 1), now: 2) }
                Issue.record("a group was added twice")
            } catch {
                #expect(transaction.isOwn(error), "\(error)")
                #expect(StoreFailure(error) == .unwritable)
            }
            #expect(transaction.isOwn(Undone()))
            try transaction.putDevice(digest(2), inGroup: group, now: 1)
        }
        #expect(try it.read { try $0.devices() }.map(\.key) == [digest(1), digest(2)])
        #expect(try it.read { try $0.groupNumbers() }.count == 1)
    }

    @Test("a segment that leaves no room for another one contradicts it", arguments: StoreKind.allCases)
    func doubled(_ kind: StoreKind) throws {
        let it = try kind.make()
        let group = try it.addGroup(1)
        var author = Author(1)
        let (segment, head) = try author.segment(3)
        try it.write { try $0.addSegment(segment, through: head, group: group) }
        try it.write { transaction throws in
            do {
                try transaction.part { try transaction.addSegment(segment, through: head, group: group) }
                Issue.record("a segment was added twice")
            } catch {
                #expect(transaction.isOwn(error), "\(error)")
            }
        }
        #expect(try it.read { try $0.lastSeq(of: author.replica, in: group) } == 3)
    }
}
