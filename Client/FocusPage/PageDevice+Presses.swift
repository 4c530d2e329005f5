import CommandLineKit
import FocusContact
package import FocusCore
import FocusDevice
import FocusFront
import FocusStore
package import FocusText

// Presses.
extension PageDevice {
    /// Performs the press in the body of a request. Its query may name the page, and the time zone of the
    /// times that the press and the answer name.
    func press(_ request: PageRequest) throws(PageError) -> PageAnswer {
        let (body, page) = (request.body, request.query("page").first ?? "")
        let clocks = try PageDocuments.zone(request).clocks
        switch try mapError(
            PageError.malformed, { () throws(PagePress.Malformed) in try PagePress(parsing: body) })
        {
        case .interaction(let interaction, let consent, let screen):
            return try perform(interaction, consent, on: screen, from: page, by: clocks)
        case .backdated(let interaction, let ago, let accepted, let screen):
            return try perform(
                interaction, ago: ago, accepting: accepted, on: screen, from: page, by: clocks)
        case .relabel(let entry, let label): return try perform(.relabel(try record(entry).name, label))
        case .remove(let entry): return try perform(.remove(try record(entry).name))
        case .changeEntry(let entry, let change):
            let record = try record(entry)
            let interaction = try mapError(PageError.command) { () throws(CommandFailure) in
                try change.interaction(on: record, clocks)
            }
            return try perform(interaction, by: clocks)
        case .answer(let answer, let from, let until):
            let model = try currentModel()
            defer { endUnlessFollowed(model) }
            do throws(PerformFailure) {
                guard let question = model.status.question, question.from == from, question.until == until
                else { throw PerformFailure.notNow(.nothingAsked) }
                try model.answer(answer, to: question, by: page)
                let sentence = question.sentence(after: answer, undo: "Undo")
                return .json(200, JSON.object([JSON.Member("did", .string(sentence))]).description)
            } catch {
                throw .performError(error)
            }
        case .changeOwn(let setting, let value):
            try mapError(PageError.device) { () throws(DeviceFailure) in
                try device.attempt { device throws(StoreError) in try setting.set(value, device.store) }
            }
            // A warning before work ends may have to be scheduled at another time.
            announceChanges()
            show()
            return PageAnswer(204)
        }
    }

    /// Returns the entry of the history with a handle that begins with `name`.
    private func record(_ name: String) throws(PageError) -> PhaseRecord {
        let history = try mapError(PageError.command) { () throws(CommandFailure) in try device.history() }
        return try mapError(PageError.noEntry) { () throws(History.NoEntry) in
            try history.record(named: name)
        }
    }

    /// Performs an interaction. Answers with a sentence if the next state doesn't show the result. If the
    /// page sent the timer that it showed, the answer also has the present timer, because the page may press
    /// again before the next state arrives.
    func perform(
        _ interaction: Interaction, _ consent: UndoConsent = .toBeAsked, ago: Duration = .zero,
        accepting accepted: BackdatingConsent = .all, on screen: ShownTimer? = nil, from page: String = "",
        by zone: LocalZone = .current
    ) throws(PageError) -> PageAnswer {
        recordSuspension()
        let model = try currentModel()
        defer { endUnlessFollowed(model) }
        let plan = PageText.givenUpPlan(interaction, model.status, by: zone)
        do throws(PerformFailure) {
            let performed = try model.perform(
                [interaction], ago: ago, consent: consent, accepting: accepted, on: screen, by: page)
            // A new name of this laptop gets a sentence if another laptop has the same name.
            let did =
                performed.backdatingSentence
                ?? (try? performed.sentence(device, by: zone, namesAge: false)) ?? nil ?? plan
                ?? ViewText.namesake(after: interaction, on: device, remedy: "The field below")
            let members = [
                did.map { JSON.Member("did", .string(PageText.withOwnWords($0))) },
                screen.map { _ in JSON.Member("shown", performed.shown.json) },
            ].compactMap { $0 }
            return members.isEmpty ? PageAnswer(204) : .json(200, JSON.object(members).description)
        } catch {
            throw .performError(error)
        }
    }
}

// The timer in a page's request or in the answer to it. Its members are named as in a state.
extension ShownTimer {
    /// `{"status":"running","run":"…","ordinal":0}`. When stopped, run and ordinal are null.
    package var json: JSON {
        let (status, run, ordinal): (String, RunID?, Int64?) =
            switch self {
            case .stopped: ("stopped", nil, nil)
            case .waiting(let run): ("waiting", run, 0)
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
    /// Returns the timer that the page showed. Nil if the page doesn't send it, because it was opened before
    /// the agent's upgrade.
    func screen() throws(PagePress.Malformed) -> ShownTimer? {
        guard let fields = try optionalFields("shown") else { return nil }
        switch try fields.text("status") {
        case "stopped": return .stopped
        case "waiting": return .waiting(try fields.run())
        case "running": return .running(try fields.run(), ordinal: try fields.ordinal())
        case "paused": return .paused(try fields.run(), ordinal: try fields.ordinal())
        case let other: throw .unknown(.status, other)
        }
    }

    private func run() throws(PagePress.Malformed) -> RunID {
        guard let run = RunID(text: try text("run")) else {
            throw .isNot("run", .run)
        }
        return run
    }

    private func ordinal() throws(PagePress.Malformed) -> Int64 {
        let ordinal = try number("ordinal")
        guard ordinal >= 0 else { throw .isNot("ordinal", .ordinal) }
        return ordinal
    }
}
