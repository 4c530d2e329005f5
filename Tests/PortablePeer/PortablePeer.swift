import FocusCore
import FocusText
import Foundation
import TestSupport

/// Writes random logs and what each of them means, for a program in WebAssembly that replays them
/// (`scripts/check-portable`).
///
/// Each log is a test case as `Tests/Portable/TestCase.swift` describes. The program in WebAssembly doesn't
/// make the logs itself: its `Int` has 32 bits, with which equal seeds give other logs.
@main
enum PortablePeer {
    static func main() {
        for seed in 0..<200 as Range<UInt64> {
            let events = RandomLog(seed: seed, count: 40 + Int(seed % 5) * 40).events
            guard let outcome = ReplayOutcome.bytes(of: events) else {
                fatalError("the random log of seed \(seed) is refused")
            }
            let log = Array(events.map { EventLine($0).description + "\n" }.joined().utf8)
            write(Array("log \(seed) \(log.count) \(outcome.count)\n".utf8) + log + outcome)
        }
    }

    private static func write(_ bytes: [UInt8]) { FileHandle.standardOutput.write(Data(bytes)) }
}
