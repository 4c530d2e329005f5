/// A decoder under test: a function that takes each input and checks properties.
///
/// libFuzzer runs these functions (`make fuzz`). The tests run them over the inputs kept in the repository.
package struct Fuzzer: Sendable {
    /// The name, on the command line and in `Fuzz/Corpora` and `Fuzz/Failures`.
    package let name: String
    /// Takes any bytes. Throws `BrokenProperty` if a property doesn't hold.
    package let run: @Sendable ([UInt8]) throws -> Void

    /// Every fuzzer.
    package static let all = [
        Fuzzer(name: "frames", run: fuzzFrames),
        Fuzzer(name: "messages", run: fuzzMessages),
        Fuzzer(name: "segments", run: fuzzSegments),
        Fuzzer(name: "client-session", run: fuzzClientSession),
        Fuzzer(name: "server-session", run: fuzzServerSession),
        Fuzzer(name: "whole-server", run: fuzzWholeServer),
        Fuzzer(name: "actions", run: fuzzActions),
        Fuzzer(name: "checkpoints", run: fuzzCheckpoints),
        Fuzzer(name: "journal", run: fuzzJournal),
        Fuzzer(name: "invites", run: fuzzInvites),
        Fuzzer(name: "epochs", run: fuzzEpochs),
        Fuzzer(name: "logs", run: fuzzLogs),
        Fuzzer(name: "times", run: fuzzTimes),
        Fuzzer(name: "histories", run: fuzzHistories),
        Fuzzer(name: "commands", run: fuzzCommands),
        Fuzzer(name: "settings", run: fuzzSettings),
        Fuzzer(name: "presses", run: fuzzPresses),
    ]
}

/// A property that doesn't hold for an input.
struct BrokenProperty: Error, CustomStringConvertible {
    let description: String
}

/// Throws if `condition` is false. `property` is a sentence that says what should hold.
func hold(_ condition: Bool, _ property: @autoclosure () -> String) throws {
    if !condition { throw BrokenProperty(description: property()) }
}
