import CommandLineKit
import FocusCore
import FocusScreen
import FocusWords

extension Finding {
    /// The finding for people: how it is, and what mends it below. With its last newline.
    func text(_ paint: Paint, columns: Int) -> String {
        let indent = String(repeating: " ", count: Verdict.width + 2)
        let lines = ([text] + (remedy.map { [$0] } ?? [])).flatMap {
            TextLayout.wrap($0, first: indent, rest: indent, width: columns)
        }
        return verdict.mark(paint) + lines.joined(separator: "\n").dropFirst(Verdict.width) + "\n"
    }
}

extension Finding.Verdict {
    /// How many columns a mark takes.
    fileprivate static let width = 5

    /// What stands before a finding.
    fileprivate func mark(_ paint: Paint) -> String {
        switch self {
        case .fine: paint.coloured(padded("fine", to: Self.width), .rest)
        case .note: padded("note", to: Self.width)
        case .wrong: paint.coloured("WRONG", .work)
        }
    }
}
