import FocusCore

/// A log as text: JSON Lines, one event a line.
package enum LogText {
    /// A line that isn't an event.
    package struct BadLine: Error, Hashable, Sendable, CustomStringConvertible {
        /// Counted from 1.
        package let number: Int
        /// Why the line isn't an event. Nothing after it was read.
        package let problem: EventLine.Malformed

        package var description: String { "line \(number): \(problem)" }
    }

    /// The lines of a text; blank ones are passed over. Throws at the first that isn't an event.
    ///
    /// Cost: linear in the text.
    package static func parse(_ text: [UInt8]) throws(BadLine) -> [EventLine] {
        var lines: [EventLine] = []
        var number = 0
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            do throws(EventLine.Malformed) {
                lines.append(try EventLine(parsing: line))
            } catch {
                throw BadLine(number: number, problem: error)
            }
        }
        return lines
    }
}
