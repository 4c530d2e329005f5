package import FocusCore
package import FocusText

// What a page says of its screen with a press, and is told of what the press has led to: the members of a state that
// say so.
extension ShownTimer {
    /// `{"status":"running","run":"…","ordinal":0}`; where stopped, run and ordinal are null.
    package var json: JSON {
        let (status, run, ordinal): (String, RunID?, Int64?) =
            switch self {
            case .stopped: ("stopped", nil, nil)
            case .running(let run, let ordinal): ("running", run, ordinal)
            case .paused(let run, let ordinal): ("paused", run, ordinal)
            }
        return .object([
            JSON.Member("status", .string(status)), JSON.Member("run", .optional(run?.text)),
            JSON.Member("ordinal", .optional(ordinal)),
        ])
    }
}

extension PagePress.Fields {
    /// What was on the page's screen; nil where it doesn't say, as one that was opened before the agent's upgrade.
    func screen() throws(PagePress.Malformed) -> ShownTimer? {
        guard let fields = try optionalFields("shown") else { return nil }
        switch try fields.text("status") {
        case "stopped": return .stopped
        case "running": return .running(try fields.run(), ordinal: try fields.ordinal())
        case "paused": return .paused(try fields.run(), ordinal: try fields.ordinal())
        case let other: throw PagePress.Malformed(sentence: "There is no status '\(other)'.")
        }
    }

    private func run() throws(PagePress.Malformed) -> RunID {
        guard let run = RunID(text: try text("run")) else {
            throw PagePress.Malformed(sentence: "\"run\" is to be one of a state.")
        }
        return run
    }

    private func ordinal() throws(PagePress.Malformed) -> Int64 {
        let ordinal = try number("ordinal")
        guard ordinal >= 0 else { throw PagePress.Malformed(sentence: "\"ordinal\" is to be 0 or more.") }
        return ordinal
    }
}
