import ClientSupport
import CursesKit
import FocusCore
import FocusFront
import FocusScreen
import FocusText
import TestSupport
import Testing

@testable import FocusClient
@testable import FocusDevice
@testable import FocusLink

// Keys that revoke one device or several, keys that accept or readmit devices, the key that shares, and the
// answer whether to leave without telling the server.
extension KeyTests {
    @Test("S shares from this laptop, unless something is being done already")
    func sharing() throws {
        var view = opened(.devices)
        let list = try scene(.devices([row("desk", .this)]))
        #expect(press(&view, list, .character("S")) == .share)
        view.pendingOperation = .sharing
        #expect(press(&view, list, .character("S")) == nil)
        #expect(view.message == "Something is being done already.")
    }

    @Test("a laptop that can't tell its server leaves after another yes, unless something is typed meanwhile")
    func untold() throws {
        let question = LeaveResult.question("The server is gone. Leave anyway?")
        let list = try scene(.devices([row("desk", .this)]), .group(GroupConnectionStatus(.online)))
        for (key, effect) in [("n", nil), ("y", .leaveGroup(untold: true))] as [(Unicode.Scalar, Effect?)] {
            var view = opened(.devices)
            view.showLeft(question, [])
            #expect(view.dialog == .question(.leaveUntold("The server is gone. Leave anyway?")))
            #expect(press(&view, list, .character(key)) == effect)
            #expect(view.dialog == .none)
        }
        var view = opened(.devices)
        view.dialog = .help(top: 0)
        view.showLeft(question, [])
        #expect(view.dialog == .help(top: 0))
        #expect(view.message?.contains("stays in the group") == true)
        view.showLeft(.done(["It has left."]), ["One note."])
        #expect(view.message == "It has left. One note.")
    }

    @Test("y also revokes devices that only the server lists, and o only the selected device")
    func unnamed() throws {
        var view = opened(.devices)
        let rows = [row("desk", .this), row("home"), row("cccccccc", .listed), row("dddddddd", .listed)]
        let list = try scene(.devices(rows), .group(GroupConnectionStatus(.online)))
        _ = press(&view, list, .down, .character("d"))
        #expect(view.dialog == .question(.revoke(rows[1], along: [rows[2], rows[3]])))
        #expect(
            press(&view, list, .character("y"))
                == .revoke(["key of home", "key of cccccccc", "key of dddddddd"]))
        #expect(press(&view, list, .character("d"), .character("o")) == .revoke(["key of home"]))
        #expect(view.dialog == .none)
        _ = press(&view, list, .down, .character("d"))
        #expect(view.dialog == .question(.revoke(rows[2], along: [rows[3]])), "itself is no other")
    }

    @Test(
        "a latecomer is accepted after a yes, and a revoked device is readmitted at once"
    )
    func accepting() throws {
        var view = opened(.devices)
        let rows = [
            row("desk", .this), row("late", .latecomer), row("old", .revoked), row("back", .readmitted),
        ]
        let list = try scene(.devices(rows), .group(GroupConnectionStatus(.online)))
        #expect(press(&view, list, .character("a")) == nil)
        #expect(view.message == "desk isn't waiting to be accepted.")
        #expect(press(&view, list, .down, .character("a")) == nil)
        #expect(view.dialog == .question(.accept(rows[1])))
        #expect(press(&view, list, .character("n")) == nil)
        #expect(press(&view, list, .character("a"), .character("y")) == .accept("key of late"))
        #expect(press(&view, list, .character("b")) == nil)
        #expect(view.message == "late isn't shut out.")
        #expect(press(&view, list, .down, .character("b")) == .readmit("key of old"))
        #expect(press(&view, list, .down, .character("b")) == nil)
        #expect(view.message == "back isn't shut out.")
        // A readmitted device can be revoked again.
        #expect(press(&view, list, .character("d"), .character("y")) == .revoke(["key of back"]))
    }

    @Test("after joining, a former self is offered for shutting out on the devices screen, and stays after n")
    func formerSelf() throws {
        let key = Digest(InlineArray(repeating: 0xBB))
        let former = FormerSelf(key: key, title: "desk (bbbbbbbb)", age: .seconds(259_200))
        let joined = JoinResult(
            addresses: ["a"], name: "desk", others: [former.title], hasNamesake: true, former: former,
            notices: [])
        let list = try scene(.devices([row("desk", .this)]), .group(GroupConnectionStatus(.online)))
        let answers: [(Unicode.Scalar, Effect?)] = [("n", nil), ("y", .revoke([key.hexadecimal]))]
        for (answer, effect) in answers {
            var view = opened(.devices)
            view.showJoined(joined, "")
            #expect(view.dialog == .question(.revokeFormer(former)))
            #expect(view.message?.contains("e, among the devices, gives this one a name") == true)
            #expect(press(&view, list, .character(answer)) == effect)
            #expect(view.dialog == .none)
        }
        var elsewhere = ViewState()
        elsewhere.showJoined(joined, "")
        #expect(elsewhere.dialog == .none)
    }

    @Test("the next steps after a laptop was readmitted name it by its key, in lines of at most 80 columns")
    func readmitted() {
        let found = DeviceSelector.Match(key: Digest(InlineArray(repeating: 0xAB)), title: "desk")
        #expect(found.readmission == "The revocation of desk is taken back.")
        for isRefused in [true, false] {
            let next = found.afterReadmission(isRefused: isRefused)
            #expect(next.contains("\n  focus devices accept abababab\n") == !isRefused)
            #expect(next.contains("If the server") == !isRefused)
            #expect(next.hasSuffix("\n  focus devices revoke abababab"))
            #expect(next.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }
    }

    @Test(
        "a second question is about devices that a revoked one may have let in, and Esc changes nothing"
    )
    func recent() throws {
        var view = opened(.devices)
        func row(_ name: String, _ arrival: Int, isRecent: Bool = true) -> DeviceRow {
            DeviceRow(
                id: "key of \(name)", name: name, .member, remark: "", isRecent: isRecent, arrival: arrival)
        }
        let rows = [row("old", 1), row("lost", 2), row("kept", 3, isRecent: false), row("new", 4)]
        let list = try scene(.devices(rows), .group(GroupConnectionStatus(.online)))
        #expect(press(&view, list, .down, .character("d"), .character("y")) == nil)
        #expect(view.dialog == .question(.revokeToo([rows[3]], with: [rows[1]])))
        #expect(press(&view, list, .character("n")) == .revoke(["key of lost"]))
        #expect(
            press(&view, list, .character("d"), .character("y"), .character("y"))
                == .revoke(["key of lost", "key of new"]))
        #expect(press(&view, list, .character("d"), .character("y"), .escape) == nil)
        #expect(view.dialog == .none)
        #expect(press(&view, list, .down, .down, .character("d"), .character("y")) == .revoke(["key of new"]))
    }
}
