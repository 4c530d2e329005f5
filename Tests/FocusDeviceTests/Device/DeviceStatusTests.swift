import ClientSupport
import FocusCore
import FocusStore
import SQLiteKit
import TestSupport
import Testing

@testable import FocusDevice

@Suite("A device's status")
struct DeviceStatusTests {
    private let home = TemporaryHome()

    @Test("is read in one transaction")
    func oneTransaction() throws {
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000, hostName: "desk")
        let disk = VirtualDisk()
        let store = try DeviceStore(path: "/log.db", on: .virtual(disk)) { ReplicaID(rawValue: 0xA) }
        let device = Device(try Home(laptop.machine.environment), store, laptop.machine.platform)
        try store.enter(
            GroupID(high: 1, low: 2),
            StoredEpoch(id: EpochID(rawValue: 3), key: Array(0..<32), predecessor: nil))
        _ = try device.perform(.start(label: "Write"))
        let counter = LockCounter()
        counter.count(on: disk)
        let status = try DeviceStatus(device)
        #expect(status.device == "desk" && status.group != nil && status.pending > 0)
        #expect(counter.locks <= 2, "locked \(counter.locks) times")
    }

    @Test(
        "devices are called by the name that they wrote last, or by their key's digits if that is empty"
    )
    func names() throws {
        let device = try Device(TestContext(home: home.path, now: 1_763_661_600_000).machine)
        try device.store.enter(
            GroupID(high: 1, low: 2),
            StoredEpoch(id: EpochID(rawValue: 3), key: Array(0..<32), predecessor: nil))
        let keys = try [UInt8(7), 8].map { digit in
            try #require(Digest(bytes: [UInt8](repeating: digit, count: Digest.length)))
        }
        var script = LogScript()
        for number in 1...16 {
            script.add(
                .device(name: number == 9 ? "desk" : "attic \(number)", key: keys[0].hexadecimal),
                1_763_661_500_000 + .milliseconds(number == 9 ? 99 : number),
                by: ReplicaID(rawValue: UInt64(number)))
        }
        script.add(
            .device(name: "", key: keys[1].hexadecimal), 1_763_661_500_000, by: ReplicaID(rawValue: 99))
        _ = try device.store.merge(
            script.events.map { StoredEvent($0, epoch: EpochID(rawValue: 3)) }, acknowledged: true)
        try device.record(ConnectionState(.online, online: keys))
        #expect(try DeviceStatus(device).onlineNames == ["08080808", "desk"])
        let names = try DeviceNames(device.store)
        #expect(names[keys[0]].full == "desk (07070707)" && names[keys[1]].full == "08080808")
        #expect(try DeviceList(device).entries.contains { $0.key == keys[0] && $0.name == "desk" })
    }

    @Test("while many events wait to be replayed, it has the state before, for half a minute at most")
    func catchingUp() throws {
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        let device = try Device(laptop.machine)
        try device.enterGroup()
        _ = try device.perform(.start(label: "Write"))
        let before = try DeviceStatus(device).state.eventCount
        let time = try device.now()
        func merge(_ seqs: ClosedRange<UInt64>) throws {
            let events = try seqs.map { seq in
                let stamp = try #require(Stamp(time: time + .milliseconds(Int64(seq)), counter: 0))
                let event = Event(
                    replica: ReplicaID(rawValue: 0x21), seq: seq, stamp: stamp,
                    action: .set(key: "dailyGoal", value: Int64(seq % 90)))
                return StoredEvent(event, epoch: EpochID(rawValue: 1))
            }
            _ = try device.store.merge(events, acknowledged: true, replaying: false)
        }
        try merge(1...1_024)
        #expect(try DeviceStatus(device).state.eventCount == before + 1_024)
        try merge(1_025...1_025)
        #expect(try DeviceStatus(device).state.eventCount == before + 1_024)
        #expect(try DeviceStatus(Device(laptop.machine)).state.eventCount == before + 1_025)
        laptop.pass(.seconds(29))
        #expect(try DeviceStatus(device).state.eventCount == before + 1_024)
        laptop.pass(.seconds(1))
        #expect(try DeviceStatus(device).state.eventCount == before + 1_025)
        try device.store.replay()
        try merge(1_026...1_026)
        #expect(try DeviceStatus(device).state.eventCount == before + 1_026)
    }

    @Test("laptops with names that look the same are told apart by their keys' digits, others aren't")
    func namesakes() throws {
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        let device = try Device(laptop.machine)
        try device.enterGroup()
        _ = try device.perform(.start(label: nil))
        let run = try #require(try device.store.state().current?.id)
        laptop.pass(.seconds(1))
        let keys = try [UInt8(0xC), 0xD, 0xE].map { digit in
            try #require(Digest(bytes: [UInt8](repeating: digit * 17, count: Digest.length)))
        }
        for (index, name) in ["work", "wo\u{200B}rk", "home"].enumerated() {
            try device.merge(
                .device(name: name, key: keys[index].hexadecimal), by: 0x31 + UInt64(index), at: device.now())
        }
        // A laptop under another replica is no other laptop.
        try device.merge(.device(name: "home", key: keys[2].hexadecimal), by: 0x41, at: device.now())
        try device.merge(.pause(run, at: nil), by: 0x31, seq: 2, at: device.now(), counter: 1)
        try device.record(ConnectionState(.online, online: keys))
        let status = try DeviceStatus(device)
        #expect(status.recentPress?.shownDevice == "work (cccccccc)")
        #expect(status.recentPress?.device == "work", "JSON has the name itself")
        #expect(status.shownOnlineNames == ["home", "work (cccccccc)", "wo\u{200B}rk (dddddddd)"])
        #expect(status.onlineNames == ["home", "work", "wo\u{200B}rk"])
        #expect(status.state.name(of: ReplicaID(rawValue: 0x32)) == "wo\u{200B}rk (dddddddd)")
        #expect(status.state.name(of: ReplicaID(rawValue: 0x41)) == "home")
        #expect(status.state.name(of: ReplicaID(rawValue: 0x51)) == "another laptop")
    }

    @Test("the last press is in it for ten minutes, if another laptop of the group made it")
    func recentPress() throws {
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        let device = try Device(laptop.machine)
        func press() throws -> RecentPress? { try DeviceStatus(device).recentPress }
        _ = try device.perform(.start(label: nil))
        let run = try #require(try device.store.state().current?.id)
        laptop.pass(.seconds(60))
        try device.merge(.label(run, text: "Write", at: nil), by: 0x31, at: device.now(), epoch: nil)
        #expect(try press() == nil, "in no group")
        try device.enterGroup()
        #expect(try press()?.device == "another laptop")
        _ = try device.perform(.label("Read"))
        #expect(try press() == nil, "made here")
        laptop.pass(.seconds(1))
        try device.merge(.pause(run, at: nil), on: "work", at: device.now())
        laptop.pass(.seconds(599))
        #expect(try press()?.device == "work")
        #expect(try press()?.minutes == 9)
        laptop.pass(.seconds(1))
        #expect(try press() == nil, "too long ago")
    }

    @Test("the last press has the instant at which it took effect, however far back it was meant to reach")
    func effect() throws {
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        let device = try Device(laptop.machine)
        try device.enterGroup()
        func effect() throws -> SharedInstant? { try DeviceStatus(device).recentPress?.effect }
        _ = try device.perform(.start(label: nil))
        let (start, run) = (try device.now(), try #require(try device.store.state().current?.id))
        laptop.pass(.seconds(300))
        let now = try device.now()
        try device.merge(.pause(run, at: start + .seconds(60)), on: "work", at: now)
        #expect(try effect() == start + .seconds(60))
        try device.merge(.resume(run, at: nil), by: 0x21, seq: 3, at: now, counter: 2)
        #expect(try effect() == now)
        try device.merge(
            .undo(EventID(replica: ReplicaID(rawValue: 0x21), seq: 3)), by: 0x21, seq: 4, at: now, counter: 3)
        try device.merge(
            .undo(EventID(replica: ReplicaID(rawValue: 0x21), seq: 2)), by: 0x21, seq: 5, at: now, counter: 4)
        try device.merge(.stop(run, at: start - .seconds(60)), by: 0x21, seq: 6, at: now, counter: 5)
        #expect(try effect() == start)
    }

    @Test("the last press isn't in it any more once its phase has ended by itself")
    func pressOfEndedPhase() throws {
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        let device = try Device(laptop.machine)
        try device.enterGroup()
        _ = try device.perform(.start(label: nil))
        let run = try #require(try device.store.state().current?.id)
        laptop.pass(.seconds(1))
        try device.merge(.adjust(run, ordinal: 0, seconds: -1_380, at: nil), on: "work", at: device.now())
        laptop.pass(.seconds(118))
        let status = try DeviceStatus(device)
        #expect(status.recentPress?.device == "work")
        #expect(status.at(status.now + .seconds(2)).recentPress == nil)
        laptop.pass(.seconds(2))
        #expect(try DeviceStatus(device).recentPress == nil, "the break has begun")
    }

    @Test("a start that leads to a side run, and a press there, aren't the last press")
    func pressAside() throws {
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        let device = try Device(laptop.machine)
        try device.enterGroup()
        try device.merge(.start(Action.Start()), on: "work", at: device.now())
        laptop.pass(.seconds(1))
        try device.merge(.device(name: "home", key: nil), by: 0x31, at: device.now())
        try device.merge(.start(Action.Start()), by: 0x31, seq: 2, at: device.now(), counter: 1)
        let side = try #require(try device.store.state().sideRuns.first?.run.id)
        #expect(try DeviceStatus(device).recentPress?.device == "work")
        laptop.pass(.seconds(1))
        try device.merge(.stop(side, at: nil), by: 0x31, seq: 3, at: device.now())
        let press = try #require(try DeviceStatus(device).recentPress)
        #expect(press.device == "work" && press.action == .start(Action.Start()))
    }

    @Test("another laptop's undo and redo are presses too")
    func recentUndo() throws {
        let laptop = TestContext(home: home.path, now: 1_763_661_600_000)
        let device = try Device(laptop.machine)
        try device.enterGroup()
        try device.merge(.start(Action.Start()), on: "work", at: device.now())
        let replica = ReplicaID(rawValue: 0x21)
        for seq: UInt64 in 3...4 {
            laptop.pass(.seconds(1))
            let target = EventID(replica: replica, seq: seq - 1)
            try device.merge(.undo(target), by: 0x21, seq: seq, at: device.now())
            let press = try #require(try DeviceStatus(device).recentPress)
            #expect(press.action == .undo(target))
            #expect(press.isRedo == (seq == 4))
        }
    }
}
