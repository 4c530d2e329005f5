import FocusCore
import TestSupport
import Testing

@testable import FocusServer
@testable import FocusWriter

@Suite struct LogTests {
    @Test("a line is one line of key=value, whatever the values are") func line() {
        let line = LogLine.text(
            .warning, "refused",
            ["device": "0123abcd", "reason": "a \"b\"\nc=d\u{7}", "empty": "", "peer": "a\u{9B}b\u{202E}"]
                as KeyValuePairs,
            time: SharedInstant(milliseconds: 1_763_661_600_250))
        #expect(
            line
                == "time=2025-11-20T18:00:00.250Z level=warning event=refused device=0123abcd "
                + #"reason="a \"b\"\nc=d\#u{FFFD}" empty="" peer=a\#u{FFFD}b\#u{FFFD}"# + "\n")
    }

    @Test("levels are in order") func levels() {
        #expect(Log.Level.allCases == Log.Level.allCases.sorted())
    }
}
