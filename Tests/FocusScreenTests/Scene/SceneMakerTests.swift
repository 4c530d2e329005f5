import ClientSupport
import FocusContact
import FocusCore
import FocusDevice
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

    private struct OtherScene: Error {}
}
