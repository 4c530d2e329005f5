/// A decoder under a fuzzer: what is done with each input, and what has to hold then.
///
/// The same functions are run by libFuzzer (`make fuzz`) and, over the inputs that are kept in the repository, by
/// the tests.
package struct Fuzzer: Sendable {
    /// What it is called by, on the command line and in `Fuzz/Corpora` and `Fuzz/Failures`.
    package let name: String
    /// Takes any bytes at all. Throws `BrokenProperty` where something doesn't hold that has to.
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

/// Something doesn't hold that has to hold for every input.
struct BrokenProperty: Error, CustomStringConvertible {
    let description: String
}

/// Throws where `condition` doesn't hold; `property` says what should.
func hold(_ condition: Bool, _ property: @autoclosure () -> String) throws {
    if !condition { throw BrokenProperty(description: property()) }
}
