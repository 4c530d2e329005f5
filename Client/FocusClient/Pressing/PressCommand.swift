import CommandLineKit
import FocusAgent
import FocusCore
import FocusDevice
import FocusStore
import FocusWords

/// The commands that press: `start`, `pause`, `resume`, `toggle`, `stop`, `skip`, `add`, `label`, `undo`,
/// `redo`.
struct PressCommand: WritingCommand {
    let interaction: Interaction
    /// How long ago it took effect.
    var ago: Duration?
    /// Whether an undo may add to the history without being asked about.
    var isConfirmed = false

    /// Presses, and prints what every laptop shows now.
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        device.letAgentLookForSleep()
        let performed = try perform(on: device, context.console)
        if let note = try sentence(performed, device) { context.console.say(note) }
        let line = StatusView(performed.state, at: performed.now).line(context.console.paint)
        try context.print("\(line)\n")
    }

    /// Asks whoever sits at a terminal where that is called for. Where nobody does, a press that can't reach back as far
    /// as was said reaches as far as it can.
    private func perform(on device: Device, _ console: Console) throws(CommandFailure) -> Performed {
        var consent: UndoConsent = isConfirmed ? .always : .toBeAsked
        var mayFallShort = false
        while true {
            do throws(PerformFailure) {
                return try device.perform(
                    interaction, ago: ago ?? .zero, consent: consent,
                    mayFallShort: mayFallShort)
            } catch {
                switch error {
                case .claims(let claim):
                    guard let isConfirmed = console.confirms("Undoing \(claim.sentence) Do it?")
                    else { throw CommandFailure(error, device.home) }
                    try goOn(isConfirmed)
                    consent = .given(claim.target.id)
                case .fallsShort(let backdating, let now):
                    let sentence = backdating.sentence("would count", now: now) ?? ""
                    try goOn(console.confirms("\(sentence) Do it?") ?? true)
                    mayFallShort = true
                default: throw CommandFailure(error, device.home)
                }
            }
        }
    }

    private func goOn(_ isConfirmed: Bool) throws(CommandFailure) {
        if !isConfirmed { throw CommandFailure("Nothing was changed.", .notNow) }
    }

    /// What the state doesn't tell by itself.
    private func sentence(_ performed: Performed, _ device: Device) throws(CommandFailure) -> String? {
        if let sentence = performed.backdatingSentence { return sentence }
        return try device.using { device throws(StoreError) in try performed.sentence(device) }
    }
}

extension Press {
    /// The interaction that the press is.
    var interaction: Interaction {
        switch self {
        case .start(let label): .start(label: label)
        case .pause: .pause
        case .resume: .resume
        case .toggle: .toggle
        case .stop: .stop
        case .skip: .skip
        }
    }
}
