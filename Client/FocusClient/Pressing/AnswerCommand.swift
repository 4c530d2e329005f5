import CommandLineKit
import FocusContact
import FocusCore
import FocusDevice
import FocusFront
import FocusStore

/// `focus idle`: shows the open question about time in which nobody was there.
struct ShowQuestionCommand {
    /// Prints the question and its answers, or that nothing is asked.
    func run(_ device: Device?, in context: CommandContext) throws(CommandFailure) {
        let found = try device?.using { device throws(StoreError) in
            (question: try device.absenceQuestion(), absence: try device.store.absence())
        }
        guard let question = found?.question else {
            let isAway = found?.absence.map { !$0.isOver } ?? false
            let sentence = isAway ? AbsenceQuestion.awaitsReturn : AbsenceQuestion.nothingAsked
            return try context.print(context.console.prose("\(sentence)\n"))
        }
        try context.print(
            context.console.prose("\(question.sentence()) \(AbsenceQuestion.commands)\n"))
    }
}

/// `focus idle keep`, `drop` and `pause`: answers the open question.
struct AnswerCommand: WritingCommand {
    let answer: AbsenceAnswer

    /// Answers, and prints the state that every laptop shows now.
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        // A person who answers is there. The agent may not know that yet.
        let question = try device.using { device throws(StoreError) in try device.absenceEnded() }
        let performed: InteractionResult
        do throws(PerformFailure) {
            performed = try device.answer(answer, to: question)
        } catch {
            throw CommandFailure(error, device.home)
        }
        if let question { context.console.report(question.sentence(after: answer, undo: "'focus undo'")) }
        let line = StatusView(performed.state, at: performed.now, by: .current).line(context.console.paint)
        try context.print("\(line)\n")
    }
}

/// `focus idle begin` and `end`: a script tells whether somebody is at the laptop.
enum AbsenceCommand: WritingCommand {
    /// Nobody has been there for this time.
    case began(ago: Duration)
    /// Somebody is there again.
    case ended

    /// Stores the absence or its end. Prints nothing: the agent asks the question.
    func run(on device: Device, in context: CommandContext) throws(CommandFailure) {
        device.letAgentDetectSuspension()
        switch self {
        case .began(let ago):
            try device.using { device throws(StoreError) in try device.absenceBegan(ago: ago) }
        case .ended: _ = try device.using { device throws(StoreError) in try device.absenceEnded() }
        }
    }
}
