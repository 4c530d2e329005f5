import FocusClient
import FocusPage
import FocusText

/// What a page sends, and what is kept of the browsers that were let in: what is read is written as it was.
func fuzzPresses(_ input: [UInt8]) throws {
    try holdRefusal { () throws(PagePress.Malformed) in _ = try PagePress(parsing: input) }
    try holdRefusal { () throws(PagePress.Malformed) in _ = try DevicePress(parsing: input) }
    try holdRefusal { () throws(PagePress.Malformed) in _ = try JoinPress(parsing: input) }
    guard let json = try? JSON(parsing: input), let sessions = PageSessions(json) else { return }
    let again = (try? JSON(parsing: "\(sessions.json)".utf8)).flatMap { PageSessions($0) }
    try hold(again == sessions, "sessions are read as they were written")
}

private func holdRefusal(of reading: () throws(PagePress.Malformed) -> Void) throws {
    do throws(PagePress.Malformed) {
        try reading()
    } catch {
        try hold(error.sentence.hasSuffix("."), "a refusal is a sentence: \(error.sentence)")
    }
}
