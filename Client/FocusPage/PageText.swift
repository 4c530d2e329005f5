import CommandLineKit
import FocusCore
import FocusDevice
import FocusFront
import FocusHTTP
import FocusText
import FocusWords

/// What the page's server says in words of its own.
enum PageText {
    static let comeAgain =
        "This browser isn't signed in. Run <code>focus web</code> in a terminal of this laptop: it gives a "
        + "link that opens the page, once and within two minutes."
    static let notFound = "There is nothing here. <a href=\"/\">The timer</a>"

    /// Why an interaction wasn't carried out: commands name each other there, and the full-screen view its keys.
    static func sentence(_ reason: NotNow) -> String {
        switch reason {
        case .nothingRuns: "Nothing is running."
        case .alreadyRunning: "It is already running."
        case .alreadyPaused: "It is already paused."
        case .isPaused: "It is paused: it can be resumed, or stopped."
        default: ViewText.sentence(reason)
        }
    }
}

extension HTTPResponse {
    /// A page that says something. `sentence` is HTML.
    static func page(_ status: UInt32, _ sentence: String) -> HTTPResponse {
        let page =
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Lockstep</title>"
            + "<meta name=\"viewport\" content=\"width=device-width\">"
            + "<link rel=\"stylesheet\" href=\"/page.css\"><main class=\"notice\"><h1>Lockstep</h1><p>\(sentence)</p>"
            + "</main></html>\n"
        return HTTPResponse(status, type: "text/html; charset=utf-8", Array(page.utf8))
    }

    static func json(_ status: UInt32, _ text: String) -> HTTPResponse {
        HTTPResponse(status, type: "application/json", Array(text.utf8))
    }

    /// Why something isn't done.
    static func refusal(_ status: UInt32, _ sentence: String, asks: Bool = false) -> HTTPResponse {
        let members =
            [JSON.Member("error", .string(sentence))] + (asks ? [JSON.Member("ask", .bool(true))] : [])
        return json(status, JSON.object(members).description)
    }

    /// What came of a command that failed.
    static func failure(_ failure: CommandFailure) -> HTTPResponse {
        let status: UInt32 =
            switch failure.status {
            case .usage: 400
            case .notNow: 409
            default: 503
            }
        return refusal(status, failure.message)
    }

    static func failure(_ failure: PerformFailure, _ home: Home) -> HTTPResponse {
        switch failure {
        case .notNow(let reason): refusal(409, PageText.sentence(reason))
        case .claims(let claim): refusal(409, "Undoing \(claim.sentence)", asks: true)
        default: .failure(CommandFailure(failure, home))
        }
    }
}
