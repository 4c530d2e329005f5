import CommandLineKit
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusStore

/// The commands that press: `pause`, `resume`, `toggle`, `stop`, `skip`, `done`, `break`, `add`, `label`,
/// `undo`, `redo`; and `start`, by `StartCommand`.
struct PressCommand: WritingCommand {
    let interaction: Interaction
    /// The time since the press took effect; nil if it takes effect now.
    var ago: Duration?
    /// Whether an undo may add to the history without a question.
    var isConfirmed = false

    /// Presses, and prints the state that every laptop shows now.
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        // If the machine was just suspended, the agent has to notice that before this press is written.
        device.letAgentDetectSuspension()
        let performed = try perform(on: device, context.console)
        if let note = try sentence(performed, device) { context.console.report(note) }
        let line = StatusView(performed.state, at: performed.now, by: .current).line(context.console.paint)
        try context.print("\(line)\n")
    }

    /// Performs the press. Asks the person if that is required and there is a terminal. Without a terminal,
    /// an undo that needs consent fails. A press that can't be backdated as far as requested is then
    /// backdated as far as possible, and one that takes completed work away says so.
    private func perform(on device: Device, _ console: Console) throws(CommandFailure) -> InteractionResult {
        var consent: UndoConsent = isConfirmed ? .always : .toBeAsked
        var accepted: BackdatingConsent = []
        while true {
            do throws(PerformFailure) {
                return try device.perform(
                    interaction, ago: ago ?? .zero, consent: consent, accepting: accepted)
            } catch {
                switch error {
                case .needsConsent(let claim):
                    guard let isConfirmed = console.confirms("Undoing \(claim.sentence) Do it?")
                    else { throw CommandFailure(error, device.home) }
                    try requireConsent(isConfirmed)
                    consent = .given(claim.target.id)
                case .tooFarBack(let backdating, let now):
                    let sentence = backdating.sentence("would count", now: now) ?? ""
                    try requireConsent(console.confirms("\(sentence) Do it?") ?? true)
                    accepted.insert(.shortReach)
                case .takesCompleted:
                    let sentence = error.takesCompletedSentence ?? ""
                    let isConfirmed = console.confirms("\(sentence) Do it?")
                    try requireConsent(isConfirmed ?? true)
                    if isConfirmed == nil { console.report("\(sentence) 'focus undo' brings that back.") }
                    accepted.insert(.lostWork)
                default: throw CommandFailure(error, device.home)
                }
            }
        }
    }

    private func requireConsent(_ isConfirmed: Bool) throws(CommandFailure) {
        if !isConfirmed { throw CommandFailure("Nothing was changed.", .notNow) }
    }

    /// Returns the facts that the printed state doesn't show; nil if there are none.
    private func sentence(_ performed: InteractionResult, _ device: Device) throws(CommandFailure) -> String?
    {
        var sentence = performed.backdatingSentence
        if sentence == nil {
            sentence = try device.using { device throws(StoreError) in try performed.sentence(device) }
        }
        let recorded = try device.using { device throws(StoreError) in
            try performed.recordedSentence(device, namesHandle: true)
        }
        let sentences = [sentence, recorded].compactMap(\.self)
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }
}

extension Press {
    /// The interaction for the press.
    var interaction: Interaction {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .toggle: .toggle
        case .stop: .stop
        case .skip: .skip
        case .complete: .complete
        case .rest: .rest
        }
    }
}

/// `focus start`.
struct StartCommand: WritingCommand {
    let request: StartRequest
    /// The time since the start took effect; nil if the request says when, or now.
    let ago: Duration?

    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        let interaction = try device.start(request, .current)
        try PressCommand(interaction: interaction, ago: ago).run(on: device, in: context)
    }
}
