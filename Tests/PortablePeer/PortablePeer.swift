import FocusCore
import FocusText
import Foundation
import TestSupport

/// The native side of the checks in WebAssembly (`scripts/check-portable`).
///
/// - `portable-peer logs` writes random logs and the meaning of each. Each is a test case as
///   `Tests/Portable/TestCase.swift` describes. The program in WebAssembly doesn't make the logs itself: its
///   `Int` has 32 bits, with which equal seeds give other logs.
/// - `portable-peer story PROGRAM…` plays a story of three devices here, and then of two in the program and
///   one here. Each device must say the same in both.
@main
enum PortablePeer {
    static func main() {
        do {
            switch CommandLine.arguments.dropFirst().first {
            case "logs": try writeLogs()
            case "story": try playStory(by: Array(CommandLine.arguments.dropFirst(2)))
            default: throw GroupStory.Failure(description: "Commands: logs, or story PROGRAM…")
            }
        } catch {
            print("portable-peer: \(error)")
            exit(1)
        }
    }

    private static func writeLogs() throws {
        for seed in 0..<200 as Range<UInt64> {
            let events = RandomLog(seed: seed, count: 40 + Int(seed % 5) * 40).events
            guard let outcome = ReplayOutcome.bytes(of: events) else {
                throw GroupStory.Failure(description: "The random log of seed \(seed) is refused.")
            }
            let log = Array(events.map { EventLine($0).description + "\n" }.joined().utf8)
            write(Array("log \(seed) \(log.count) \(outcome.count)\n".utf8) + log + outcome)
        }
    }

    private static func write(_ bytes: [UInt8]) { FileHandle.standardOutput.write(Data(bytes)) }

    private static func playStory(by program: [String]) throws {
        let native = try GroupStory(["A", "B", "C"].map { ($0, try StoryDevice($0)) })
        try native.run()
        let module = try Module(program)
        let mixed = try GroupStory([
            ("A", module.device("A")), ("B", module.device("B")), ("C", try StoryDevice("C")),
        ])
        try mixed.run()
        try module.end()
        for (line, other) in zip(mixed.transcript, native.transcript) where line != other {
            throw GroupStory.Failure(description: "In the module: \(line)\nNatively: \(other)")
        }
        print(
            "Two devices in WebAssembly and a native one agree, and say the same as native ones "
                + "in \(native.transcript.count) steps.")
    }
}
