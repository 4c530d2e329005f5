import ClientSupport
import CommandLineKit
import FocusClient
import FocusCore
import FocusDevice
import FocusFront
import FocusStore
import FocusText
import TestSupport
import Testing

@Suite("focus status --bar")
struct BarTests {
    private let home = TemporaryHome()
    private let laptop: TestContext

    init() {
        BerlinTime.set()
        // 19:00 in Berlin.
        laptop = TestContext(home: home.path, now: 1_763_661_600_000)
    }

    /// A label with the special characters of every bar.
    private static let odd = #"<i>&"' %{F#f00} #[bold] #(id) a|b ~~~ \n 🍅"#

    private func bar(_ name: Bar) -> String { laptop.run("status --bar \(name.rawValue)").output }

    @Test("Waybar gets an object on one line, with class, percentage and a tooltip")
    func waybar() {
        laptop.play(("start Write", 375))
        #expect(
            bar(.waybar) == """
                {"text":"Work 18:45 Write","alt":"running",\
                "tooltip":"Work 18:45 until 19:25\\nWrite\\n◉ ○ ○ ○\\n\
                Only on this laptop. To share it with your others: focus share",\
                "class":["work","running"],"percentage":25}

                """)
        _ = laptop.run("pause")
        let paused = try? JSON(parsing: bar(.waybar).utf8)
        #expect(paused?["alt"] == .string("paused"))
        #expect(paused?["class"] == .array([.string("work"), .string("paused")]))
        #expect(paused?["text"] == .string("Work paused 18:45 Write"))
        guard case .string(let tooltip)? = paused?["tooltip"] else { return #expect(Bool(false), "no text") }
        #expect(tooltip.hasPrefix("Work paused 18:45 would end 19:25\n"))
    }

    @Test("each bar shows added time beside the clock, except in i3blocks' short text")
    func added() throws {
        laptop.play(("start Write", 0), ("add 5m", 0))
        let waybar = try JSON(parsing: bar(.waybar).utf8)
        #expect(waybar["text"] == .string("Work 30:00 +5m Write"))
        #expect(bar(.polybar) == "%{F#E44F72}Work 30:00 +5m until 19:30%{F-} Write\n")
        #expect(bar(.tmux) == "#[fg=#E44F72]Work 30:00 +5m until 19:30#[default] Write\n")
        #expect(bar(.swiftbar).hasPrefix("Work 30:00 +5m | color=#E44F72"))
        let i3blocks = try JSON(parsing: bar(.i3blocks).utf8)
        #expect(i3blocks["full_text"] == .string("Work 30:00 +5m until 19:30 Write"))
        #expect(i3blocks["short_text"] == .string("30:00"))
    }

    @Test("characters that change the text direction are replaced in bars and hooks")
    func direction() throws {
        _ = laptop.run("start a\u{202E}b")
        for form in [Bar.waybar, .i3blocks] {
            let shown = try JSON(parsing: bar(form).utf8)
            #expect("\(shown)".contains("\\u202e") == false)
            guard case .string(let text)? = shown["text"] ?? shown["full_text"] else {
                return #expect(Bool(false), "no text")
            }
            #expect(text.hasSuffix(" a\u{FFFD}b"))
        }
        for form in [Bar.polybar, .tmux, .swiftbar] { #expect(!bar(form).contains("\u{202E}")) }
        let device = try Device(laptop.machine)
        let timer = TimerState(try device.store.state(), at: try device.now())
        let heard = Happening(.start, .other("\u{2066}home\u{2069}"), timer)
            .variables(device: "work", at: try device.now())
        #expect(heard["FOCUS_LABEL"] == "a\u{FFFD}b")
        #expect(heard["FOCUS_DEVICE"] == "\u{FFFD}home\u{FFFD}")
    }

    @Test("each bar shows that the timer is stopped")
    func stopped() throws {
        let waybar = try JSON(parsing: bar(.waybar).utf8)
        #expect(waybar["class"] == .array([.string("work"), .string("stopped")]))
        #expect(waybar["percentage"] == .integer(0))
        #expect(bar(.polybar) == "%{F#8C8C8C}Stopped 25:00%{F-}\n")
        #expect(bar(.tmux) == "#[fg=#8C8C8C]Stopped 25:00#[default]\n")
        #expect(
            bar(.i3blocks) == """
                {"full_text":"Stopped 25:00","short_text":"25:00","color":"#8C8C8C","markup":"none"}

                """)
        #expect(bar(.swiftbar).hasPrefix("Stopped 25:00 | color=#8C8C8C "))
        #expect(!bar(.swiftbar).contains("Stop |"))
        #expect(home.files == [])
    }

    @Test("a bar's special characters in a label are escaped or replaced")
    func oddLabels() throws {
        _ = laptop.run(["start", BarTests.odd])
        let waybar = try JSON(parsing: bar(.waybar).utf8)
        #expect(
            waybar["text"]
                == .string(#"Work 25:00 &lt;i&gt;&amp;&quot;&apos; %{F#f00} #[bold] #(id) a|b ~~~ \n 🍅"#))
        #expect(
            bar(.polybar)
                == #"%{F#E44F72}Work 25:00 until 19:25%{F-} <i>&"' %%{F-}{F#f00} #[bold] #(id) a|b ~~~ \n 🍅"#
                + "\n")
        #expect(
            bar(.tmux)
                == ##"#[fg=#E44F72]Work 25:00 until 19:25#[default] <i>&"' %{F##f00} ##[bold] ##(id) a|b ~~~ \n 🍅"##
                + "\n")
        let block = try JSON(parsing: bar(.i3blocks).utf8)
        #expect(block["full_text"] == .string("Work 25:00 until 19:25 \(BarTests.odd)"))
        #expect(block["markup"] == .string("none"))
        let label = bar(.swiftbar).split(separator: "\n").first { $0.hasPrefix("Label: ") }
        #expect(
            label.map(String.init)
                == #"Label: <i>&"' %{F#f00} #[bold] #(id) a¦b ~ ~ ~ ∖n 🍅 | emojize=false symbolize=false"#)
    }

    @Test("special characters are escaped also under a combining accent and in long rows")
    func marked() throws {
        let accent = "\u{301}"
        _ = laptop.run([
            "start", ["<", "&", "|", "%{", "##[", "~~~"].joined(separator: accent) + accent + "~~~~~",
        ])
        let waybar = try JSON(parsing: bar(.waybar).utf8)
        let text = ["Work 25:00 &lt;", "&amp;", "|", "%{", "##[", "~~~", "~~~~~"].joined(separator: accent)
        #expect(waybar["text"] == .string(text))
        let polybar = [
            "%{F#E44F72}Work 25:00 until 19:25%{F-} <", "&", "|", "%%{F-}{", "##[", "~~~", "~~~~~\n",
        ]
        #expect(bar(.polybar) == polybar.joined(separator: accent))
        let tmux = [
            "#[fg=#E44F72]Work 25:00 until 19:25#[default] <", "&", "|", "%{", "####[", "~~~", "~~~~~\n",
        ]
        #expect(bar(.tmux) == tmux.joined(separator: accent))
        let item = [
            "Label: <", "&", "\u{A6}", "%{", "##[", "~ ~ ~", "~ ~ ~ ~ ~ | emojize=false symbolize=false",
        ]
        let label = bar(.swiftbar).split(separator: "\n").first { $0.hasPrefix("Label: ") }
        #expect(label.map(String.init) == item.joined(separator: accent))
    }

    @Test(
        "signs '#' in a label are multiplied so that tmux shows the label unchanged",
        arguments: [
            ("C# #1", "C## ##1"), ("##", "######"), ("##[x] #", "####[x] ##"), ("###{", "##########{"),
        ])
    func tmuxSigns(label: String, escaped: String) {
        _ = laptop.run(["start", label])
        #expect(bar(.tmux) == "#[fg=#E44F72]Work 25:00 until 19:25#[default] \(escaped)\n")
    }

    @Test("each bar tells when the phase ends, or would end if it is paused", arguments: Bar.allCases)
    func ends(name: Bar) {
        laptop.play(("start", 60))
        #expect(bar(name).lowercased().contains("until 19:25"))
        _ = laptop.run("pause")
        #expect(bar(name).lowercased().contains("would end 19:25"))
    }

    @Test("SwiftBar gets a title and a menu with the presses that are possible now")
    func swiftbar() {
        laptop.play(("start Write", 60))
        #expect(
            bar(.swiftbar) == """
                Work 24:00 | color=#E44F72 emojize=false symbolize=false
                ---
                Until 19:25 | emojize=false symbolize=false
                Label: Write | emojize=false symbolize=false
                Only on this laptop. To share it with your others: focus share | emojize=false symbolize=false
                ---
                Pause | bash="/usr/local/bin/focus" param1=toggle terminal=false
                Skip | bash="/usr/local/bin/focus" param1=skip terminal=false
                Done | bash="/usr/local/bin/focus" param1=done terminal=false
                Break | bash="/usr/local/bin/focus" param1=break terminal=false
                Add 5 minutes | bash="/usr/local/bin/focus" param1=add param2=5m terminal=false
                Stop | bash="/usr/local/bin/focus" param1=stop terminal=false
                Undo | bash="/usr/local/bin/focus" param1=undo terminal=false

                """)
    }

    @Test("a paused timer has its own colour in every bar", arguments: Bar.allCases)
    func paused(name: Bar) {
        laptop.play(("start", 60))
        let running = bar(name)
        _ = laptop.run("pause")
        #expect(bar(name).contains("Work paused 24:00"))
        // Waybar's colours come from its classes.
        #expect(bar(name).contains("#D9962B") == (name != .waybar))
        #expect(!running.contains("#D9962B"))
    }

    @Test("a break has its own colour and class")
    func breaks() throws {
        laptop.play(("start", 0), ("skip", 0))
        #expect(bar(.polybar) == "%{F#52A57B}Break 05:00 until 19:05%{F-}\n")
        let waybar = try JSON(parsing: bar(.waybar).utf8)
        #expect(waybar["class"] == .array([.string("break"), .string("running")]))
    }

    @Test("--bar is refused with --json or --format, and an unknown bar's error names the known ones")
    func usage() {
        #expect(laptop.run("status --bar tmux --json").status == .usage)
        #expect(laptop.run("status --bar tmux --format {clock}").status == .usage)
        #expect(laptop.run("status --bar dwm").messages.contains("waybar, polybar, i3blocks, tmux, swiftbar"))
    }

    @Test(
        "an i3blocks click is recognised by its button, given as a number or as text; another line is none",
        arguments: [
            (#"{"button":1,"full_text":"Work"}"#, .toggle), (#"{"button":"2"}"#, .stop),
            (#"{"x":5,"button":3}"#, .skip), ("", nil), ("1", nil), ("[]", nil), ("{}", nil), ("{", nil),
            (#"{"button":4}"#, nil), (#"{"button":null}"#, nil),
        ] as [(String, Interaction?)])
    func clicks(line: String, interaction: Interaction?) {
        #expect(BarClick(line.utf8)?.interaction == interaction)
    }
}
