import FocusCore
import FocusText
import WASILibc

/// Computes the vectors of `Tests/FocusSealTests`, presses on a device, and plays a story of three devices.
/// Then runs the test cases on standard input: the fixtures in `Tests/FocusTextTests/Fixtures`, as
/// `FixtureTests` does, the recorded sessions of `Tests/FocusSyncTests`, and random logs. Ends with status 1 if
/// a result differs.
@main
enum PortableTests {
    /// The kinds of test cases that must be there.
    private static let kinds = ["fixture", "session", "log"]

    static func main() {
        let failures = Libraries.failures
        for failure in failures { print("This doesn't hold in WebAssembly: \(failure)") }
        guard failures.isEmpty else { exit(1) }
        print("\(SealVector.all.count) vectors have the expected result in WebAssembly.")
        let clock = DeviceInMemory.clock() ?? "missing"
        print("A device's clock is \(clock) in WebAssembly.")
        guard clock == "23:30" else { exit(1) }
        if let failure = GroupStory.failure() {
            print("In WebAssembly, the story of three devices fails: \(failure).")
            exit(1)
        }
        print("Three devices agree in WebAssembly.")
        var input = standardInput()[...]
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

    /// Returns all bytes of standard input.
    private static func standardInput() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = read(STDIN_FILENO, &buffer, buffer.count), count > 0 {
            bytes += buffer.prefix(count)
        }
        return bytes
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
