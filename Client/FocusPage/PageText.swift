import CommandLineKit
import FocusCore
package import FocusDevice
import FocusFront
import FocusLink
package import FocusText

/// The sentences that only the page uses, and the HTTP status of each failure.
enum PageText {
    static let signInSentence =
        "This browser isn't signed in. Run <code>focus web</code> in a terminal of this laptop: it gives a "
        + "link that opens the page, once and within two minutes."
    static let notFound = "There is nothing here. <a href=\"/\">The timer</a>"

    /// Returns the next steps after a laptop was readmitted.
    ///
    /// - Parameter isRefused: Whether the server is known to refuse the laptop's key.
    static func afterReadmission(isRefused: Bool) -> String {
        let invite = "needs a new invite, and can leave the group there and join again."
        return isRefused
            ? "The server refuses its key, so it \(invite)"
            : "If the server still lets it in, “Accept” gives it the group's key. If the server refuses its key, it "
                + invite
    }

    /// The end of a command before the digits of a key, which stay in the page's sentence.
    private static let digits = ""

    /// The commands in sentences of all front ends for which the page has a button or a screen, and its words
    /// for them. The other commands stay as they are, also "in a terminal: focus join INVITE", which moves a
    /// group.
    private static let ownWords: KeyValuePairs<String, String> = [
        "'focus undo'": "“Undo”", "'focus redo'": "“Redo”", "'focus join INVITE'": "“Join”",
        "'focus share' makes one": "“Share from this laptop” makes one",
        "'focus share' continues that, or S in the full screen, under Devices":
            "The key S, under Devices, continues that",
        "'focus invite'": "“Make an invite”", "'focus leave'": "“Leave the group” on Devices",
        ": focus leave": ", under Devices",
        "'focus devices accept NAME'": "“Accept”", "'focus devices revoke NAME'": "“Shut out”",
        "'focus devices readmit NAME'": "“Take back”", "'focus devices'": "“Devices”",
        " there: focus devices accept NAME": " there, under Devices.",
        "focus devices accept NAME": "“Accept”, under Devices",
        "focus devices revoke NAME": "“Shut out”, under Devices",
        "the old key: focus devices revoke \(digits)": "the old key: ",
        "shuts it out: focus devices revoke \(digits)": "shuts it out: ",
    ]

    /// Returns a sentence of all front ends with the page's words for commands.
    static func withOwnWords(_ sentence: String) -> String {
        var (rest, text) = (sentence[...], "")
        while let (range, words) = firstCommand(in: rest) {
            text += String(rest[..<range.lowerBound]) + words
            rest = rest[range.upperBound...]
        }
        return text + String(rest)
    }

    /// Returns the place of the first command in a text, and the page's words for it. If two begin there, the
    /// longer one counts, which the table has first.
    private static func firstCommand(in text: Substring) -> (Range<Substring.Index>, String)? {
        var found: (range: Range<Substring.Index>, words: String)?
        for (command, words) in ownWords {
            guard let range = text.firstPlace(of: command) else { continue }
            if let found, found.range.lowerBound <= range.lowerBound { continue }
            found = (range, words)
        }
        return found
    }

    /// Returns the sentence about work that was planned for later, if a skip or a break gives it up.
    ///
    /// - Parameters:
    ///   - status: The laptop's status before the press.
    ///   - clocks: The time zone of the time in the sentence.
    static func givenUpPlan(
        _ interaction: Interaction, _ status: DeviceStatus, by clocks: LocalZone
    ) -> String? {
        guard interaction == .skip || interaction == .rest,
            case .waiting(_, let begins, _) = TimerState(status.state, at: status.now).status
        else { return nil }
        return "The work that was to begin at \(clocks.clock(begins)) is given up. “Undo” brings it back."
    }

    /// Returns the reason why an interaction wasn't performed. The other front ends' sentences name commands
    /// or keys; the page's sentences name neither.
    fileprivate static func sentence(_ reason: InteractionError) -> String {
        switch reason {
        case .nothingRuns: "Nothing is running."
        case .alreadyRunning: "It is already running."
        case .alreadyPaused: "It is already paused."
        case .isPaused: "It is paused: it can be resumed, or stopped."
        case .isWaiting: "It is waiting to begin: it can be started now, or stopped."
        case .isBreak: "It is a break: it can be skipped."
        case .alreadyBreak: "It is a break already."
        case .noTimeLeft: "There isn't that much time to take away: “Skip” ends the phase."
        default: ViewText.sentence(reason)
        }
    }
}

extension PageAnswer {
    static func json(_ status: UInt32, _ text: String) -> PageAnswer {
        PageAnswer(status, type: "application/json", Array(text.utf8))
    }

    /// Returns a document, which commands print too.
    static func document(_ json: JSON) -> PageAnswer { .json(200, "\(json)\n") }

    /// Returns the answer for success, with sentences about the result.
    static func success(_ words: String, _ others: [JSON.Member] = []) -> PageAnswer {
        let did = JSON.Member("did", .string(PageText.withOwnWords(words)))
        return .json(200, JSON.object([did] + others).description)
    }

    /// The answer for a failure. Its sentence may name the paths of `home`.
    ///
    /// - Parameter clocks: The time zone of the times in the sentence.
    package init(_ failure: PageError, _ home: Home, by clocks: LocalZone = .current) {
        let more =
            switch failure {
            case .needsConfirmation(.backdating(_, let consequence)):
                [JSON.Member("ask", .bool(true)), JSON.Member("agree", .string(consequence.member))]
            case .needsConfirmation(.undo(let warning)):
                [JSON.Member("ask", .bool(true)), JSON.Member("event", .string(warning.target.id.text))]
            case .needsConfirmation: [JSON.Member("ask", .bool(true))]
            case .perform(.notNow(.changed(let present))): [JSON.Member("shown", present.json)]
            case .malformed(.noLength(let name)): [JSON.Member("field", .string(name))]
            case .perform(.notNow(.lengthOutOfRange)): [JSON.Member("field", .string("length"))]
            case .perform(.notNow(.tooFarAhead)): [JSON.Member("field", .string("begins"))]
            default: [JSON.Member]()
            }
        let sentence = PageText.withOwnWords(failure.sentence(home, by: clocks))
        self = .json(
            failure.status,
            JSON.object([JSON.Member("error", .string(sentence))] + more).description)
    }
}

extension PageError {
    /// The HTTP status.
    fileprivate var status: UInt32 {
        switch self {
        case .foreignOrigin, .notSignedIn: 403
        case .notJSON: 415
        case .malformed, .invalidDay, .labelAndTag, .invalidTag, .duplicateParameter, .invalidZone, .noEntry,
            .perform(.emptyName):
            400
        case .needsConfirmation, .isJoining, .device(.inGroup), .device(.inNoGroup): 409
        case .perform(.notNow), .perform(.noEffect), .perform(.tooFarBack), .perform(.duplicate),
            .perform(.takesCompleted), .perform(.needsConsent):
            409
        case .perform(.store), .device, .network, .tooManyOperations: 503
        case .command(let failure): failure.httpStatus
        }
    }

    /// The reason in a sentence, with the words of commands if they have the same failure.
    ///
    /// - Parameter clocks: The time zone of the times in the sentence.
    func sentence(_ home: Home, by clocks: LocalZone = .current) -> String {
        switch self {
        case .foreignOrigin: "Other pages may not send this request."
        case .notSignedIn: "This browser isn't signed in: run 'focus web' again."
        case .notJSON: "This takes application/json."
        case .malformed(let malformed): malformed.sentence(by: clocks)
        case .invalidDay(let name): "\"\(name)\" is not a day. \(DayWord.rule)"
        case .invalidTag: "\"tag\" is no tag. \(WorkChoice.tagRule)"
        case .labelAndTag: "Only one of \"label\" and \"tag\" can be given."
        case .duplicateParameter(let name): "\"\(name)\" is given more than once."
        case .invalidZone: "\"zone\" must be the name of a time zone, such as Europe/Berlin."
        case .noEntry(let failure): failure.sentence
        case .needsConfirmation(let question): question.sentence
        case .isJoining: "This laptop is joining a group already."
        case .tooManyOperations: "Too many requests to the server at once. Try again."
        case .perform(.notNow(let reason)): PageText.sentence(reason)
        case .perform(.noEffect): "It would have changed nothing then."
        case .perform(.duplicate(let record, _)): record.duplicateSentence(by: clocks)
        case .perform(let failure): CommandFailure(failure, home, by: clocks).message
        case .device(let failure): failure.explanation
        case .network(let sentence): sentence
        case .command(let failure): ([failure.message] + failure.notes.lines).joined(separator: "\n")
        }
    }
}

extension PageConfirmation {
    fileprivate var sentence: String {
        switch self {
        case .undo(let claim): "Undoing \(claim.sentence)"
        case .backdating(let sentence, _): sentence
        case .takeAlong(let question): question.sentences.joined(separator: " ")
        case .leave(let isOnlyMember, let isServer):
            GroupQuestion.leave(isOnlyMember: isOnlyMember, isServer: isServer)
        case .leaveUntold(let question): question
        }
    }
}

extension CommandFailure {
    /// The HTTP status for a failure that commands have too.
    fileprivate var httpStatus: UInt32 {
        switch status {
        case .usage: 400
        case .notNow: 409
        case .done, .failed, .unreachable, .refused: 503
        }
    }
}

extension PagePress.Malformed {
    /// Returns the mistake in the body, as a sentence.
    ///
    /// - Parameter clocks: The time zone of the times in the sentence.
    package func sentence(by clocks: LocalZone) -> String {
        switch self {
        case .noJSON(let problem): "The request isn't JSON: \(problem)."
        case .lacks(let name): "The request lacks \"\(name)\"."
        case .isNot(let name, let form): "\"\(name)\" must be \(form.words)."
        case .unknown(let named, let name): "There is no \(named.rawValue) '\(name)'."
        case .impossiblePast(let problem, let interval): problem.sentence(interval, clocks)
        case .noLength: DurationText.rule
        case .threeTimes: "Only two of \"startedAt\", \"endedAt\" and \"length\" can be given."
        case .noValue(let key): "Give \(SettingText.choice(of: key))."
        case .noOwnValue(let setting): "Give \(setting.choice)."
        case .noLine(let problem): problem
        }
    }
}

extension PagePress.Malformed.Form {
    /// The words after "must be" in the sentence about a value of another form.
    fileprivate var words: String {
        switch self {
        case .text: "a text"
        case .texts: "a text, or a list of texts"
        case .object: "an object"
        case .number: "a whole number"
        case .flag: "true or false"
        case .instant: "in milliseconds since 1970"
        case .run: "the id of a session"
        case .ordinal: "0 or more"
        case .consent: "true, or the \"event\" of the question"
        }
    }
}
