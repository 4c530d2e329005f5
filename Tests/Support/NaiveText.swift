import FocusCore

/// Cleans a label, a name or a source as docs/timer-rules.md §4, "Text", says.
func naiveClean(_ text: String) -> String {
    // A short text with plain first and last characters and without control characters needs no cleaning. In
    // UTF-8, the control characters beyond ASCII begin with 0xC2.
    let isPlain =
        text.utf8.count <= 200 && text.utf8.first.map { 33...126 ~= $0 } ?? true
        && text.utf8.last.map { 33...126 ~= $0 } ?? true
        && text.utf8.allSatisfy { $0 >= 32 && $0 != 127 && $0 != 0xC2 }
    if isPlain { return text }
    var scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
    while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(String.UnicodeScalarView(scalars.prefix(200)))
}

/// `mm:ss` or `h:mm:ss`, whole seconds rounded up (docs/timer-rules.md §7).
func naiveClock(_ left: Duration) -> String {
    let seconds = (left.inMilliseconds + 999) / 1000
    func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (minutes, rest) = (seconds / 60, twoDigits(seconds % 60))
    if minutes >= 100 { return "\(minutes / 60):\(twoDigits(minutes % 60)):\(rest)" }
    return "\(twoDigits(minutes)):\(rest)"
}
