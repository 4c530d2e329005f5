import ClientSupport
import FocusContact
import FocusCore
import FocusDevice
import FocusLink
import FocusScreen
import FocusStore
import TestSupport
import Testing

@Suite("Scenes of a model")
struct SceneMakerTests {
    @Test("show the day's total and the history, or the entries searched for, as they are after each press")
    func following() throws {
        let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
        let time = VirtualTime(laptop)
        let model = try DeviceModel(Device(laptop.machine), time) {}
        let scenes = SceneMaker(model)
        var view = ViewState()
        for (count, label) in ["Write", "Read", "Mail"].enumerated() {
            try model.perform(.start(label: label))
            time.pass(.seconds(90))
            try model.perform(.stop)
            view.screen = .timer
            guard case .timer(let today, let week, _, _) = scenes.scene(for: view).content else {
                throw OtherScene()
            }
            #expect(today == FocusTotal(focus: .seconds(90 * Int64(count + 1)), completed: 0))
            #expect(week == today)
            view.screen = .history
            for (filter, choices) in [("", count + 1), ("wri", 1), ("x", 0), ("", count + 1)] {
                view.history.filter = filter
                guard case .history(let list) = scenes.scene(for: view).content else { throw OtherScene() }
                #expect(list.choiceCount == choices, "\(label), '\(filter)'")
            }
        }
    }

    @Test("the list of devices shows the standing of each")
    func standings() throws {
        let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
        let time = VirtualTime(laptop)
        let device = try Device(laptop.machine)
        try device.enterGroup()
        let keys = (1...7 as ClosedRange<UInt8>).map { Digest(InlineArray(repeating: $0)) }
        try device.store.setDeviceKey(keys[0])
        for (index, name) in ["home", "late", "lost", "back", "gone"].enumerated() {
            try device.merge(
                .device(name: name, key: keys[index + 1].hexadecimal), by: 0x21 + UInt64(index),
                at: 1_763_661_000_000 + .milliseconds(Int64(index)))
        }
        try device.store.replaceStandings(with: [keys[2]: .outdated])
        try device.rule([.revoke(keys[3]), .revoke(keys[4])])
        try device.rule([.readmit(keys[4])])
        // A device that leaves revokes itself.
        try device.merge(.revoke(keys[5]), by: 0x25, seq: 2, at: 1_763_661_001_000)
        try device.merge(.device(name: "old", key: nil), by: 0x26, at: 1_763_661_002_000)
        try device.store.upsert([RosterEntry(device: keys[6], isRevoked: false)])
        var view = ViewState()
        view.screen = .devices
        let scene = SceneMaker(try DeviceModel(device, time) {}).scene(for: view)
        guard case .devices(let rows) = scene.content else { throw OtherScene() }
        let expected: [String: DeviceRow.Standing] = [
            "laptop": .this, "home": .member, "late": .latecomer, "lost": .revoked, "back": .readmitted,
            "gone": .left, "old": .keyless, "07070707": .listed,
        ]
        #expect(Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0.standing) }) == expected)
    }

    @Test("the list of devices says whether this laptop has the group's server, and whether that runs")
    func server() throws {
        let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
        let device = try Device(laptop.machine)
        try device.shareGroup()
        let server = SharedServer(device.home)
        let scenes = SceneMaker(try DeviceModel(device, VirtualTime(laptop)) {})
        var view = ViewState()
        view.screen = .devices
        for (record, expected, remark) in [
            (.init(port: 1, isOn: true), .running, "this laptop, the server, "),
            (.init(port: 1, isOn: false), .stopped, "this laptop, no session yet"),
            (.init(port: 1, isOn: false, isMoving: true), nil, "this laptop, no session yet"),
        ] as [(SharedServer.Record, DeviceRow.Server?, String)] {
            try server.store(record)
            guard case .devices(let rows) = scenes.scene(for: view).content else { throw OtherScene() }
            #expect(rows.map(\.server) == [expected])
            #expect(rows.first?.remark.hasPrefix(remark) == true)
        }
        // The group has another server.
        try device.store.setServerPin(ServerPin(Digest(InlineArray(repeating: 1))))
        try server.store(SharedServer.Record(port: 1, isOn: true))
        guard case .devices(let rows) = scenes.scene(for: view).content else { throw OtherScene() }
        #expect(rows.map(\.server) == [nil])
    }

    @Test("the history has the names of the other laptops of the group")
    func laptops() throws {
        let laptop = TestContext(folder: TemporaryHome(), now: 1_763_661_600_000)
        let time = VirtualTime(laptop)
        let device = try Device(laptop.machine)
        try device.enterGroup()
        let model = try DeviceModel(device, time) {}
        try model.perform(.start(label: "Mine"))
        time.pass(.seconds(90))
        try model.perform(.stop)
        let entry = Action.Record(
            activity: "work", startedAt: 1_763_661_000_000, endedAt: 1_763_661_300_000, outcome: "completed",
            label: "Theirs", source: "desk")
        try device.merge(.record(entry), on: "desk", at: 1_763_661_500_000)
        model.refresh()
        var view = ViewState()
        view.screen = .history
        guard case .history(let rows) = SceneMaker(model).scene(for: view).content else { throw OtherScene() }
        let laptops = rows.compactMap { row -> String? in
            guard case .phase(let phase) = row else { return nil }
            return "\(phase.label) \(phase.laptop ?? "here")"
        }
        #expect(laptops == ["Mine here", "Theirs desk"])
    }

    private struct OtherScene: Error {}
}
