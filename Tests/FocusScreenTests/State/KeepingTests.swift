import CursesKit
import FocusClient
import FocusCore
import FocusDevice
import FocusScreen
import FocusText
import Testing

@Suite("The stored state of the full-screen view")
struct KeepingTests {
    private func kept(_ view: ViewState) throws -> ViewState {
        ViewState(try JSON(parsing: Array("\(view.json)".utf8)))
    }

    @Test("half-typed fields are restored with the cursor's position")
    func fields() throws {
        let run = try #require(RunID(text: "1763661600000.1@9f2c6a1b00d4e7aa"))
        let entry = Field.relabel(RecordName(run: run, ordinal: 3))
        let fields: [Field] =
            [.label, .start, .filter, .name, .profile, .entry, .range, entry]
            + SettingKey.allCases.map(Field.setting)
        for field in fields {
            var view = ViewState()
            view.dialog = .field(field, TextField("half typ", cursor: 3))
            #expect(try kept(view) == view)
        }
        var view = ViewState()
        view.dialog = .help(top: 4)
        #expect(try kept(view) == view)
    }

    @Test("questions, messages and pending operations aren't stored")
    func passing() throws {
        var view = ViewState()
        view.dialog = .question(.accept(DeviceRow(id: "desk", name: "desk", .latecomer, remark: "")))
        view.message = "Took back the stop."
        view.pendingOperation = .joining
        #expect(try kept(view) == ViewState())
    }

    @Test("a typed invite isn't stored, because it is a secret")
    func invite() throws {
        var view = ViewState()
        view.dialog = .field(.invite, TextField("lockstep1-aeaq", limit: 4096))
        #expect(try kept(view) == ViewState())
        #expect(!"\(view.json)".contains("lockstep1"))
    }

    @Test(
        "unreadable parts get the values of a new view",
        arguments: [
            "null", "[]", "{}", #"{"screen":"cinema","filter":7,"phase":[],"bar":["x","y"]}"#,
            #"{"yearsBack":99999999999999999999,"dialog":{"field":"no","text":"x","cursor":1}}"#,
            #"{"dialog":{"field":"entry 12@x/1","text":"x","cursor":1}}"#,
            #"{"yearsBack":-4,"phase":[null,-9],"device":{},"setting":1,"dialog":{"help":null}}"#,
        ])
    func damaged(text: String) throws {
        #expect(ViewState(try JSON(parsing: Array(text.utf8))) == ViewState())
    }

    @Test("extreme numbers do no harm")
    func extremes() throws {
        let text =
            #"{"yearsBack":9223372036854775807,"bar":[9223372036854775807,9223372036854775807],"#
            + #""dialog":{"help":9223372036854775807}}"#
        var view = ViewState(try JSON(parsing: Array(text.utf8)))
        let size = TerminalSize(rows: 12, columns: 40)
        let scene = Scene(
            presentation: Samples.stopped(), settings: Settings(),
            content: .statistics(try Samples.statistics(view.statistics)))
        _ = ScreenFrame.draw(view, scene, size, Capabilities(colours: .none, isUnicode: true))
        for key in [.down, .escape, .down, .up, .pageDown, .end] as [Key] {
            _ = view.press(key, on: scene, size)
        }
        #expect(view.statistics.yearsBack <= 100)
    }
}
