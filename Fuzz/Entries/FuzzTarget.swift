/// A function that passes an input to the code under test, such as a decoder, and checks properties.
///
/// libFuzzer runs these functions (`make fuzz`). The tests run them over the inputs kept in the repository.
package struct FuzzTarget: Sendable {
    /// The name, on the command line and in `Fuzz/Corpora` and `Fuzz/Failures`.
    package let name: String
    /// Takes any bytes. Throws `BrokenProperty` if a property doesn't hold.
    package let run: @Sendable ([UInt8]) throws -> Void

    /// All targets.
    package static let all = [
        FuzzTarget(name: "frames", run: fuzzFrames),
        FuzzTarget(name: "web-socket", run: fuzzWebSocket),
        FuzzTarget(name: "web-requests", run: fuzzWebRequests),
        FuzzTarget(name: "messages", run: fuzzMessages),
        FuzzTarget(name: "segments", run: fuzzSegments),
        FuzzTarget(name: "client-session", run: fuzzClientSession),
        FuzzTarget(name: "server-session", run: fuzzServerSession),
        FuzzTarget(name: "whole-server", run: fuzzWholeServer),
        FuzzTarget(name: "actions", run: fuzzActions),
        FuzzTarget(name: "checkpoints", run: fuzzCheckpoints),
        FuzzTarget(name: "journal", run: fuzzJournal),
        FuzzTarget(name: "invites", run: fuzzInvites),
        FuzzTarget(name: "epochs", run: fuzzEpochs),
        FuzzTarget(name: "logs", run: fuzzLogs),
        FuzzTarget(name: "times", run: fuzzTimes),
        FuzzTarget(name: "histories", run: fuzzHistories),
        FuzzTarget(name: "commands", run: fuzzCommands),
        FuzzTarget(name: "settings", run: fuzzSettings),
        FuzzTarget(name: "presses", run: fuzzPresses),
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
