import ClientSupport
import CommandLineKit
import FocusCore
import FocusSeal
import FocusStore
import Foundation
import TestSupport
import Testing

@testable import FocusDevice
@testable import FocusLink

@Suite("A device's log")
struct DeviceTests {
    private let home = TemporaryHome()
    private let laptop: TestContext
    private let key = Digest(InlineArray(repeating: 0xCD))

    init() { laptop = TestContext(home: home.path, now: 1_763_661_600_000, hostName: "desk") }

    @Test("is made at the first press, for this user alone, and begins with the device's name")
    func firstUse() throws {
        #expect(try Device.openForReading(laptop.machine) == nil)
        #expect(home.permissions("") == nil)
        _ = laptop.run("start")
        #expect(home.permissions("") == 0o700)
        #expect(home.permissions("log.db") == 0o600)
        let device = try #require(try Device.openForReading(laptop.machine))
        let events = try device.store.allStoredEvents().compactMap(\.event)
        #expect(events.first?.action == .device(name: "desk", key: nil))
        #expect(events[1].action == .set(key: "idleLimit", value: 14_400))
        #expect(events.count == 3)
        #expect(try device.ownReplicas() == [ReplicaID(rawValue: 0xA)])
    }

    @Test("a log that begins with a name given by hand gets the first settings too, once")
    func namedFirst() throws {
        let device = try Device(laptop.machine)
        let events = try device.perform(.nameDevice("shelf")).events
        #expect(events.map(\.action) == [.device(name: "shelf", key: nil)] + Action.firstSettings)
        #expect(try device.perform(.nameDevice("desk")).events.count == 1)
        #expect(try device.store.state().settings[.idleLimit] == 14_400)
    }

    @Test("the events that an undo and a redo take back are found once for each state of the log")
    func undoTargets() throws {
        let device = try Device(laptop.machine)
        let start = try device.perform(.start(label: nil)).events.last
        let before = try device.store.state()
        #expect(try device.undoable(before) == start)
        let undo = try Device(laptop.machine).perform(.undo).events.last
        #expect(try device.store.lastUndo(before)?.id == undo?.id, "the log has it by now")
        #expect(try device.lastUndo(before) == nil)
        let after = try device.store.state()
        #expect(try device.lastUndo(after)?.id == undo?.id)
        #expect(try device.undoable(after) == nil)
    }

    @Test("a fresh replica is named before its first press, with the device's name and key")
    func freshReplica() throws {
        let device = try Device(laptop.machine)
        _ = try device.perform(.nameDevice("shelf"))
        try device.store.setDeviceKey(key)
        try device.store.takeFreshReplica()
        let fresh = try #require(try device.store.ownReplicas().last)
        let events = try device.perform(.start(label: nil)).events
        #expect(events.first?.action == .device(name: "shelf", key: key.hexadecimal))
        #expect(events.map(\.id.replica) == [fresh, fresh])
    }

    @Test(
        "a branch that the device goes on as is named before its first press, with its name and key")
    func branch() throws {
        let device = try Device(laptop.machine)
        let key = try EpochKey(SecretBytes(Array(0..<32)))
        try device.store.enter(
            GroupID(high: 1, low: 2), StoredEpoch(id: key.epoch, key: Array(0..<32), predecessor: nil))
        try device.store.setDeviceKey(self.key)
        _ = try device.perform(.nameDevice("shelf"))
        _ = try device.perform(.start(label: nil))
        let log = try #require(try SealedLog(device.store))
        _ = try log.vector()
        let replica = ReplicaID(rawValue: 0xA)
        // The event that names the device isn't moved.
        #expect(try log.moveTail(of: replica, from: 2) == 1)
        let branch = try #require(try device.store.ownReplicas().last)
        #expect(branch != replica)

        let events = try device.perform(.pause).events
        #expect(events.first?.action == .device(name: "shelf", key: self.key.hexadecimal))
        #expect(events.map(\.id) == [2, 3].map { EventID(replica: branch, seq: $0) })
        #expect(try device.store.state().devices[branch]?.key == self.key)
        // The device is named only once.
        #expect(try device.perform(.resume).events.count == 1)
    }

    @Test("a fresh replica is named before a revocation too") func freshRuling() throws {
        let device = try Device(laptop.machine)
        _ = try device.perform(.nameDevice("shelf"))
        try device.store.setDeviceKey(key)
        try device.store.takeFreshReplica()
        let fresh = try #require(try device.store.ownReplicas().last)
        let lost = Digest(InlineArray(repeating: 9))
        try device.rule([.revoke(lost)])
        let written = try device.store.allStoredEvents().compactMap(\.event).filter {
            $0.id.replica == fresh
        }
        #expect(written.map(\.action) == [.device(name: "shelf", key: nil), .revoke(lost)])
    }

    @Test("a key is kept for the purpose that it was made for, and put away whole for another one")
    func renewedKey() throws {
        let device = try Device(laptop.machine)
        let file = IdentityFile(path: "\(home.path)/identity.pem")
        func copies() -> [String] { home.files.filter { $0.hasPrefix("key-") } }
        try device.renewKey(for: [1])
        #expect(copies() == [], "there was none to put away")
        let key = try file.loadOrCreate().keyHash
        try device.store.setDeviceKey(key)
        try device.renewKey(for: [1])
        #expect(try device.identity()?.keyHash == key)
        #expect(try device.store.deviceKey() == key)
        try device.renewKey(for: [2])
        #expect(try device.identity()?.keyHash == nil)
        #expect(try device.store.deviceKey() == nil)
        #expect(copies().count == 1)
    }

    @Test("several interactions are done together or not at all")
    func together() throws {
        let device = try Device(laptop.machine)
        #expect(throws: PerformFailure.notNow(.nothingRuns)) {
            try device.perform(.set(.dailyGoal, 3), .pause)
        }
        #expect(try device.store.eventCount() == 0)
        #expect(try device.perform(.start(label: "a"), .pause).events.count == 4)
    }

    @Test("consent to the undo of one event doesn't hold for another")
    func consent() throws {
        let device = try Device(laptop.machine)
        _ = try device.perform(.start(label: nil))
        laptop.pass(.seconds(600))
        let stop = try #require(try device.perform(.stop).events.last)
        laptop.pass(.seconds(7200))
        #expect(throws: PerformFailure.self) { try device.perform(.undo) }
        #expect(throws: PerformFailure.self) {
            try device.perform(.undo, consent: .given(EventID(replica: stop.id.replica, seq: 1)))
        }
        #expect(try device.perform(.undo, consent: .given(stop.id)).undoneEvent == stop)
    }

    @Test("another laptop's press of a moment ago is undone without a question only if the control names it")
    func named() throws {
        let device = try Device(laptop.machine)
        try device.enterGroup()
        _ = try device.perform(.start(label: nil))
        laptop.pass(.seconds(60))
        let change = Action.set(key: "dailyGoal", value: 3)
        try device.merge(change, on: "work", at: device.now())
        laptop.pass(.seconds(1))
        #expect(throws: PerformFailure.self) { try device.perform(.undo) }
        #expect(try device.perform(.undo, consent: .named).undoneEvent?.action == change)
        // It still asks if the history loses whole phases, or gets more.
        let stop = try #require(try device.perform(.stop).events.last)
        laptop.pass(.seconds(7200))
        #expect(throws: PerformFailure.self) { try device.perform(.undo, consent: .named) }
        #expect(try device.perform(.undo, consent: .given(stop.id)).undoneEvent == stop)
    }

    @Test("a file that is no log is reported as a damaged log")
    func foreign() throws {
        let path = "\(home.path)/log.db"
        _ = laptop.run("start")
        try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: path))
        let result = laptop.run("status")
        #expect(result.status == .failed)
        #expect(result.messages.hasPrefix("focus: The log at \(path) is damaged: "))
    }
}
