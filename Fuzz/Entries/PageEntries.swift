import FocusClient
import FocusText

/// What a page sends, and what is kept of the browsers that were let in: what is read is written as it was.
func fuzzPresses(_ input: [UInt8]) throws {
    do throws(PagePress.Malformed) {
        _ = try PagePress(parsing: input)
    } catch {
        try hold(error.sentence.hasSuffix("."), "a refusal is a sentence: \(error.sentence)")
    }
    guard let json = try? JSON(parsing: input), let sessions = PageSessions(json) else { return }
    let again = (try? JSON(parsing: "\(sessions.json)".utf8)).flatMap { PageSessions($0) }
    try hold(again == sessions, "sessions are read as they were written")
}
