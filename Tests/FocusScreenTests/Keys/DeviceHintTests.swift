import CursesKit
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusLink
import FocusScreen
import TestSupport
import Testing

// Hints of the devices screen.
extension HintKeyTests {
    private func devices(_ server: DeviceRow.Server?) throws -> Scene {
        let rows = [
            DeviceRow(
                id: "desk", name: "desk", .this, remark: "this laptop, online, last used just now",
                shortRemark: "this one, online, used just now", server: server),
            DeviceRow(id: "home", name: "home", .member, remark: "online"),
        ]
        let group = GroupStatus.group(GroupConnectionStatus(.online))
        return try scene(.devices(rows), Samples.running(for: minutes(8), sharing: group))
    }

    @Test("the laptop with the group's server says so, and how to end or continue that")
    func server() throws {
        let running = rows(opened(.devices), try devices(.running))
        #expect(running.contains { $0.contains("server runs here. 'focus share --stop' ends that.") })
        #expect(running.last?.contains("S Share") == false)
        let stopped = rows(opened(.devices), try devices(.stopped))
        #expect(stopped.contains { $0.contains("was here. S starts it again.") })
        #expect(stopped.last?.hasPrefix(" S Share  i Invite") == true)
        var view = opened(.devices)
        #expect(press(&view, try devices(.running), .character("S")) == .share)
        #expect(press(&view, try devices(nil), .character("S")) == nil)
        #expect(view.message?.contains("leave the group first (p)") == true)
    }

    @Test("before the laptop with the server leaves, it says what becomes of the others")
    func leaving() throws {
        for (server, isSaid) in [(.running, true), (.stopped, false), (nil, false)]
            as [(DeviceRow.Server?, Bool)]
        {
            var view = opened(.devices)
            let scene = try devices(server)
            press(&view, scene, .character("p"))
            let text = rows(view, scene).flatMap { $0.split(separator: " ") }.joined(separator: " ")
            #expect(text.contains("Leave the group?"))
            #expect(text.contains("they then have none") == isSaid)
        }
    }

    @Test("few columns show a shorter remark about a laptop, to its end")
    func remarks() throws {
        let scene = try devices(nil)
        #expect(rows(opened(.devices), scene)[3].contains("this laptop, online, last used just now"))
        let narrow = rows(opened(.devices), scene, columns: 40)
        #expect(narrow[3].contains("desk  this one, online, used just now"))
        let alone = DeviceList.Entry.this("desk")
        #expect(alone.remarks(at: .zero) == ["this laptop", "no session yet"])
        #expect(alone.remarks(at: .zero, isShort: true) == ["this one", "no session yet"])
    }

    @Test("sharing doesn't say who is in the group, because others may have joined since")
    func shared() {
        let joined = JoinResult(
            addresses: ["a"], name: "desk", others: [], hasNamesake: false, notices: [])
        var view = opened(.devices)
        view.showShared(
            SharedInvite(
                invite: PublishedInvite(text: "lockstep1-x", notices: []), port: 7853, joined: joined,
                problems: [.noNetwork]), ["A note."])
        #expect(view.message?.hasPrefix("This laptop shares the session, at port 7853.") == true)
        #expect(view.message?.contains("no other laptop yet") == false)
        #expect(view.message?.contains("no address on a network now") == true)
        #expect(view.message?.hasSuffix(" A note.") == true)
    }
}
