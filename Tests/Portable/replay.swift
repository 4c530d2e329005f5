import FocusCore
import FocusText
import WASILibc

/// Computes the vectors of `Tests/FocusSealTests`, and presses on a device. Then replays the fixtures in
/// `Tests/FocusTextTests/Fixtures`, as `FixtureTests` does, and compares their states with the expected ones.
/// Reads all fixtures from standard input. Ends with status 1 if a result differs.
///
/// Each fixture begins with a line of its name, its instant, and the lengths of its log and of its state in
/// bytes. Both texts follow.
@main
enum FixtureReplay {
    static func main() {
        let failures = Libraries.failures
        for failure in failures { print("This doesn't hold in WebAssembly: \(failure)") }
        guard failures.isEmpty else { exit(1) }
        print("\(SealVector.all.count) vectors have the expected result in WebAssembly.")
        let clock = DeviceInMemory.clock() ?? "missing"
        print("A device's clock is \(clock) in WebAssembly.")
        guard clock == "23:30" else { exit(1) }
        var input = standardInput()[...]
        var (equal, different) = (0, 0)
        while let fixture = Fixture(from: &input) {
            if fixture.hasExpectedState {
                equal += 1
            } else {
                different += 1
                print("The fixture \(fixture.name) has another state.")
            }
        }
        guard input.isEmpty else {
            print("\(input.count) bytes of the input are no fixture.")
            exit(1)
        }
        print("\(equal) fixtures have the expected state in WebAssembly, \(different) have another.")
        exit(equal > 0 && different == 0 ? 0 : 1)
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
private struct Fixture {
    let name: String
    private let now: SharedInstant
    private let log: [UInt8]
    private let state: [UInt8]

    /// Removes the first fixture from `input`. Fails if there is no whole one.
    init?(from input: inout ArraySlice<UInt8>) {
        guard let end = input.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let words = String(decoding: input[..<end], as: UTF8.self).split(separator: " ")
        guard words.count == 4, let now = InstantText.parse(String(words[1])), let logLength = Int(words[2]),
            let stateLength = Int(words[3]), logLength >= 0, stateLength >= 0
        else { return nil }
        let rest = input[(end + 1)...]
        guard logLength <= rest.count, stateLength <= rest.count - logLength else { return nil }
        name = String(words[0])
        self.now = now
        log = Array(rest.prefix(logLength))
        state = Array(rest.dropFirst(logLength).prefix(stateLength))
        input = rest.dropFirst(logLength + stateLength)
    }

    /// Whether the log has the expected state, also if its events arrive in the reverse order or twice.
    var hasExpectedState: Bool {
        guard let lines = try? LogText.parse(log), let expected = try? JSON(parsing: state) else {
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
