import FocusCore
import FocusText
import WASILibc

/// If the first line of standard input is `devices`, answers each line after it as `StoryDevices` does.
/// Otherwise computes the vectors of `Tests/FocusSealTests`, presses on a device, and runs the test cases on
/// standard input: the fixtures in `Tests/FocusTextTests/Fixtures`, as `FixtureTests` does, the recorded
/// sessions of `Tests/FocusSyncTests`, and random logs. Ends with status 1 if a result differs.
@main
enum PortableTests {
    /// The kinds of test cases that must be there.
    private static let kinds = ["fixture", "session", "log"]

    static func main() {
        var input = StandardInput()
        let first = input.line()
        if first == "devices" {
            var devices = StoryDevices()
            while let line = input.line() {
                print(devices.answer(line))
                fflush(nil)
            }
            return
        }
        let failures = Libraries.failures
        for failure in failures { print("This doesn't hold in WebAssembly: \(failure)") }
        guard failures.isEmpty else { exit(1) }
        print("\(SealVector.all.count) vectors have the expected result in WebAssembly.")
        let clock = DeviceInMemory.clock() ?? "missing"
        print("A device's clock is \(clock) in WebAssembly.")
        guard clock == "23:30" else { exit(1) }
        runTestCases(input.rest())
    }

    private static func runTestCases(_ bytes: [UInt8]) {
        var input = bytes[...]
        var passed: [String: Int] = [:]
        var failed = 0
        while let test = TestCase(from: &input) {
            if let failure = test.failure {
                failed += 1
                print("In WebAssembly, the \(test.kind) \(test.name) fails: \(failure).")
            } else {
                passed[test.kind, default: 0] += 1
            }
        }
        guard input.isEmpty else {
            print("\(input.count) bytes of the input are no test case.")
            exit(1)
        }
        for kind in kinds { print("\(kind): \(passed[kind] ?? 0) pass in WebAssembly.") }
        exit(failed == 0 && kinds.allSatisfy { passed[$0] != nil } ? 0 : 1)
    }
}

/// A log, an instant, and the state that the log has then.
struct Fixture {
    private let now: SharedInstant?
    private let log: [UInt8]
    private let state: [UInt8]

    /// Creates the fixture from its three files.
    init(_ parts: [[UInt8]]) {
        now = InstantText.parse(String(decoding: parts[0], as: UTF8.self))
        log = parts[1]
        state = parts[2]
    }

    /// Whether the log has the expected state, also if its events arrive in the reverse order or twice.
    var hasExpectedState: Bool {
        guard let now, let lines = try? LogText.parse(log), let expected = try? JSON(parsing: state) else {
            return false
        }
        let events = lines.map { $0.event }
        return [events, events.reversed(), events + events].allSatisfy { arriving in
            var timeline = Timeline(checkpointInterval: 2)
            guard (try? timeline.merge(arriving)) != nil else { return false }
            return StateDocument.replay(timeline.state, timeline.journal, at: now).ordered == expected.ordered
        }
    }
}
