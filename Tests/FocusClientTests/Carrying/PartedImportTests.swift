import ClientSupport
import CommandLineKit
import FocusCore
import FocusDevice
import FocusLink
import FocusStore
import FocusText
import TestSupport
import Testing

/// docs/protocol.md, "Parted branches": copies of one laptop that were used independently.
@Suite("focus import of a log that has parted from this one")
struct PartedImportTests {
    private let homes = [TemporaryHome(), TemporaryHome(), TemporaryHome()]
    private let one: TestContext
    private let two: TestContext
    private let three: TestContext
    private let replica = ReplicaID(rawValue: 0xA)

    /// Creates copies of one laptop that has started a session.
    init() throws {
        BerlinTime.set()
        let copies = homes.map { TestContext(home: $0.path, now: 1_763_661_600_000) }
        for copy in copies {
            let epoch = StoredEpoch(
                id: EpochID(rawValue: 0x630d_cd29_66c4_3366), key: Array(0..<32), predecessor: nil)
            try Device(copy.machine).store.enter(GroupID(high: 1, low: 2), epoch)
            #expect(copy.run("start Write").status == .done)
            copy.pass(.seconds(60))
        }
        (one, two, three) = (copies[0], copies[1], copies[2])
    }

    private func store(_ laptop: TestContext) throws -> DeviceStore { try Device(laptop.machine).store }

    private func press(_ laptop: TestContext, _ commands: String...) {
        for command in commands { #expect(laptop.run(command).status == .done) }
    }

    /// Imports the export of `other` on `laptop`, and returns the messages.
    private func bring(_ other: TestContext, to laptop: TestContext) -> String {
        laptop.put(other.run("export").output, at: "log")
        return laptop.run("import log").messages
    }

    /// Moves the laptop's presses from seq 3 on to its branch, as syncing does if the server's log differs
    /// there.
    private func partFromServer(_ laptop: TestContext) throws -> VersionVector {
        let log = try #require(try SealedLog(store(laptop)))
        _ = try log.vector()
        _ = try log.moveTail(of: replica, from: 3)
        return try log.vector()
    }

    private func vector(_ laptop: TestContext) throws -> VersionVector {
        try #require(try SealedLog(store(laptop))).vector()
    }

    @Test("keeps the own tail, and moves the file's tail to the same branch as other laptops do")
    func branch() throws {
        press(one, "pause")
        press(two, "skip", "undo", "label Read")
        let own = try vector(one)[replica]
        #expect(
            bring(two, to: one)
                == "focus: Merged 3 changes; 2 were here already. This laptop's log had diverged from that one: "
                + "3 changes of it are on a branch now.\n")
        let moved = try partFromServer(two)
        let branch = try #require(moved.heads.keys.first { $0 != replica })
        #expect(moved[branch].seq == 3)
        #expect(try vector(one)[branch] == moved[branch])
        #expect(try vector(one)[replica] == own)
        // The event that the undo names has moved too. So the session is unchanged, except for both laptops'
        // presses.
        #expect(one.run("status --format {status}/{clock}/{label}").output == "Work paused/24:00/Read\n")
    }

    @Test("adds nothing the second time")
    func again() {
        press(one, "pause")
        press(two, "skip")
        #expect(bring(two, to: one).hasPrefix("focus: Merged 1 change; 2 were here already. This"))
        let exported = one.run("export").output
        #expect(bring(two, to: one) == "focus: Merged 0 changes; 3 were here already.\n")
        #expect(one.run("export").output == exported)
    }

    @Test("uses the branch's own branch if the branch has other events")
    func branchOfBranch() throws {
        press(one, "pause")
        press(two, "skip", "label Read")
        press(three, "skip", "label Rest")
        _ = bring(two, to: one)
        #expect(
            bring(three, to: one)
                == "focus: Merged 1 change; 3 were here already. This laptop's log had diverged from that one: "
                + "1 change of it is on a branch now.\n")
        let branches = try vector(one).heads.filter { $0.key != replica }
        #expect(branches.values.map(\.seq).sorted() == [1, 2])
        // A laptop that has the first branch moves its own tail to the same second branch.
        let second = try #require(branches.first { $0.value.seq == 1 }?.key)
        let name = "\"replica\":\"\(second.text)\",\"seq\""
        let lines = one.run("export").output.split(separator: "\n").filter { !$0.contains(name) }
        three.put(lines.joined(separator: "\n"), at: "log")
        #expect(three.run("import log").status == .done)
        #expect(try vector(three)[second] == .empty)
        let moved = try partFromServer(three)
        for (branch, head) in branches { #expect(moved[branch] == head) }
    }

    @Test("imports nothing if the tail has a hole")
    func hole() {
        press(one, "pause")
        press(two, "skip", "label Read", "label Rest")
        let exported = one.run("export").output
        let lines = two.run("export").output.split(separator: "\n")
        one.put((lines[..<3] + lines[4...]).joined(separator: "\n"), at: "log")
        #expect(
            one.run("import log").messages
                == "focus: Nothing was imported from log: 000000000000000a/4 and maybe more is missing.\n")
        #expect(one.run("export").output == exported)
    }

    @Test("refuses an early event even if the log has another event of its name")
    func ahead() {
        press(one, "pause")
        two.pass(.seconds(600))
        press(two, "skip")
        #expect(bring(two, to: one).contains("000000000000000a/3 is more than 2 minutes in the future"))
    }

    @Test("refuses an event written under a key that isn't here")
    func unknownEpoch() throws {
        let exported = one.run("export").output
        press(two, "skip")
        one.put(
            two.run("export").output.replacing("630dcd2966c43366", with: "00000000000000ee"), at: "log")
        #expect(
            one.run("import log").messages
                == "focus: Nothing was imported from log: 000000000000000a/3 was written under a key that this laptop doesn't have: in another group, or since it last synced.\n"
        )
        #expect(one.run("export").output == exported)
    }
}
